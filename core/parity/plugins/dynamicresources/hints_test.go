package dynamicresources

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
	"orrery/core/scheduler/plugins"
)

// sameEvents compares the events that requeue pods.
func (c *cluster) sameEvents(r *difftest.Source) {
	theirs, ours := eventsOf(c.theirs), eventsOf(plugins.SplitPodEvents(c.orrery))
	if fmt.Sprint(names(theirs)) != fmt.Sprint(names(ours)) {
		r.Fatalf("gates %v, events: kube-scheduler %v, Orrery %v", c.gates, names(theirs), names(ours))
	}
}

func eventsOf(plugin fwk.EnqueueExtensions) []fwk.ClusterEventWithHint {
	all, err := plugin.EventsToRegister(context.Background())
	must(err)
	slices.SortFunc(all, func(a, b fwk.ClusterEventWithHint) int { return cmp.Compare(a.Event.Resource, b.Event.Resource) })
	return all
}

func names(all []fwk.ClusterEventWithHint) (list []string) {
	for _, one := range all {
		list = append(list, fmt.Sprint(one.Event.Resource, " ", one.Event.ActionType, " ", one.QueueingHintFn != nil))
	}
	return list
}

// sameHint compares whether an event requeues a pod.
func (c *cluster) sameHint(r *difftest.Source, pod *v1.Pod, event fwk.ClusterEvent, before, after any) {
	hint := func(plugin fwk.EnqueueExtensions) string {
		for _, one := range eventsOf(plugin) {
			if one.Event.Resource == event.Resource && one.Event.ActionType&event.ActionType != 0 {
				answer, err := one.QueueingHintFn(klog.Logger{}, pod, before, after)
				return fmt.Sprint(answer, " ", err != nil)
			}
		}
		return "not registered"
	}
	theirs, ours := hint(c.theirs), hint(plugins.SplitPodEvents(c.orrery))
	if theirs != ours {
		r.Fatalf("gates %v, hint for %s after %v: kube-scheduler %s, Orrery %s\nbefore %+v\nafter %+v", c.gates, pod.Name, event, theirs, ours, before, after)
	}
	seen.Count("hint %s", ours[:len(ours)-len(" false")])
}

// hintOfPod changes the status of the pod at times, and asks whether that helps it.
func (c *cluster) hintOfPod(r *difftest.Source, pod *v1.Pod) {
	if !r.OneIn(4) {
		return
	}
	after := pod.DeepCopy()
	after.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "t", ResourceClaimName: difftest.Pick(r, ptr.To("c1"), ptr.To("c9"), nil)}}
	c.sameHint(r, pod, fwk.ClusterEvent{Resource: fwk.TargetPod, ActionType: fwk.UpdatePodGeneratedResourceClaim}, pod, after)
	claim := c.claim(difftest.Pick(r, claimNames...))
	c.sameHint(r, pod, fwk.ClusterEvent{Resource: fwk.ResourceClaim, ActionType: fwk.Add}, nil, claim)
	c.sameHint(r, pod, fwk.ClusterEvent{Resource: fwk.ResourceClaim, ActionType: fwk.Delete}, claim, nil)
}
