package diagnose

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// gang says what a pod's gang waits for, whose pods are bound together: the workload, its group, more pods, or their places. It is
// empty for a pod of no gang, and once enough of them have a place.
func (p *pendingPod) gang() string {
	ref := p.pod.Spec.WorkloadRef
	if ref == nil || !p.engine.Features().Enabled(config.GangScheduling) {
		return ""
	}
	key := gangs.KeyOf(p.pod.Namespace, ref)
	workload := workloadOf(p.engine, key)
	if workload == nil {
		return "waits for its workload " + ref.Name + ", which does not exist"
	}
	policy := gangs.PolicyOf(workload, ref.PodGroup)
	if policy == nil {
		return fmt.Sprintf("waits for its group %s, which workload %s does not have", ref.PodGroup, ref.Name)
	}
	group := p.engine.Gangs().Group(key)
	if policy.Gang == nil || group == nil {
		return ""
	}
	least := int(policy.Gang.MinCount)
	switch placed := placedIn(group); {
	case group.Len() < least:
		return fmt.Sprintf("waits for its gang %s: of at least %d pods %d exist", key, least, group.Len())
	case placed < least && hasNode(p.engine, p.pod):
		return fmt.Sprintf("waits for its gang %s until %s: of at least %d pods %d have a place, and %s", key,
			group.Deadline().UTC().Format(time.RFC3339), least, placed, firstWithout(group))
	}
	return ""
}

func workloadOf(e *engine.Engine, key gangs.Key) *schedulingv1alpha1.Workload {
	workload, _ := e.Store().Object(world.Workload, key.Namespace, key.Workload).(*schedulingv1alpha1.Workload)
	return workload
}

// placedIn counts the pods of a group that have a place, bound or not.
func placedIn(group *gangs.Group) int {
	return group.Count(gangs.Assumed) + group.Count(gangs.Assigned)
}

// firstWithout says that the first pod of a group has no node, and how many more have none.
func firstWithout(group *gangs.Group) string {
	without := podsAt(group, gangs.Unscheduled)
	switch len(without) {
	case 0:
		return "another pod has none"
	case 1:
		return without[0].Name + " has none"
	}
	return fmt.Sprintf("%s and %d more have none", without[0].Name, len(without)-1)
}

// podsAt returns the pods of a group at a stage by name; none of a nil group.
func podsAt(group *gangs.Group, stage gangs.Stage) []*v1.Pod {
	var pods []*v1.Pod
	if group != nil {
		pods = append(pods, group.At(stage)...)
	}
	return pods
}
