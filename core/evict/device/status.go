package device

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/plural"
	"orrery/core/world"
)

// reportPeriod is the shortest time between two changes of a rule's condition, unless its spec changes.
const reportPeriod = 10 * time.Second

// ruleKey names one rule; the UID distinguishes rules of the same name.
type ruleKey struct {
	name string
	uid  types.UID
}

func ruleKeyOf(r *resourcev1alpha3.DeviceTaintRule) ruleKey { return ruleKey{r.Name, r.UID} }

// updateStatus decides a rule's condition, or when to decide it.
func (c *Controller) updateStatus(name ruleKey) {
	rule, _ := c.store.Object(world.DeviceTaintRule, "", name.name).(*resourcev1alpha3.DeviceTaintRule)
	if rule == nil || rule.UID != name.uid {
		return
	}
	had, has := c.conditionOf(rule)
	if next := had.LastTransitionTime.Add(reportPeriod); has && had.ObservedGeneration == rule.Generation && c.now.Before(next) {
		c.statusTimers.SetNoLater(name, next)
		return
	}
	is := c.condition(rule)
	is.LastTransitionTime = had.LastTransitionTime
	if is == had {
		return
	}
	is.LastTransitionTime = metav1.Time{Time: c.now.Truncate(time.Second)}
	c.statuses[rule.UID] = is
	if !c.options.Act {
		return
	}
	c.writes[c.evictor.Emit(c.now, world.SetRuleCondition{Rule: world.ObjectRefOf(rule), Condition: is})] = name
}

// statusWritten forgets a condition that could not be written, so that it is decided again after reportPeriod.
func (c *Controller) statusWritten(done world.EffectDone) {
	rule, ok := c.writes[done.Effect]
	if !ok {
		return
	}
	delete(c.writes, done.Effect)
	if !done.Outcome.OK() {
		delete(c.statuses, rule.uid)
		c.statusTimers.SetNoLater(rule, c.now.Add(reportPeriod))
	}
}

// conditionOf returns a rule's condition as last seen or decided, whichever is newer.
func (c *Controller) conditionOf(rule *resourcev1alpha3.DeviceTaintRule) (latest metav1.Condition, has bool) {
	latest, has = c.statuses[rule.UID]
	for _, seen := range rule.Status.Conditions {
		if seen.Type == resourcev1alpha3.DeviceTaintConditionEvictionInProgress &&
			(!has || seen.LastTransitionTime.After(latest.LastTransitionTime.Time)) {
			latest, has = seen, true
		}
	}
	return latest, has
}

func (c *Controller) condition(rule *resourcev1alpha3.DeviceTaintRule) metav1.Condition {
	is := metav1.Condition{
		Type: resourcev1alpha3.DeviceTaintConditionEvictionInProgress, Status: metav1.ConditionFalse,
		ObservedGeneration: rule.Generation,
	}
	evicted := c.evicted[rule.UID]
	switch rule.Spec.Taint.Effect {
	case resourcev1alpha3.DeviceTaintEffectNoExecute:
		switch pods, namespaces := c.countPods(rule, c.knownDeadline); {
		case pods > 0:
			is.Reason, is.Status = "PodsPendingEviction", metav1.ConditionTrue
			needs := " need"
			if pods == 1 {
				needs = " needs"
			}
			is.Message = plural.Count(pods, "pod") + needs + " to be evicted in " +
				namespacesText(namespaces) + "."
		case evicted > 0:
			is.Reason = "Completed"
		default:
			is.Reason = "NotStarted"
		}
	case resourcev1alpha3.DeviceTaintEffectNone:
		is.Reason, is.Message = "NoEffect", c.noEffectMessage(rule)
	default:
		is.Reason, is.Message = "OtherEffect", "Eviction only happens for the NoExecute effect."
	}
	if evicted > 0 {
		if is.Message != "" {
			is.Message += " "
		}
		is.Message += plural.Count(evicted, "pod") + " evicted since starting the controller."
	}
	return is
}

// noEffectMessage describes what a rule with the effect None would do with NoExecute.
func (c *Controller) noEffectMessage(rule *resourcev1alpha3.DeviceTaintRule) string {
	published, inUse := c.countDevices(rule)
	only := []*resourcev1alpha3.DeviceTaintRule{rule}
	pods, namespaces := c.countPods(rule, func(claim *resourcev1.ResourceClaim) *deadline { return c.claimDeadline(claim, only) })
	return plural.Count(published, "published device") + " selected. " +
		plural.Count(inUse, "allocated device") + " selected. " +
		plural.Count(pods, "pod") + " would be evicted in " + namespacesText(namespaces) +
		" if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update."
}

// namespacesText is "1 namespace" or "2 different namespaces".
func namespacesText(n int64) string {
	if n == 1 {
		return "1 namespace"
	}
	return plural.Count(n, "different namespace")
}

// countPods returns how many pods a rule evicts that are not terminating yet, and in how many namespaces.
func (c *Controller) countPods(rule *resourcev1alpha3.DeviceTaintRule, claimDue func(*resourcev1.ResourceClaim) *deadline) (pods, namespaces int64) {
	last := ""
	for o := range c.store.Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if len(pod.Spec.ResourceClaims) == 0 || pod.DeletionTimestamp != nil {
			continue
		}
		d := c.podDeadline(pod, claimDue)
		if d == nil || !d.hasRule(rule.UID) {
			continue
		}
		pods++
		if pods == 1 || pod.Namespace != last { // pods come in the order of their namespaces
			namespaces++
			last = pod.Namespace
		}
	}
	return pods, namespaces
}

func (d *deadline) hasRule(rule types.UID) bool {
	return slices.ContainsFunc(d.reasons, func(r reason) bool { return r.rule.name != "" && r.rule.uid == rule })
}

// countDevices returns how many devices a rule selects, in slices and in claims.
func (c *Controller) countDevices(rule *resourcev1alpha3.DeviceTaintRule) (published, inUse int64) {
	for id := range c.pools {
		c.pools.each(id, func(_ *resourcev1.ResourceSlice, d *resourcev1.Device) bool {
			if selects(rule, deviceID{id, d.Name}) {
				published++
			}
			return true
		})
	}
	for o := range c.store.Objects(world.ResourceClaim) {
		claim := o.(*resourcev1.ResourceClaim)
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			if selects(rule, allocated(&claim.Status.Allocation.Devices.Results[i])) {
				inUse++
			}
		}
	}
	return published, inUse
}
