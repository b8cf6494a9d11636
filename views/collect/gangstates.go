package collect

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/plugins/gangscheduling"
	"orrery/core/scheduler/queue"
	"orrery/views"
)

// gang is a pod group as it was read: its state is a views.GangState.
type gang struct {
	rank
	key      gangs.Key
	workload *workloads.Workload // nil if it does not exist
	count    [len(views.GangRow{}.Count)]int
	least    int
	deadline time.Time
	priority int32
	created  time.Time
	// held is the pod that keeps the gang back, or the first; nil if it has no pods.
	held *v1.Pod
	// object is the PodGroup; nil if it does not exist, or the group is one of a workload of 1.35.
	object *schedulingv1beta1.PodGroup
}

// gangOf reads a group; nil if no pod names it, and no workload has it. A group of which there are replicas needs no row without
// pods.
func (x *gangIndex) gangOf(key gangs.Key) *gang {
	if key.IsPodGroup() {
		return x.podGroupOf(key)
	}
	g := &gang{rank: rank{name: nameOfGang(key)}, key: key, workload: x.workload(key.Namespace, key.Workload)}
	group := x.engine.Gangs().Group(key)
	var policy *workloads.Policy
	if g.workload != nil {
		policy, g.created = gangs.PolicyOf(g.workload, key.Group), g.workload.CreationTimestamp.Time
	}
	if group == nil && (policy == nil || key.Replica != "" || x.hasReplicas(key)) {
		return nil
	}
	if policy != nil && policy.Gang != nil {
		g.least = int(policy.Gang.MinCount)
	}
	if group != nil {
		g.readMembers(x, group)
	}
	g.state = uint8(x.stateOfGang(g, group, policy))
	g.setSince()
	return g
}

// setSince sets what orders the groups of a state.
func (g *gang) setSince() {
	switch views.GangState(g.state) {
	case views.GangOnPermit:
		g.since = micro(g.deadline)
	case views.GangBound, views.GangBasic, views.GangEmpty: // by name
	default:
		g.since = micro(g.created)
	}
}

// hasReplicas reports whether any replica of a group has pods.
func (x *gangIndex) hasReplicas(key gangs.Key) bool {
	for other := range x.groupsOf[types.NamespacedName{Namespace: key.Namespace, Name: key.Workload}] {
		if other.Group == key.Group && other.Replica != "" && x.engine.Gangs().Group(other) != nil {
			return true
		}
	}
	return false
}

// readMembers counts the members of a group, and finds the one that keeps it back.
func (g *gang) readMembers(x *gangIndex, group *gangs.Group) {
	placed := group.Count(gangs.Assumed) + group.Count(gangs.Assigned)
	assumed := views.GangPodPlaced
	if placed < g.least {
		assumed = views.GangPodOnPermit
	}
	g.count[views.GangPodBound], g.count[assumed] = group.Count(gangs.Assigned), group.Count(gangs.Assumed)
	g.count[views.GangPodMissing] = max(g.least-group.Len(), 0)
	g.deadline = group.Deadline()
	worst := -1
	for i, m := range group.Members() {
		if created := m.Pod.CreationTimestamp.Time; i == 0 || created.Before(g.created) {
			g.created = created
		}
		if priority := priorityOf(m.Pod); i == 0 || priority > g.priority {
			g.priority = priority
		}
		blame := 0
		if m.Stage == gangs.Unscheduled {
			var stage views.GangStage
			stage, blame = x.stageOf(m.Pod)
			g.count[stage]++
		}
		if blame > worst {
			worst, g.held = blame, m.Pod
		}
	}
}

// stageOf is how far a pod without a place is, and how much it keeps its gang back: first those that were rejected for a reason of
// their own, then those that gave their place back, then those that may not be tried.
func (x *gangIndex) stageOf(pod *v1.Pod) (stage views.GangStage, blame int) {
	switch x.engine.Queue().StateOf(pod.Namespace, pod.Name) {
	case queue.Unschedulable:
		if queued, is := x.engine.Queue().Get(pod.Namespace, pod.Name); is && slices.Contains(queued.Rejectors(), gangscheduling.Name) {
			return views.GangPodRejected, 5
		}
		return views.GangPodRejected, 6
	case queue.Backoff, queue.ErrorBackoff:
		return views.GangPodQueued, 4
	case queue.Gated:
		return views.GangPodGated, 3
	case queue.Gone: // it is another scheduler's
		return views.GangPodQueued, 2
	}
	return views.GangPodQueued, 1
}

func (x *gangIndex) stateOfGang(g *gang, group *gangs.Group, policy *workloads.Policy) views.GangState {
	switch {
	case policy == nil:
		return views.GangWithoutWorkload
	case group == nil:
		return views.GangEmpty
	case policy.Gang == nil || !x.engine.Features().Enabled(config.GangScheduling):
		return views.GangBasic
	}
	return x.progressOf(g, group)
}

// progressOf is how far a gang is whose pods are placed together.
func (x *gangIndex) progressOf(g *gang, group *gangs.Group) views.GangState {
	placed := g.count[views.GangPodBound] + g.count[views.GangPodPlaced] + g.count[views.GangPodOnPermit]
	switch {
	case g.count[views.GangPodBound] == group.Len():
		return views.GangBound
	case placed == group.Len() && placed >= g.least:
		return views.GangPlaced
	case placed >= g.least:
		return views.GangPartlyBound
	case g.count[views.GangPodOnPermit] > 0:
		return views.GangOnPermit
	case placed == 0 && !g.deadline.IsZero() && !g.deadline.After(x.engine.Now()):
		return views.GangTimedOut
	case g.count[views.GangPodMissing] > 0:
		return views.GangIncomplete
	case g.count[views.GangPodRejected] > 0:
		return views.GangUnschedulable
	case g.count[views.GangPodGated] > 0:
		return views.GangGated
	}
	return views.GangQueued
}
