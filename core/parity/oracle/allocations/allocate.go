package allocations

import (
	"context"
	"errors"
	"fmt"
	"math"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// compiled is kube-scheduler's number of compiled expressions, for more than which it would compile them again and again.
const compiled = 100

// caches are the compiled expressions, by whether devices may be shared.
var caches = map[bool]*cel.Cache{}

// Allocate allocates on each node of a case.
func Allocate(c *Case) []Outcome {
	features := structured.Features{
		AdminAccess: c.Features.AdminAccess, ConsumableCapacity: c.Features.ConsumableCapacity, DeviceBindingAndStatus: c.Features.DeviceBindingAndStatus,
		DeviceTaints: c.Features.DeviceTaints, PartitionableDevices: c.Features.PartitionableDevices, PrioritizedList: c.Features.PrioritizedList,
	}
	cache := caches[features.ConsumableCapacity]
	if cache == nil {
		cache = cel.NewCache(compiled, cel.Features{EnableConsumableCapacity: features.ConsumableCapacity})
		caches[features.ConsumableCapacity] = cache
	}
	allocator, err := structured.NewAllocator(context.Background(), features, c.Taken.state(), classes(c.Classes), c.Slices, cache)
	if err != nil {
		return []Outcome{{Error: err.Error()}}
	}
	var all []Outcome
	for _, node := range c.Nodes {
		outcome := allocateOn(allocator, node, c)
		if all = append(all, outcome); outcome.Panic != "" {
			break
		}
	}
	return all
}

func allocateOn(allocator structured.Allocator, node *v1.Node, c *Case) (o Outcome) {
	left := c.Steps
	if left == 0 {
		left = math.MaxInt64
	}
	limit := &Limit{Left: left}
	defer func() {
		limit.settle(resourcev1.CELSelectorExpressionMaxCost)
		o.Steps = left - limit.Left
		switch failure := recover(); failure {
		case nil:
		case errOutOfSteps:
			o.Timeout = true
		default:
			o.Panic = fmt.Sprint(failure)
		}
	}()
	results, err := allocator.Allocate(limit.Context(context.Background()), node, c.Claims)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		o.Timeout = true
	case err != nil:
		o.Error, o.OnNode = err.Error(), errors.Is(err, structured.ErrFailedAllocationOnNode)
	}
	o.Results = results
	for i := range results {
		for j := range results[i].Devices.Results {
			if id := &results[i].Devices.Results[j].ShareID; *id != nil {
				*id = new(types.UID)
			}
		}
	}
	return o
}

func (t *Taken) state() structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices: sets.New[structured.DeviceID](), AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity: structured.NewConsumedCapacityCollection(),
	}
	for _, d := range t.Devices {
		state.AllocatedDevices.Insert(d.id())
	}
	for i, d := range t.Shared {
		part := types.UID(fmt.Sprint(i))
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(d.id(), &part))
	}
	for _, d := range t.Capacity {
		state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(d.id(), d.Capacity))
	}
	return state
}

func (d Device) id() structured.DeviceID { return structured.MakeDeviceID(d.Driver, d.Pool, d.Device) }

// classes lists classes.
type classes []*resourcev1.DeviceClass

func (c classes) List() ([]*resourcev1.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourcev1.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, NoClass(name)
}

// NoClass is the error for a class that does not exist.
type NoClass string

func (name NoClass) Error() string { return "no class " + string(name) }
