package diagnose

import (
	"fmt"
	"time"

	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"

	"orrery/core/config"
	"orrery/core/gangs"
	"orrery/core/world"
)

// gang says what a pod's gang waits for, whose pods are bound together: the workload, its group, more pods, or their places. It is
// empty for a pod of no gang, and once enough of them have a place.
func (p *pendingPod) gang() string {
	ref := p.pod.Spec.WorkloadRef
	if ref == nil || !p.engine.Features().Enabled(config.GangScheduling) {
		return ""
	}
	workload, is := p.engine.Store().Object(world.Workload, p.pod.Namespace, ref.Name).(*schedulingv1alpha1.Workload)
	if !is {
		return "waits for its workload " + ref.Name + ", which does not exist"
	}
	policy := gangs.PolicyOf(workload, ref.PodGroup)
	if policy == nil {
		return fmt.Sprintf("waits for its group %s, which workload %s does not have", ref.PodGroup, ref.Name)
	}
	name := gangs.KeyOf(p.pod.Namespace, ref)
	group := p.engine.Gangs().Group(name)
	if policy.Gang == nil || group == nil {
		return ""
	}
	least := int(policy.Gang.MinCount)
	switch placed := group.Count(gangs.Assumed) + group.Count(gangs.Assigned); {
	case group.Len() < least:
		return fmt.Sprintf("waits for its gang %s: of at least %d pods %d exist", name, least, group.Len())
	case placed < least && hasNode(p.engine, p.pod):
		return fmt.Sprintf("waits for its gang %s until %s: of at least %d pods %d have a place, and %s has none", name,
			group.Deadline().UTC().Format(time.RFC3339), least, placed, firstWithout(group))
	}
	return ""
}

// firstWithout names the first pod of a group that has no place, and how many more there are.
func firstWithout(group *gangs.Group) string {
	names := []string{}
	for pod := range group.At(gangs.Unscheduled) {
		names = append(names, pod.Name)
	}
	switch len(names) {
	case 0:
		return "another pod"
	case 1:
		return names[0]
	}
	return fmt.Sprintf("%s, as %d more,", names[0], len(names)-1)
}
