package allocate

import (
	"errors"
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// A device that allows several allocations is shared: each claim consumes some of its capacity, as much as it requests, rounded up as the
// device's policy says (policy.go). A device of one claim has to have the capacity, too.

// shareable reports whether several claims may have parts of a device.
func (a *Allocator) shareable(c candidate) bool {
	return a.ConsumableCapacity && ptr.Deref(c.device().AllowMultipleAllocations, false)
}

// hasCapacity reports whether a device has the capacity that a request needs of it, besides what claims consume, and what those at hand do.
func (s *search) hasCapacity(r *request, c candidate) (bool, error) {
	id := c.id()
	return s.suffices(r, c, s.taken.Capacity[id], s.consumed[id])
}

// suffices reports whether a device has capacity for a request beside what is taken and what is being taken of it.
func (a *Allocator) suffices(r *request, c candidate, taken, taking Consumed) (bool, error) {
	needs, err := a.needsOf(r, c)
	if needs == nil || err != nil {
		return false, err
	}
	for _, name := range c.facts().capacities {
		amount, capacity := needs[name], c.device().Capacity[name]
		keeps, err := a.keepsPolicy(amount, capacity.RequestPolicy)
		if err != nil {
			return false, a.capacityError(name, err)
		}
		if !keeps {
			return false, nil
		}
		if used, is := taken[name]; is {
			amount = plus(amount, used)
		}
		if used, is := taking[name]; is {
			amount = plus(amount, used)
		}
		if amount.Cmp(capacity.Value) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// needsOf returns what a request consumes of each capacity of a device: what it requests, or the policy's default, or all. It is nil if
// the device has not got a capacity that is requested.
func (a *Allocator) needsOf(r *request, c candidate) (Consumed, error) {
	var requested map[resourcev1.QualifiedName]resource.Quantity
	if r.capacity != nil {
		requested = r.capacity.Requests
	}
	all := c.device().Capacity
	for name := range requested {
		if _, has := all[name]; !has {
			return nil, nil
		}
	}
	needs := make(Consumed, len(all))
	for _, name := range c.facts().capacities {
		capacity := all[name]
		amount, is := requested[name]
		need, err := a.needOf(amount, is, &capacity)
		if err != nil {
			return nil, a.capacityError(name, err)
		}
		needs[name] = need
	}
	return needs, nil
}

// needOf is what a request consumes of a capacity, of which it requests an amount or none.
func (a *Allocator) needOf(amount resource.Quantity, requested bool, capacity *resourcev1.DeviceCapacity) (need resource.Quantity, err error) {
	if need = unrequested(capacity); requested {
		need, err = a.roundUp(amount, capacity.RequestPolicy)
	}
	if err == nil && a.representable && need.Sign() < 0 {
		err = errNegative
	}
	return need, err
}

// Need returns how much a request consumes of a capacity, of which it requests an amount or none: rounded up as the policy says, and whether
// that allows so much.
func (f Features) Need(amount resource.Quantity, requested bool, capacity *resourcev1.DeviceCapacity) (need resource.Quantity, allowed bool) {
	a := New(Source{Features: f})
	need, err := a.needOf(amount, requested, capacity)
	if err == nil {
		allowed, err = a.keepsPolicy(need, capacity.RequestPolicy)
	}
	return need, allowed && err == nil
}

// unrequested is what a request consumes of a capacity that it does not name.
func unrequested(capacity *resourcev1.DeviceCapacity) resource.Quantity {
	if policy := capacity.RequestPolicy; policy != nil && policy.Default != nil {
		return policy.Default.DeepCopy()
	}
	return capacity.Value.DeepCopy()
}

// The errors of a request, or of a policy, that cannot be calculated with.
var (
	errUnrepresentable = errors.New("capacity request cannot be represented in the device's range arithmetic")
	errNegative        = errors.New("capacity value is negative")
	errPolicy          = errors.New("the range of its request policy has a step without a minimum, or a step of zero: the driver has to change it")
)

func (a *Allocator) capacityError(name resourcev1.QualifiedName, err error) error {
	return fmt.Errorf("capacity %q: %w", name, err)
}
