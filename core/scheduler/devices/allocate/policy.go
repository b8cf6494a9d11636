package allocate

import (
	"fmt"
	"math"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// roundUp returns what a policy makes of a requested amount: the next step of its range, or the next of its valid values.
func (a *Allocator) roundUp(amount resource.Quantity, policy *resourcev1.CapacityRequestPolicy) (resource.Quantity, error) {
	switch {
	case policy == nil:
	case policy.ValidRange != nil && policy.ValidRange.Min != nil:
		return a.roundUpInRange(amount, policy.ValidRange)
	case policy.ValidValues != nil:
		for _, value := range policy.ValidValues {
			if amount.Cmp(value) <= 0 {
				return value.DeepCopy(), nil
			}
		}
	}
	return amount, nil
}

func (a *Allocator) roundUpInRange(amount resource.Quantity, in *resourcev1.CapacityRequestPolicyRange) (resource.Quantity, error) {
	switch {
	case amount.Cmp(*in.Min) < 0:
		return in.Min.DeepCopy(), nil
	case in.Step == nil:
		return amount, nil
	case in.Step.Value() == 0:
		return amount, errPolicy
	case a.representable && amount.CmpInt64(math.MaxInt64) > 0:
		return amount, fmt.Errorf("%w: request %s exceeds MaxInt64", errUnrepresentable, amount.String())
	}
	least, step := in.Min.Value(), in.Step.Value()
	steps, rest := (amount.Value()-least)/step, (amount.Value()-least)%step
	if rest != 0 {
		steps++
	}
	if a.representable && least >= 0 && steps > (math.MaxInt64-least)/step {
		return amount, fmt.Errorf("%w: rounding request %s up to the next step passes MaxInt64", errUnrepresentable, amount.String())
	}
	format := resource.BinarySI
	if a.representable {
		format = in.Step.Format
	}
	return *resource.NewQuantity(least+step*steps, format), nil
}

// keepsPolicy reports whether a policy allows an amount.
func (a *Allocator) keepsPolicy(amount resource.Quantity, policy *resourcev1.CapacityRequestPolicy) (bool, error) {
	switch {
	case policy == nil || policy.Default != nil && amount == *policy.Default:
	case policy.ValidRange != nil:
		return inRange(amount, policy.ValidRange)
	case len(policy.ValidValues) > 0:
		for _, value := range policy.ValidValues {
			if amount.Cmp(value) == 0 {
				return true, nil
			}
		}
		return false, nil
	}
	return true, nil
}

func inRange(amount resource.Quantity, in *resourcev1.CapacityRequestPolicyRange) (bool, error) {
	switch {
	case in.Max != nil && amount.Cmp(*in.Max) > 0:
		return false, nil
	case in.Step == nil:
		return true, nil
	case in.Min == nil || in.Step.Value() == 0:
		return false, errPolicy
	}
	return (amount.Value()-in.Min.Value())%in.Step.Value() == 0, nil
}
