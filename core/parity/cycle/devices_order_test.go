package cycle

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
)

// A driver publishes its devices anew, and says one slice where its older slice says two. Listed first, the older makes the pool
// complete, and the newer incomplete.
func TestAllocator_DependsOnOrderOfSlices(t *testing.T) {
	older := mk.ResourceSlice("older", gpuDriver, "node").Node("node").Pool(1, 2).Obj()
	newer := mk.ResourceSlice("newer", gpuDriver, "node").Node("node").Pool(1, 1).Devices("device-0").Obj()
	for _, tt := range []struct {
		name  string
		order []*resourcev1.ResourceSlice
		want  int
	}{
		{"the older is first", []*resourcev1.ResourceSlice{older, newer}, 1},
		{"the newer is first", []*resourcev1.ResourceSlice{newer, older}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			none := structured.AllocatedState{
				AllocatedDevices: sets.New[structured.DeviceID](), AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
				AggregatedCapacity: structured.NewConsumedCapacityCollection(),
			}
			allocator, err := structured.NewAllocator(t.Context(), structured.Features{}, none, oneClass{}, tt.order, cel.NewCache(1, cel.Features{}))
			if err != nil {
				t.Fatal(err)
			}
			claim := mk.ResourceClaim("claim").Request("r0", "any", 1).Obj()
			got, err := allocator.Allocate(t.Context(), mk.Node("node").Obj(), []*resourcev1.ResourceClaim{claim})
			if err != nil || len(got) != tt.want {
				t.Errorf("%d claims got devices: %v; want %d", len(got), err, tt.want)
			}
		})
	}
}

// The informer's listers return slices by name, whatever the order they came in.
func TestInformers_ListSlicesByName(t *testing.T) {
	f := newInformers()
	lister := f.Resource().V1().ResourceSlices().Lister()
	want := []string{"a", "b", "c", "d", "e", "f"}
	for i := range want {
		f.Set(mk.ResourceSlice(want[(i*5+3)%len(want)], gpuDriver, "pool").Obj())
	}
	all, err := lister.List(labels.Everything())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, slice := range all {
		got = append(got, slice.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the lister has %v; want %v", got, want)
	}
}

// oneClass has one class, for all devices.
type oneClass struct{}

func (oneClass) List() ([]*resourcev1.DeviceClass, error) { return nil, nil }

func (oneClass) Get(name string) (*resourcev1.DeviceClass, error) {
	return mk.DeviceClass(name, "true"), nil
}

// The binding of a pod fails after it was added to a claim, and it is taken from the claim again. Both writes are changes of the
// claim, so that a pod that has this claim and one of no class is tried again.
func TestScheduler_ReadsUndoneReservation(t *testing.T) {
	c := &clusterCase{
		Config: &configv1.KubeSchedulerConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: configv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration"}},
		Nodes:  []*v1.Node{mk.Node("node").CPU("3").Obj()},
		Devices: deviceObjects{
			Classes: []*resourcev1.DeviceClass{mk.DeviceClass("any", "true")},
			Slices:  []*resourcev1.ResourceSlice{mk.ResourceSlice("slice", gpuDriver, "node").Node("node").Pool(1, 1).Devices("device-0").Obj()},
			Claims:  []*resourcev1.ResourceClaim{mk.ResourceClaim("shared").Request("r0", "any", 1).Obj(), mk.ResourceClaim("without-class").Request("r0", "none", 1).Obj()},
		},
		Waiting: []*v1.Pod{
			mk.Pod("bound").ResourceClaim("shared").Priority(3).Obj(),
			mk.Pod("blocked").ResourceClaim("shared").ResourceClaim("without-class").Priority(2).Obj(),
			mk.Pod("refused").ResourceClaim("shared").Priority(1).Obj(),
		},
		Refused: []string{"refused"},
	}
	seen := difftest.Coverage{}
	if mismatch := compareDecisions(t, c, seen); mismatch != "" {
		t.Error(mismatch)
	}
	if tries := seen["unschedulable pods"]; tries != 2 {
		t.Errorf("the blocked pod was tried %d times, want 2; reached: %s", tries, seen)
	}
}
