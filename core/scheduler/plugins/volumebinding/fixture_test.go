package volumebinding_test

import (
	"strconv"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// fixture is the plugin, with the objects that it reads.
type fixture struct {
	t       *testing.T
	store   *store.Store
	state   *volumes.State
	plugin  *volumebinding.VolumeBinding
	version int
}

// handle is what the plugin needs of its handle.
type handle struct {
	fwk.Handle
	objects informers.SharedInformerFactory
	state   *volumes.State
}

func (h handle) SharedInformerFactory() informers.SharedInformerFactory { return h.objects }
func (h handle) Volumes() *volumes.State                                { return h.state }

// newFixture makes the plugin with gates and a shape that scores as many points as percent are used.
func newFixture(t *testing.T, gates map[string]bool, objects ...world.Object) *fixture {
	t.Helper()
	features, err := config.ParseFeatures(gates)
	if err != nil {
		t.Fatal(err)
	}
	s := store.New()
	f := &fixture{t: t, store: s, state: volumes.New(s)}
	args := &configv1.VolumeBindingArgs{BindTimeoutSeconds: ptr.To[int64](600)}
	if features.Enabled(config.StorageCapacityScoring) {
		args.Shape = []configv1.UtilizationShapePoint{{Utilization: 0, Score: 0}, {Utilization: 100, Score: 10}}
	}
	plugin, err := volumebinding.New(t.Context(), args, handle{objects: s.Informers(), state: f.state}, features)
	if err != nil {
		t.Fatal(err)
	}
	f.plugin = plugin.(*volumebinding.VolumeBinding)
	for _, o := range objects {
		f.apply(world.Added, o)
	}
	return f
}

func (f *fixture) apply(op world.Op, o world.Object) {
	f.t.Helper()
	f.version++
	o = o.DeepCopyObject().(world.Object)
	o.SetResourceVersion(strconv.Itoa(f.version))
	deltas, err := f.store.Apply(world.Changed{Op: op, Object: o})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, d := range deltas {
		f.state.Changed(d)
	}
}

// preFilter begins a cycle; the text is empty if the pod is not rejected.
func (f *fixture) preFilter(pod *v1.Pod) (*framework.CycleState, string) {
	state := framework.NewCycleState()
	_, status := f.plugin.PreFilter(f.t.Context(), state, pod, nil)
	return state, text(status)
}

// filter is the verdict on a node.
func (f *fixture) filter(state fwk.CycleState, pod *v1.Pod, node *v1.Node) string {
	return text(f.plugin.Filter(f.t.Context(), state, pod, nodeInfo(node)))
}

func text(status *fwk.Status) string {
	if status.IsSuccess() {
		return ""
	}
	return status.Code().String() + ": " + status.Message()
}

func nodeInfo(node *v1.Node) fwk.NodeInfo {
	info := cache.NewNodeInfo()
	info.SetNode(node)
	return info
}
