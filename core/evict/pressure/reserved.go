package pressure

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// reservable are the resources that can be reserved for what are no pods.
var reservable = []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage, "pid"}

// reserved returns how much is reserved for Kubernetes' own daemons and for the system together.
func (c Configuration) reserved() (v1.ResourceList, error) {
	sum := v1.ResourceList{}
	for _, given := range []map[v1.ResourceName]string{c.KubeReserved, c.SystemReserved} {
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(reservable, name) {
				return nil, fmt.Errorf("cannot reserve %s: only %v", quoteUnprintable(string(name)), reservable)
			}
			q, err := parseQuantity(Signal(name), given[name])
			if err != nil {
				return nil, err
			}
			if q.Sign() < 0 {
				return nil, fmt.Errorf("cannot reserve %s of %s: it is negative", q, name)
			}
			had := sum[name]
			had.Add(*q)
			sum[name] = had
		}
	}
	return sum, nil
}

// Reserves reports whether anything is reserved.
func (c Configuration) Reserves() bool { return len(c.KubeReserved)+len(c.SystemReserved) > 0 }

// Allocatable returns what of a node's capacity pods may request: without what is reserved, and without what hard thresholds
// of memory and of the node's filesystem keep free. It fails for what Load would not take.
func (c Configuration) Allocatable(capacity v1.ResourceList) (v1.ResourceList, error) {
	kept, err := c.reserved()
	if err != nil {
		return nil, err
	}
	thresholds, err := c.Thresholds()
	if err != nil {
		return nil, err
	}
	for _, t := range thresholds {
		if of := t.Signal.Resource(); t.Hard() && (t.Signal == MemoryAvailable || t.Signal == NodeFsAvailable) {
			more := kept[of]
			more.Add(t.Value.Of(capacity[of]))
			kept[of] = more
		}
	}
	left := v1.ResourceList{}
	for name, q := range capacity {
		q = q.DeepCopy()
		q.Sub(kept[name])
		if q.Sign() < 0 {
			q = resource.Quantity{Format: q.Format}
		}
		left[name] = q
	}
	return left, nil
}
