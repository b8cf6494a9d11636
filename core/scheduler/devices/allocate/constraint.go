package allocate

import (
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"
)

// constraint is a condition on the devices of some requests of a claim, or of all, by the value of an attribute.
type constraint struct {
	requests  []string // all without any
	attribute resourcev1.FullyQualifiedName
	distinct  bool
	pairwise  bool // distinct values are compared with those of all devices, not of the last one of each request

	count  int
	values []constrained // of all devices if pairwise, else of the last one of each request; one, if they have to match
}

type constrained struct {
	request string
	value   *resourcev1.DeviceAttribute
}

// constraintsOf reads the constraints of a claim.
func (a *Allocator) constraintsOf(claim *resourcev1.ResourceClaim) ([]*constraint, error) {
	all := make([]*constraint, len(claim.Spec.Devices.Constraints))
	for i := range claim.Spec.Devices.Constraints {
		spec := &claim.Spec.Devices.Constraints[i]
		c := &constraint{requests: spec.Requests, pairwise: a.distinctPairwise}
		switch {
		case spec.MatchAttribute != nil:
			c.attribute = *spec.MatchAttribute
		case spec.DistinctAttribute != nil && a.late:
			c.attribute, c.distinct = *spec.DistinctAttribute, true
		default:
			return nil, fmt.Errorf("claim %s, constraint #%d: empty constraint (unsupported constraint type?)", klog.KObj(claim), i)
		}
		all[i] = c
	}
	return all, nil
}

// applies reports whether the constraint is about a request, or about the alternative of it that was chosen.
func (c *constraint) applies(r *request) bool {
	return len(c.requests) == 0 || slices.Contains(c.requests, r.base()) || r.alternative() != "" && slices.Contains(c.requests, r.base()+"/"+r.alternative())
}

// add takes a device in, and reports whether the constraint allows that.
func (c *constraint) add(r *request, d candidate) bool {
	if !c.applies(r) {
		return true
	}
	value := attributeOf(d, c.attribute)
	switch {
	case value == nil:
		return false
	case !c.distinct && c.count == 0:
		c.values = append(c.values[:0], constrained{value: value})
	case !c.distinct && !sameValue(value, c.values[0].value):
		return false
	case c.distinct && (c.pairwise || c.count > 0) && c.has(value):
		return false
	}
	c.count++
	if c.distinct {
		c.keep(r, value)
	}
	return true
}

// has reports whether a device has the value already. A value of no known type is taken for one.
func (c *constraint) has(value *resourcev1.DeviceAttribute) bool {
	known := value.StringValue != nil || value.IntValue != nil || value.BoolValue != nil || value.VersionValue != nil
	return slices.ContainsFunc(c.values, func(other constrained) bool { return !known || sameValue(value, other.value) })
}

func (c *constraint) keep(r *request, value *resourcev1.DeviceAttribute) {
	if at := c.of(r); at >= 0 && !c.pairwise {
		c.values[at].value = value
		return
	}
	c.values = append(c.values, constrained{r.base(), value})
}

func (c *constraint) of(r *request) int {
	return slices.IndexFunc(c.values, func(one constrained) bool { return one.request == r.base() })
}

// remove takes back the last device that was added for a request.
func (c *constraint) remove(r *request) {
	if !c.applies(r) {
		return
	}
	c.count--
	switch at := c.of(r); {
	case !c.distinct:
	case c.pairwise:
		c.values = c.values[:len(c.values)-1]
	case at >= 0:
		c.values = slices.Delete(c.values, at, at+1)
	}
}

// sameValue reports whether two attributes have the same value. Versions are in their shortest form, so that their texts compare.
func sameValue(a, b *resourcev1.DeviceAttribute) bool {
	switch {
	case a.StringValue != nil:
		return b.StringValue != nil && *a.StringValue == *b.StringValue
	case a.IntValue != nil:
		return b.IntValue != nil && *a.IntValue == *b.IntValue
	case a.BoolValue != nil:
		return b.BoolValue != nil && *a.BoolValue == *b.BoolValue
	case a.VersionValue != nil:
		return b.VersionValue != nil && *a.VersionValue == *b.VersionValue
	}
	return false
}

// attributeOf is the attribute of a device by its full name; those of the driver's own domain may lack it. It is nil without the attribute.
func attributeOf(d candidate, name resourcev1.FullyQualifiedName) *resourcev1.DeviceAttribute {
	all := d.device().Attributes
	if value, has := all[resourcev1.QualifiedName(name)]; has {
		return &value
	}
	domain, id, qualified := strings.Cut(string(name), "/")
	if !qualified || domain != d.slice.Spec.Driver {
		return nil
	}
	if value, has := all[resourcev1.QualifiedName(id)]; has {
		return &value
	}
	return nil
}
