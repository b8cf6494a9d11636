package allocate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
)

// hostile is what an allocation reads of a cluster.
type hostile struct {
	Slices  []*resourcev1.ResourceSlice
	Classes []*resourcev1.DeviceClass
	Claims  []*resourcev1.ResourceClaim
}

func (h *hostile) Get(name string) (*resourcev1.DeviceClass, error) {
	for _, class := range h.Classes {
		if class != nil && class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("no class %q", name)
}

// fuzzedSteps is how many steps an allocation of the fuzz target takes at most.
const fuzzedSteps = 2000

// FuzzAllocate reads slices, classes and claims. Whatever they say, an allocation ends after its steps, in each release, and the same input
// has the same result.
//
//orrery:reads core/scheduler/devices/allocate
func FuzzAllocate(f *testing.F) {
	counted := mk.ResourceSlice("s", "gpu", "p").AllNodes().Pool(1, 2).Devices("a", "b", "c")
	counted.Obj().Spec.Devices[0].ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "set"}}
	counters := mk.ResourceSlice("t", "gpu", "p").AllNodes().Pool(1, 2).Obj()
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set"}}
	for _, seed := range []*hostile{
		{
			Slices: []*resourcev1.ResourceSlice{counted.Obj(), counters}, Classes: []*resourcev1.DeviceClass{mk.DeviceClass("c", "true")},
			Claims: []*resourcev1.ResourceClaim{mk.ResourceClaim("x").Request("r", "c", 2).Obj(), mk.ResourceClaim("y").All("all", "c").Obj()},
		},
		{
			Slices:  []*resourcev1.ResourceSlice{mk.ResourceSlice("s", "gpu", "p").Node("n").Devices("a").Attribute("model", "big").Obj()},
			Classes: []*resourcev1.DeviceClass{mk.DeviceClass("c", `device.attributes["gpu"].model == "big"`), mk.DeviceClass("d")},
			Claims:  []*resourcev1.ResourceClaim{mk.ResourceClaim("x").First("r", "d", "c").Matching("gpu/model", "r").Obj()},
		},
	} {
		text, err := json.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint8(63))
		f.Add(text, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, gates uint8) {
		h := &hostile{}
		if json.Unmarshal(text, h) != nil || hasNil(h) {
			return
		}
		on := func(bit int) bool { return gates&(1<<bit) != 0 }
		for _, r := range release.All() {
			features := allocate.Features{
				AdminAccess: on(0), PrioritizedList: on(1), PartitionableDevices: on(2), DeviceTaints: on(3), DeviceBindingAndStatus: on(4), ConsumableCapacity: on(5), Rules: allocate.RulesIn(r),
			}
			first, again := h.allocate(t, features), h.allocate(t, features)
			if first != again {
				t.Errorf("as %v, it is %s and then %s", r, first, again)
			}
		}
	})
}

func hasNil(h *hostile) bool {
	for _, slice := range h.Slices {
		if slice == nil {
			return true
		}
	}
	for _, claim := range h.Claims {
		if claim == nil {
			return true
		}
	}
	return false
}

func (h *hostile) allocate(t *testing.T, features allocate.Features) string {
	allocator := allocate.New(allocate.Source{
		Features: features, Taken: allocate.Taken{Capacity: allocate.Parts{}}, Classes: h, Slices: allocate.PrepareAll(h.Slices), Selectors: allocate.NewSelectors(features),
	})
	limit := &allocate.Limit{Left: fuzzedSteps}
	results, err := allocator.Allocate(context.Background(), limit, mk.Node("n").Obj(), h.Claims)
	switch {
	case limit.Left < 0:
		t.Errorf("%d steps are left", limit.Left)
	case errors.Is(err, allocate.ErrOutOfSteps):
		return "out of steps"
	case err != nil:
		return err.Error()
	case results != nil && len(results) != len(h.Claims):
		t.Errorf("%d claims have %d results", len(h.Claims), len(results))
	}
	for i := range results {
		if n := len(results[i].Devices.Results); n > resourcev1.AllocationResultsMaxSize {
			t.Errorf("a claim has %d devices", n)
		}
	}
	written, err := json.Marshal(results)
	if err != nil {
		t.Error(err)
	}
	return string(written)
}
