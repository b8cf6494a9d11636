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

// deadline is when a pod must be evicted, with the taints that cause it.
type deadline struct {
	at      time.Time
	reasons []reason // in order, each once
}

func (d *deadline) equal(o *deadline) bool {
	if d == nil || o == nil {
		return d == o
	}
	return d.at.Equal(o.at) && slices.Equal(d.reasons, o.reasons)
}

// earliest returns the earlier deadline, or at equal times one with the reasons of both. It changes neither; either may be
// nil.
func (d *deadline) earliest(o *deadline) *deadline {
	switch {
	case d == nil:
		return o
	case o == nil:
		return d
	}
	both := &deadline{at: d.at, reasons: slices.Concat(d.reasons, o.reasons)}
	if o.at.Before(d.at) {
		both.at = o.at
	}
	slices.SortFunc(both.reasons, reason.compare)
	both.reasons = slices.Compact(both.reasons)
	return both
}

// rules returns the rules with the effect NoExecute, by name.
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

// claimDeadline returns when the pods of an allocated claim must be evicted; nil is never.
func (c *Controller) claimDeadline(claim *resourcev1.ResourceClaim, rules []*resourcev1alpha3.DeviceTaintRule) (first *deadline) {
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		id := allocated(result)
		if slice, device := c.pools.find(id); device != nil {
			for j := range device.Taints {
				first = first.earliest(taintDeadline(&device.Taints[j], result.Tolerations, reason{slice: slice.Name, device: id, index: j}))
			}
		}
		for _, rule := range rules {
			if selects(rule, id) {
				first = first.earliest(taintDeadline(ruleTaint(rule), result.Tolerations, reason{rule: ruleKeyOf(rule)}))
			}
		}
	}
	return first
}

// ruleTaint returns the taint that a rule puts on devices, with the effect NoExecute.
func ruleTaint(rule *resourcev1alpha3.DeviceTaintRule) *resourcev1.DeviceTaint {
	t := &rule.Spec.Taint
	return &resourcev1.DeviceTaint{Key: t.Key, Value: t.Value, Effect: resourcev1.DeviceTaintEffectNoExecute, TimeAdded: t.TimeAdded}
}

// taintDeadline returns when a taint evicts pods with these tolerations; nil is never.
func taintDeadline(t *resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration, why reason) *deadline {
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
		return nil // 292 years and more are no limit
	default:
		when = when.Add(time.Duration(shortest) * time.Second)
	}
	return &deadline{at: when, reasons: []reason{why}}
}

// podDeadline returns when a pod must be evicted, given its claims' deadlines; nil is never.
func (c *Controller) podDeadline(pod *v1.Pod, claimDue func(*resourcev1.ResourceClaim) *deadline) (first *deadline) {
	if pod.Spec.NodeName == "" {
		return nil
	}
	for i := range pod.Spec.ResourceClaims {
		name, mustOwn, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil {
			continue // there is no claim yet, or none is needed
		}
		claim, _ := c.store.Object(world.ResourceClaim, pod.Namespace, *name).(*resourcev1.ResourceClaim)
		if claim == nil || claim.Status.Allocation == nil || mustOwn && resourceclaim.IsForPod(pod, claim, false) != nil ||
			!resourceclaim.IsReservedForPod(pod, claim, false) {
			continue
		}
		first = first.earliest(claimDue(claim))
	}
	return first
}

// knownDeadline returns a claim's deadline as last computed.
func (c *Controller) knownDeadline(claim *resourcev1.ResourceClaim) *deadline {
	return c.claims[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}]
}
