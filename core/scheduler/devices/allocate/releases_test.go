package allocate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
)

const driver = "gpu.example.com"

// shareable is a slice with two devices that can be shared.
func shareable(name string) *resourcev1.ResourceSlice {
	s := mk.ResourceSlice(name, driver, "p").Node("n").Devices("a", "b").Obj()
	for i := range s.Spec.Devices {
		d := &s.Spec.Devices[i]
		d.AllowMultipleAllocations = ptr.To(true)
		d.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("8Gi")}}
	}
	return s
}

// counted are two slices of a driver's pool "p": a counter of 8Gi, and a device that consumes 6Gi of it.
func counted(driver string) []*resourcev1.ResourceSlice {
	memory := func(amount string) map[string]resourcev1.Counter {
		return map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(amount)}}
	}
	counters := mk.ResourceSlice("counters of "+driver, driver, "p").Node("n").Pool(1, 2).Obj()
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set", Counters: memory("8Gi")}}
	devices := mk.ResourceSlice("devices of "+driver, driver, "p").Node("n").Pool(1, 2).Devices("a").Obj()
	devices.Spec.Devices[0].ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "set", Counters: memory("6Gi")}}
	return []*resourcev1.ResourceSlice{counters, devices}
}

func needs(amount string) *resourcev1.CapacityRequirements {
	return &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(amount)}}
}

// Each case shows a rule: the releases from its first one on allocate otherwise than those before. core/parity/allocate holds all of it
// against the releases themselves.
func TestAllocate_FollowsRules(t *testing.T) {
	everything := allocate.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, DeviceBindingAndStatus: true, ConsumableCapacity: true}
	plain := mk.ResourceSlice("s", driver, "p").Node("n").Devices("a").Attribute("model", "x").Devices("b").Attribute("model", "y").Devices("c").Attribute("model", "x").Obj()
	parts := mk.ResourceClaim("c").Request("r", "any", 2).Obj()
	parts.Spec.Devices.Requests[0].Exactly.Capacity = needs("2Gi")
	all := mk.ResourceClaim("c").All("r", "any").Obj()
	all.Spec.Devices.Requests[0].Exactly.Capacity = needs("2Gi")
	distinct := mk.ResourceClaim("c").Request("r", "any", 3).Obj()
	distinct.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{DistinctAttribute: ptr.To(resourcev1.FullyQualifiedName(driver + "/model"))}}
	configured := mk.ResourceClaim("c").Request("r0", "any", 1).Request("r1", "any", 1).Obj()
	configured.Spec.Devices.Config = []resourcev1.DeviceClaimConfiguration{{Requests: []string{"r0", "r1"}}}
	tooMuch := mk.ResourceClaim("c").Request("r", "any", 1).Obj()
	tooMuch.Spec.Devices.Requests[0].Exactly.Capacity = needs("-1Gi")
	alternatives := mk.ResourceClaim("c").First("r", "none", "any").Obj()
	alternatives.Spec.Devices.Requests[0].FirstAvailable[1].AllocationMode = resourcev1.DeviceAllocationModeAll
	for _, tt := range []struct {
		rule   release.Rule
		slices []*resourcev1.ResourceSlice
		claim  *resourcev1.ResourceClaim
		taken  allocate.Taken
		before string
		after  string
	}{
		{rule: release.DevicesInCombinations, slices: []*resourcev1.ResourceSlice{shareable("s")}, claim: parts, before: "r=a r=a", after: "r=a r=b"},
		{rule: release.AlternativesForAllDevices, slices: []*resourcev1.ResourceSlice{plain}, claim: alternatives, before: "r/any=a", after: "r/any=a r/any=b r/any=c"},
		{rule: release.AlternativesForAllDevices, slices: counted("x"), claim: mk.ResourceClaim("c").All("r", "any").Obj(), before: "the allocator failed", after: "r=a"},
		{
			rule: release.CountersByDriver, slices: append(counted("x"), counted("y")...), claim: mk.ResourceClaim("c").Request("r", "any", 2).Obj(),
			before: "none", after: "r=a r=a",
		},
		{
			rule: release.AllDevicesWithUsedOnes, slices: []*resourcev1.ResourceSlice{shareable("s")}, claim: all, before: "r=b", after: "none",
			taken: allocate.Taken{Capacity: allocate.Parts{allocate.MakeDeviceID(driver, "p", "a"): {"memory": resource.MustParse("7Gi")}}},
		},
		{rule: release.CapacityRepresentable, slices: []*resourcev1.ResourceSlice{shareable("s")}, claim: tooMuch, before: "r=a", after: "capacity value is negative"},
		{rule: release.DistinctInRequest, slices: []*resourcev1.ResourceSlice{plain}, claim: distinct, before: "r=a r=b r=c", after: "none"},
		{rule: release.ConfigurationsOnce, slices: []*resourcev1.ResourceSlice{plain}, claim: configured, before: "r0=a r1=b; for [r0 r1]; for [r0 r1]", after: "r0=a r1=b; for []"},
		{
			rule: release.DeviceLimitByRequest, slices: []*resourcev1.ResourceSlice{plain}, claim: mk.ResourceClaim("c").Request("r", "any", 33).Obj(),
			before: "number of requested devices 33 exceeds", after: "adding 33 devices exceeds",
		},
		{
			rule: release.SelectorErrorsNameDevice, slices: []*resourcev1.ResourceSlice{plain}, claim: mk.ResourceClaim("c").Request("r", "any", 1, `device.attributes["x"].y`).Obj(),
			before: "selector #0: CEL runtime error", after: "selector #0 on device gpu.example.com/p/a: CEL runtime error",
		},
	} {
		t.Run(tt.rule.String(), func(t *testing.T) {
			for _, r := range release.All() {
				features, want := everything, tt.before
				if features.Rules = allocate.RulesIn(r); tt.rule.In(r) {
					want = tt.after
				}
				allocator := allocate.New(allocate.Source{
					Features: features, Taken: tt.taken, Classes: &hostile{Classes: []*resourcev1.DeviceClass{mk.DeviceClass("any", "true"), mk.DeviceClass("none", "false")}},
					Slices: allocate.PrepareAll(tt.slices), Selectors: allocate.NewSelectors(features),
				})
				results, err := allocator.Allocate(context.Background(), nil, mk.Node("n").Obj(), []*resourcev1.ResourceClaim{tt.claim})
				if got := described(results, err); got != want && (err == nil || !strings.Contains(got, want)) {
					t.Errorf("as %s, it is %q, want %q", r, got, want)
				}
			}
		})
	}
}

// described are the devices of the only claim, and the requests that configurations are for.
func described(results []resourcev1.AllocationResult, err error) string {
	if err != nil {
		return err.Error()
	}
	if len(results) == 0 {
		return "none"
	}
	var devices []string
	for _, d := range results[0].Devices.Results {
		devices = append(devices, d.Request+"="+d.Device)
	}
	text := strings.Join(devices, " ")
	for _, config := range results[0].Devices.Config {
		text += fmt.Sprint("; for ", config.Requests)
	}
	return text
}
