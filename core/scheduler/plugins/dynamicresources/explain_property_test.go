package dynamicresources_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/plugins/dynamicresources/shortage"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// drawSlice draws the devices of a node: of two models, some tainted, some shared, some parts of one device, which share a counter. Some
// are taken by claims, which are returned, too.
func drawSlice(rng *rand.Rand, node string) []world.Object {
	b := mk.ResourceSlice(node, driver, node).Node(node)
	var objects []world.Object
	for i := range 1 + rng.IntN(4) {
		name := fmt.Sprint("d", i)
		b.Devices(name).Attribute("model", []string{"large", "small"}[rng.IntN(2)])
		if rng.IntN(4) == 0 {
			b.Taint("hot", resourcev1.DeviceTaintEffectNoSchedule)
		}
		device := &b.Obj().Spec.Devices[i]
		memory := resource.MustParse([]string{"20Gi", "40Gi"}[rng.IntN(2)])
		device.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: memory}}
		shared := rng.IntN(3) == 0
		device.AllowMultipleAllocations = ptr.To(shared)
		if !shared && rng.IntN(2) == 0 {
			device.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: memory}}}}
		}
		if rng.IntN(3) > 0 {
			continue
		}
		claim := mk.ResourceClaim(node+name).Request("r", "gpu", 1).Allocated(node, "r", driver, node, name).Obj()
		if result := &claim.Status.Allocation.Devices.Results[0]; shared {
			result.ShareID = ptr.To(claim.UID)
			result.ConsumedCapacity = map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse("15Gi")}
		}
		objects = append(objects, claim)
	}
	slice := b.Obj()
	slice.Spec.Pool.ResourceSliceCount = 2
	counters := mk.ResourceSlice(node+"-counters", driver, node).Node(node).Pool(slice.Spec.Pool.Generation, 2).Obj()
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("60Gi")}}}}
	return append(objects, slice, counters)
}

// Of a request for one device the allocator finds one just where an inspection finds one that serves it, and where it does not the evidence is
// about that request. There is one exception: the allocator counts a tainted device that consumes counters as if it had taken it.
func TestExplain_AgreesWithAllocator(t *testing.T) {
	rejected := map[string]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		claim := mk.ResourceClaim("c").Request("r", "gpu", 1, []string{`device.attributes["d.example.com"].model == "large"`, "true"}[rng.IntN(2)]).Obj()
		if rng.IntN(2) == 0 {
			claim.Spec.Devices.Requests[0].Exactly.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse("10Gi")}}
		}
		f := newFixture(t, "DRADeviceTaints DRAConsumableCapacity DRAPartitionableDevices", mk.DeviceClass("gpu"), claim)
		rejection := framework.Rejection{}
		for i := range 4 {
			name := fmt.Sprint("n", i)
			for _, o := range drawSlice(rng, name) {
				f.apply(world.Added, o)
			}
			rejection.All = append(rejection.All, nodeInfo(mk.Node(name).Obj()))
		}
		pod := mk.Pod("p").ResourceClaim("c").Obj()
		state, text := f.cycle(pod)
		if text != "" {
			t.Fatalf("seed %d: %s", seed, text)
		}
		for _, info := range rejection.All {
			if status := f.plugin.Filter(t.Context(), state, pod, info); !status.IsSuccess() {
				rejection.Nodes = append(rejection.Nodes, framework.RejectedNode{NodeInfo: info, Reasons: status.Reasons()})
			}
		}
		evidence := f.plugin.Explain(t.Context(), state, pod, rejection)
		in := shortage.Of(state, shortage.Source{
			Devices: f.state, Features: dynamicresources.AllocatorFeatures(f.features), Pod: pod, Nodes: rejection.All, PodNamed: func(string, string) *v1.Pod { return nil },
		})
		for _, info := range rejection.All {
			on := in.On(info)
			serves := slices.ContainsFunc(on, func(d shortage.DeviceOn) bool { return d.Trouble == "" })
			is := slices.Contains(rejection.Names(), info.Node().Name)
			counted := slices.ContainsFunc(evidence, func(e framework.Evidence) bool {
				return e.Code == shortage.NotAll && strings.Contains(e.Predicate, "counts against the counters of set set although it is not taken") && slices.Contains(e.Nodes, info.Node().Name)
			})
			if serves == is && !counted {
				t.Errorf("seed %d: %s is rejected: %t; its devices are %+v", seed, info.Node().Name, is, on)
			}
		}
		checkCodes(t, seed, evidence, rejection.Nodes, rejected)
	}
	if rejected[shortage.None] < 50 || rejected[shortage.NotFree] < 50 || rejected[shortage.NotAll] == 0 || rejected[shortage.NotAll] > 10 {
		t.Errorf("nodes are rejected for %v", rejected)
	}
}

// checkCodes checks that each rejected node is in just one evidence, and counts them by code.
func checkCodes(t *testing.T, seed uint64, evidence []framework.Evidence, nodes []framework.RejectedNode, rejected map[string]int) {
	t.Helper()
	for i := range nodes {
		var codes []string
		for _, e := range evidence {
			if slices.Contains(e.Nodes, nodes[i].Name()) {
				codes = append(codes, e.Code)
				rejected[e.Code]++
			}
		}
		if len(codes) != 1 {
			t.Errorf("seed %d: %s is rejected for %q", seed, nodes[i].Name(), codes)
		}
	}
}
