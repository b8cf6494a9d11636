package device

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/store"
	"orrery/core/world"
)

func (c *Controller) changed(deltas []store.Delta) {
	for _, d := range deltas {
		switch d.Kind {
		case world.Pod:
			c.podChanged(either[v1.Pod](d))
		case world.ResourceClaim:
			c.claimChanged(either[resourcev1.ResourceClaim](d))
		case world.ResourceSlice:
			c.sliceChanged(either[resourcev1.ResourceSlice](d))
		case world.DeviceTaintRule:
			c.ruleChanged(either[resourcev1alpha3.DeviceTaintRule](d))
		}
	}
}

// either is what a delta changes, from one into the other; one of them may be nil.
func either[T any](d store.Delta) (old, object *T) {
	old, _ = any(d.Old).(*T)
	object, _ = any(d.New).(*T)
	return old, object
}

// podChanged looks at a pod that is new on its node or has other claims than before.
func (c *Controller) podChanged(old, pod *v1.Pod) {
	switch {
	case pod == nil:
		c.podGone(old)
		return
	case old != nil && old.DeletionTimestamp == nil && pod.DeletionTimestamp != nil:
		c.noteDeletion(pod)
	}
	if old == nil || old.Spec.NodeName != pod.Spec.NodeName ||
		!slices.EqualFunc(old.Status.ResourceClaimStatuses, pod.Status.ResourceClaimStatuses, sameClaim) {
		c.judge(pod)
	}
}

func sameClaim(a, b v1.PodResourceClaimStatus) bool {
	return a.Name == b.Name && (a.ResourceClaimName == b.ResourceClaimName ||
		a.ResourceClaimName != nil && b.ResourceClaimName != nil && *a.ResourceClaimName == *b.ResourceClaimName)
}

// claimChanged looks at the pods that a claim is, or was, reserved for.
func (c *Controller) claimChanged(old, claim *resourcev1.ResourceClaim) {
	if claim == nil {
		delete(c.claims, types.NamespacedName{Namespace: old.Namespace, Name: old.Name})
	} else {
		c.revise(claim, c.rules())
	}
	if old != nil && claim != nil && slices.Equal(old.Status.ReservedFor, claim.Status.ReservedFor) {
		old = nil
	}
	c.judgePods(old)
	c.judgePods(claim)
}

// revise works out anew when a claim is due, and says whether that has changed.
func (c *Controller) revise(claim *resourcev1.ResourceClaim, rules []*resourcev1alpha3.DeviceTaintRule) bool {
	name := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
	was, is := c.claims[name], (*due)(nil)
	if claim.Status.Allocation != nil {
		is = c.claimDue(claim, rules)
	}
	if is == nil {
		delete(c.claims, name)
	} else {
		c.claims[name] = is
	}
	return !was.equal(is)
}

// reviseAll works out anew when claims are due, and looks at the pods of those for which that has changed.
func (c *Controller) reviseAll(concerned func(*resourcev1.ResourceClaim) bool) {
	rules := c.rules()
	for o := range c.store.Objects(world.ResourceClaim) {
		claim := o.(*resourcev1.ResourceClaim)
		if claim.Status.Allocation != nil && concerned(claim) && c.revise(claim, rules) {
			c.judgePods(claim)
		}
	}
}

func (c *Controller) sliceChanged(old, slice *resourcev1.ResourceSlice) {
	touched := map[poolID]map[string][]resourcev1.DeviceTaint{}
	for _, s := range []*resourcev1.ResourceSlice{old, slice} {
		if s != nil && touched[poolOf(s)] == nil {
			touched[poolOf(s)] = c.pools.evicting(poolOf(s))
		}
	}
	if old != nil {
		c.pools.remove(old)
	}
	if slice != nil {
		c.pools.add(slice)
	}
	for id, before := range touched {
		if sameTaints(before, c.pools.evicting(id)) {
			delete(touched, id)
		}
	}
	if len(touched) == 0 {
		return
	}
	c.reviseAll(func(claim *resourcev1.ResourceClaim) bool {
		return slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
			return touched[allocated(&r).poolID] != nil
		})
	})
}

func (c *Controller) ruleChanged(old, rule *resourcev1alpha3.DeviceTaintRule) {
	if rule == nil {
		delete(c.evicted, old.UID)
		delete(c.statuses, old.UID)
		c.reports.Stop(nameOf(old))
	} else if old == nil || !equality.Semantic.DeepEqual(old.Spec, rule.Spec) {
		c.fresh = append(c.fresh, nameOf(rule))
	} else {
		return
	}
	c.reviseAll(func(*resourcev1.ResourceClaim) bool { return true })
}

// judgePods looks at every pod that a claim is reserved for.
func (c *Controller) judgePods(claim *resourcev1.ResourceClaim) {
	if claim == nil {
		return
	}
	for _, user := range claim.Status.ReservedFor {
		if user.APIGroup != "" || user.Resource != "pods" {
			continue
		}
		if pod := c.store.Pod(claim.Namespace, user.Name); pod != nil && pod.UID == user.UID {
			c.judge(pod)
		}
	}
}
