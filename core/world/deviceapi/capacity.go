package deviceapi

import (
	"fmt"
	"strconv"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxValues is how many values a policy may list.
const maxValues = 10

// capacity checks a capacity. Only that of a device that several claims may share has a policy of what they may request.
func capacity(c *resourcev1.DeviceCapacity, shared bool, path *field.Path) field.ErrorList {
	p := c.RequestPolicy
	if p == nil {
		return nil
	}
	path = path.Child("requestPolicy")
	const required = "required when %s is defined"
	switch {
	case !shared:
		return field.ErrorList{field.Forbidden(path, "allowMultipleAllocations must be true")}
	case len(p.ValidValues) > 0 && p.ValidRange != nil:
		return field.ErrorList{field.Forbidden(path,
			`exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`)}
	case len(p.ValidValues) > 0 && p.Default == nil:
		return field.ErrorList{field.Required(path.Child("default"), fmt.Sprintf(required, "validValues"))}
	case len(p.ValidValues) > 0:
		return validValues(*p.Default, c.Value, p.ValidValues, path.Child("validValues"))
	case p.ValidRange != nil && p.Default == nil:
		return field.ErrorList{field.Required(path.Child("default"), fmt.Sprintf(required, "validRange"))}
	case p.ValidRange != nil:
		return validRange(*p.Default, c.Value, p.ValidRange, path.Child("validRange"))
	}
	return nil
}

// validValues checks a list of what may be requested: it ascends, none is more than there is, and the default is one of them.
func validValues(byDefault, whole resource.Quantity, values []resource.Quantity, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for i := 1; i < len(values); i++ {
		if values[i-1].Cmp(values[i]) > 0 {
			wrong = append(wrong, field.Invalid(path.Index(i), values[i].String(), "values must be sorted in ascending order"))
		}
	}
	hasDefault := false
	wrong = append(wrong, eachOnce(values, maxValues, path,
		func(q *resource.Quantity) string { return strconv.FormatInt(q.Value(), 10) },
		func(q *resource.Quantity, at *field.Path) field.ErrorList {
			hasDefault = hasDefault || q.Cmp(byDefault) == 0
			return notAbove(*q, whole, at, "option is larger than capacity value: %s")
		})...)
	if !hasDefault {
		wrong = append(wrong, field.Invalid(path, byDefault.String(), "default value is not valid according to the requestPolicy"))
	}
	return wrong
}

// notAbove rejects a quantity that is more than another one, which the message names.
func notAbove(q, most resource.Quantity, path *field.Path, message string) field.ErrorList {
	if q.Cmp(most) <= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, q.String(), fmt.Sprintf(message, most.String()))}
}

// validRange checks a range of what may be requested, perhaps in steps.
func validRange(byDefault, whole resource.Quantity, r *resourcev1.CapacityRequestPolicyRange, path *field.Path) field.ErrorList {
	least := path.Child("min")
	if r.Min == nil {
		return field.ErrorList{field.Required(least, "required when validRange is defined")}
	}
	wrong := notAbove(*r.Min, whole, least, "min is larger than capacity value: %s")
	if byDefault.Cmp(*r.Min) < 0 {
		wrong = append(wrong, field.Invalid(least, byDefault.String(), "default is less than min: "+r.Min.String()))
	}
	if r.Max != nil {
		most := path.Child("max")
		wrong = append(wrong, notAbove(*r.Min, *r.Max, most, "min is larger than max: %s")...)
		wrong = append(wrong, notAbove(*r.Max, whole, most, "max is larger than capacity value: %s")...)
		wrong = append(wrong, notAbove(byDefault, *r.Max, most, "default is more than max: %s")...)
	}
	if r.Step == nil {
		return wrong
	}
	step := path.Child("step")
	first := r.Min.DeepCopy()
	if first.Add(*r.Step); first.Cmp(whole) > 0 {
		wrong = append(wrong, field.Invalid(step, r.Step.String(),
			fmt.Sprintf("one step %s is larger than capacity value: %s", first.String(), whole.String())))
	}
	wrong = append(wrong, onStep(byDefault, r, step)...)
	if r.Max != nil {
		wrong = append(wrong, onStep(*r.Max, r, step)...)
	}
	return wrong
}

// onStep checks that a quantity is a number of steps above the least. A step of nothing reaches the least alone, though the API
// server does not survive it.
func onStep(q resource.Quantity, r *resourcev1.CapacityRequestPolicyRange, path *field.Path) field.ErrorList {
	above, step := q.Value()-r.Min.Value(), r.Step.Value()
	if step == 0 && above == 0 || step != 0 && above%step == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, q.String(),
		fmt.Sprintf("value is not a multiple of a given step (%s) from (%s)", r.Step.String(), r.Min.String()))}
}
