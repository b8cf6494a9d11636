package trim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/trim"
)

const gpusOfSlice = 8

// gpuSlice returns the slice of a node with eight GPUs, as a driver publishes it, encoded as an API server sends it.
func gpuSlice(t testing.TB, i int) []byte {
	t.Helper()
	node := fmt.Sprintf("gpu-node-%05d.example.com", i)
	s := &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: node + "-gpu.nvidia.com-x7k2p", UID: types.UID(fmt.Sprintf("%08d-9b1c-4f1e-8a4e-2c5f0f3d6b7a", i)), ResourceVersion: fmt.Sprint(i),
			CreationTimestamp: metav1.NewTime(time.Unix(1_700_000_000, 0)), GenerateName: node + "-gpu.nvidia.com-", Generation: 1,
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "gpu-kubelet-plugin", FieldsV1: metav1.NewFieldsV1(strings.Repeat("f:spec ", 100))}},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node, UID: types.UID(fmt.Sprintf("%08d-9b1c-4f1e-8a4e-1", i)), Controller: ptr(true)}},
		},
		Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.nvidia.com", NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}},
	}
	for j := range gpusOfSlice {
		text := func(s string) resourcev1.DeviceAttribute { return resourcev1.DeviceAttribute{StringValue: &s} }
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{
			Name: fmt.Sprintf("gpu-%d", j),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"type": text("gpu"), "uuid": text(fmt.Sprintf("GPU-%08x-40fe-9ee0-7a9c-%012d", i, j)), "architecture": text("Hopper"), "brand": text("Nvidia"),
				"productName": text("NVIDIA H100 80GB HBM3"), "resource.kubernetes.io/pcieRoot": text(fmt.Sprintf("pci0000:%02x", j)),
				"driverVersion": {VersionValue: ptr("550.127.8")}, "cudaComputeCapability": {VersionValue: ptr("9.0.0")}, "index": {IntValue: ptr(int64(j))},
			},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("81559Mi")}},
		})
	}
	encoded, err := s.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// heapOfSlices fills a store with so many slices, and returns the memory that they take.
func heapOfSlices(t testing.TB, n int, trimmed func(world.Object) world.Object) uint64 {
	t.Helper()
	before, s := heap(), store.New()
	list := world.Listed{Kind: world.ResourceSlice}
	for i := range n {
		slice := &resourcev1.ResourceSlice{}
		if err := slice.Unmarshal(gpuSlice(t, i)); err != nil {
			t.Fatal(err)
		}
		list.Objects = append(list.Objects, trimmed(slice))
	}
	if _, errs := s.Replace(list); len(errs) > 0 {
		t.Fatal(errs[0])
	}
	list = world.Listed{}
	taken := heap() - before
	if s.Len(world.ResourceSlice) != n {
		t.Fatalf("the store holds %d slices", s.Len(world.ResourceSlice))
	}
	return taken
}

// Ten thousand slices with eight devices each have to take less than 260 MB. Half of it are the empty lists of values that each attribute
// has since v0.37 of the API: it is 128 bytes, of which 32 were there before.
func TestLiveObject_SlicesTakeLittleMemory(t *testing.T) {
	const slices, bound = 1_000, 26_000 // bytes for a slice
	if taken := heapOfSlices(t, slices, sharing()); taken > slices*bound {
		t.Errorf("a slice takes %d bytes, want at most %d", taken/slices, bound)
	}
}

func TestPool_LeavesDevicesEqual(t *testing.T) {
	pool := &trim.Pool{}
	check := func(whole world.Object) {
		t.Helper()
		want, got, before := trim.LiveObject(whole), trim.LiveObject(whole), whole.DeepCopyObject()
		pool.Share(got)
		if diff := cmp.Diff(want, got) + cmp.Diff(before, whole); diff != "" {
			t.Fatalf("sharing changes the object, or the parts (-before +after):\n%s", diff)
		}
	}
	for i := range 50 {
		slice := &resourcev1.ResourceSlice{}
		if err := slice.Unmarshal(gpuSlice(t, i)); err != nil {
			t.Fatal(err)
		}
		check(slice)
		parts := slice.DeepCopy()
		parts.Spec.NodeName, parts.Spec.NodeSelector = nil, in("us-east1-b", v1.PersistentVolumeSource{}).Spec.NodeAffinity.Required
		counters := map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(fmt.Sprint(i%3, "Gi"))}}
		parts.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "gpu", Counters: counters}}
		d := &parts.Spec.Devices[0]
		d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "gpu", Counters: counters}}
		d.Taints = []resourcev1.DeviceTaint{{Key: "old", Value: fmt.Sprint(i % 2), Effect: resourcev1.DeviceTaintEffectNoExecute}}
		d.NodeName, d.BindingConditions, d.BindingFailureConditions = ptr("n"), []string{"ready"}, []string{"failed"}
		check(parts)
		check(mk.ResourceClaim(fmt.Sprint(i)).Request("gpu", "gpu", int64(1+i%2)).Obj())
		check(mk.ResourceClaim(fmt.Sprint(i)).Request("gpu", "gpu", 1).Allocated("n", "gpu", "d", "p", fmt.Sprint(i)).ReservedFor("ada").Obj())
	}
}

func BenchmarkLiveObject_HeapOfSlices(b *testing.B) {
	for name, trimmed := range map[string]func(world.Object) world.Object{
		"shared": sharing(), "trimmed": trim.LiveObject, "whole": func(o world.Object) world.Object { return o },
	} {
		b.Run(name, func(b *testing.B) {
			var taken uint64
			for b.Loop() {
				taken = heapOfSlices(b, 10_000, trimmed)
			}
			b.ReportMetric(float64(taken)/1e6, "MB")
		})
	}
}
