package device

import (
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/world"
)

// due is when somebody must leave, and everything that calls for it.
type due struct {
	when    time.Time
	reasons []reason // in order, each once
}

func (d *due) equal(o *due) bool {
	if d == nil || o == nil {
		return d == o
	}
	return d.when.Equal(o.when) && slices.Equal(d.reasons, o.reasons)
}

// or is what is due first of two, for the reasons of both. Neither is changed, and either may be nil.
func (d *due) or(o *due) *due {
	switch {
	case d == nil:
		return o
	case o == nil:
		return d
	}
	both := &due{when: d.when, reasons: slices.Concat(d.reasons, o.reasons)}
	if o.when.Before(d.when) {
		both.when = o.when
	}
	slices.SortFunc(both.reasons, reason.compare)
	both.reasons = slices.Compact(both.reasons)
	return both
}

// rules are those with the effect NoExecute, in the order of their names.
func (c *Controller) rules() []*resourcev1alpha3.DeviceTaintRule {
	var evicting []*resourcev1alpha3.DeviceTaintRule
	for o := range c.store.Objects(world.DeviceTaintRule) {
		rule := o.(*resourcev1alpha3.DeviceTaintRule)
		if rule.Spec.Taint.Effect == resourcev1alpha3.DeviceTaintEffectNoExecute {
			evicting = append(evicting, rule)
		}
	}
	return evicting
}

// claimDue is when the pods of an allocated claim must leave: nil is never.
func (c *Controller) claimDue(claim *resourcev1.ResourceClaim, rules []*resourcev1alpha3.DeviceTaintRule) (first *due) {
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		id := allocated(result)
		if slice, device := c.pools.find(id); device != nil {
			for j := range device.Taints {
				first = first.or(taintDue(&device.Taints[j], result.Tolerations, reason{slice: slice.Name, device: id, index: j}))
			}
		}
		for _, rule := range rules {
			if selects(rule, id) {
				first = first.or(taintDue(ruleTaint(rule), result.Tolerations, reason{rule: nameOf(rule)}))
			}
		}
	}
	return first
}

// ruleTaint is the taint that a rule puts on devices, as one that makes pods leave.
func ruleTaint(rule *resourcev1alpha3.DeviceTaintRule) *resourcev1.DeviceTaint {
	t := &rule.Spec.Taint
	return &resourcev1.DeviceTaint{Key: t.Key, Value: t.Value, Effect: resourcev1.DeviceTaintEffectNoExecute, TimeAdded: t.TimeAdded}
}

// taintDue is when a taint makes whoever has these tolerations leave: nil is never.
func taintDue(t *resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration, why reason) *due {
	if t.Effect != resourcev1.DeviceTaintEffectNoExecute || t.TimeAdded == nil {
		return nil
	}
	why.taint = taintText(t)
	when, shortest := t.TimeAdded.Time, int64(math.MaxInt64)
	for i := range tolerations {
		if !resourceclaim.ToleratesTaint(tolerations[i], *t) {
			continue
		}
		seconds := tolerations[i].TolerationSeconds
		if seconds == nil {
			return nil
		}
		shortest = min(shortest, max(*seconds, 0))
	}
	switch {
	case shortest == math.MaxInt64:
	case shortest > math.MaxInt64/int64(time.Second):
		return nil // 292 years and more are for ever
	default:
		when = when.Add(time.Duration(shortest) * time.Second)
	}
	return &due{when: when, reasons: []reason{why}}
}

// podDue is when a pod must leave, given when its claims are due: nil is never.
func (c *Controller) podDue(pod *v1.Pod, claimDue func(*resourcev1.ResourceClaim) *due) (first *due) {
	if pod.Spec.NodeName == "" {
		return nil
	}
	for i := range pod.Spec.ResourceClaims {
		name, mustOwn, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil {
			continue // there is no claim yet, or none is needed
		}
		claim, _ := c.store.Object(world.ResourceClaim, pod.Namespace, *name).(*resourcev1.ResourceClaim)
		if claim == nil || claim.Status.Allocation == nil || mustOwn && resourceclaim.IsForPod(pod, claim) != nil ||
			!resourceclaim.IsReservedForPod(pod, claim) {
			continue
		}
		first = first.or(claimDue(claim))
	}
	return first
}

// known is when a claim is due, as worked out when something about it last changed.
func (c *Controller) known(claim *resourcev1.ResourceClaim) *due {
	return c.claims[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}]
}
