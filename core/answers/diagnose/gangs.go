package diagnose

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// gang says what a pod's gang waits for, whose pods are bound together: the workload, its group, more pods, or their places. It is
// empty for a pod of no gang, and once enough of them have a place.
func (p *pendingPod) gang() string {
	ref, is := workloads.RefOf(p.pod)
	if !is || !p.engine.Features().Enabled(config.GangScheduling) {
		return ""
	}
	key := gangs.KeyOf(p.pod)
	group := p.engine.Gangs().Group(key)
	switch progress, least := gangs.ProgressOf(workloadOf(p.engine, key), key.Group, group); {
	case progress == gangs.NoWorkload:
		return "waits for its workload " + ref.Name + ", which does not exist"
	case progress == gangs.NoGroup:
		return fmt.Sprintf("waits for its group %s, which workload %s does not have", ref.PodGroup, ref.Name)
	case group == nil:
		return ""
	case progress == gangs.Incomplete:
		return fmt.Sprintf("waits for its gang %s: of at least %d pods %d exist", key, least, group.Len())
	case (progress == gangs.Waiting || progress == gangs.Pending) && hasNode(p.engine, p.pod):
		return fmt.Sprintf("waits for its gang %s until %s: of at least %d pods %d have a place, and %s", key,
			group.Deadline().UTC().Format(time.RFC3339), least, group.Placed(), firstWithout(group.At(gangs.Unscheduled)))
	}
	return ""
}

func workloadOf(e *engine.Engine, key gangs.Key) *workloads.Workload {
	workload, _ := e.Store().Object(world.Workload, key.Namespace, key.Workload).(*workloads.Workload)
	return workload
}

// firstWithout says that the first of the pods without a node has none, and how many more.
func firstWithout(pods []*v1.Pod) string {
	switch len(pods) {
	case 0:
		return "another pod has none"
	case 1:
		return pods[0].Name + " has none"
	}
	return fmt.Sprintf("%s and %d more have none", pods[0].Name, len(pods)-1)
}
