package device

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

func (c *Controller) handleDeltas(deltas []store.Delta) {
	for _, d := range deltas {
		switch d.Kind {
		case world.Pod:
			c.podChanged(typedDelta[v1.Pod](d))
		case world.ResourceClaim:
			c.claimChanged(typedDelta[resourcev1.ResourceClaim](d))
		case world.ResourceSlice:
			c.sliceChanged(typedDelta[resourcev1.ResourceSlice](d))
		case world.DeviceTaintRule:
			c.ruleChanged(typedDelta[resourcev1alpha3.DeviceTaintRule](d))
		}
	}
}

// typedDelta returns a delta's objects before and after; either may be nil.
func typedDelta[T any](d store.Delta) (old, object *T) {
	old, _ = any(d.Old).(*T)
	object, _ = any(d.New).(*T)
	return old, object
}

// podChanged evaluates a pod that is new on its node or whose claims have changed.
func (c *Controller) podChanged(old, pod *v1.Pod) {
	switch {
	case pod == nil:
		c.podDeleted(old)
		return
	case old != nil && old.DeletionTimestamp == nil && pod.DeletionTimestamp != nil:
		c.record.PodTerminating(pod, evict.DeviceTaint, c.evictor.HasCondition(pod))
	}
	if old == nil || old.Spec.NodeName != pod.Spec.NodeName ||
		!slices.EqualFunc(old.Status.ResourceClaimStatuses, pod.Status.ResourceClaimStatuses, sameClaim) {
		c.evaluate(pod)
	}
}

func sameClaim(a, b v1.PodResourceClaimStatus) bool {
	return a.Name == b.Name && (a.ResourceClaimName == b.ResourceClaimName ||
		a.ResourceClaimName != nil && b.ResourceClaimName != nil && *a.ResourceClaimName == *b.ResourceClaimName)
}

// claimChanged evaluates the pods that a claim is, or was, reserved for.
func (c *Controller) claimChanged(old, claim *resourcev1.ResourceClaim) {
	if claim == nil {
		delete(c.claims, types.NamespacedName{Namespace: old.Namespace, Name: old.Name})
	} else {
		c.updateClaim(claim, c.rules())
	}
	if old != nil && claim != nil && slices.Equal(old.Status.ReservedFor, claim.Status.ReservedFor) {
		old = nil
	}
	c.evaluatePods(old)
	c.evaluatePods(claim)
}

// updateClaim recomputes a claim's deadline and reports whether it has changed.
func (c *Controller) updateClaim(claim *resourcev1.ResourceClaim, rules []*resourcev1alpha3.DeviceTaintRule) bool {
	name := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
	was, is := c.claims[name], (*deadline)(nil)
	if claim.Status.Allocation != nil {
		is = c.claimDeadline(claim, rules)
	}
	if is == nil {
		delete(c.claims, name)
	} else {
		c.claims[name] = is
	}
	return !was.equal(is)
}

// updateClaims recomputes the deadlines of the concerned claims and evaluates the pods of those that changed.
func (c *Controller) updateClaims(concerned func(*resourcev1.ResourceClaim) bool) {
	rules := c.rules()
	for o := range c.store.Objects(world.ResourceClaim) {
		claim := o.(*resourcev1.ResourceClaim)
		if claim.Status.Allocation != nil && concerned(claim) && c.updateClaim(claim, rules) {
			c.evaluatePods(claim)
		}
	}
}

func (c *Controller) sliceChanged(old, slice *resourcev1.ResourceSlice) {
	touched := map[poolID]map[string][]resourcev1.DeviceTaint{}
	for _, s := range []*resourcev1.ResourceSlice{old, slice} {
		if s != nil && touched[poolOf(s)] == nil {
			touched[poolOf(s)] = c.pools.noExecuteTaints(poolOf(s))
		}
	}
	if old != nil {
		c.pools.remove(old)
	}
	if slice != nil {
		c.pools.add(slice)
	}
	for id, before := range touched {
		if sameTaints(before, c.pools.noExecuteTaints(id)) {
			delete(touched, id)
		}
	}
	if len(touched) == 0 {
		return
	}
	c.updateClaims(func(claim *resourcev1.ResourceClaim) bool {
		return slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
			return touched[allocated(&r).poolID] != nil
		})
	})
}

func (c *Controller) ruleChanged(old, rule *resourcev1alpha3.DeviceTaintRule) {
	if rule == nil {
		delete(c.evicted, old.UID)
		delete(c.statuses, old.UID)
		c.statusTimers.Stop(ruleKeyOf(old))
	} else if old == nil || !equality.Semantic.DeepEqual(old.Spec, rule.Spec) {
		c.dirtyRules = append(c.dirtyRules, ruleKeyOf(rule))
	} else {
		return
	}
	c.updateClaims(func(*resourcev1.ResourceClaim) bool { return true })
}

// evaluatePods evaluates every pod that a claim is reserved for.
func (c *Controller) evaluatePods(claim *resourcev1.ResourceClaim) {
	if claim == nil {
		return
	}
	for _, user := range claim.Status.ReservedFor {
		if user.APIGroup != "" || user.Resource != "pods" {
			continue
		}
		if pod := c.store.Pod(claim.Namespace, user.Name); pod != nil && pod.UID == user.UID {
			c.evaluate(pod)
		}
	}
}
