package queue

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// GroupGate is a PreEnqueue plugin that decides about groups of pods: its verdict and its hints are the same for all pods of
// a group that were not tried yet. For an event that does not let them in, one of them stands for all, so that adding the
// pods of a group one by one does not cost the square of their number.
type GroupGate interface {
	fwk.PreEnqueuePlugin
	// GateGroup returns the group of a pod, as a key for a map; nil if the pod is in none.
	GateGroup(pod *v1.Pod) any
}

// heldGroup is the pods that a gate holds back as a group, with the same message.
type heldGroup struct {
	pluginPods
	gate GroupGate
	note string
}

// groupHolding returns the group in which p is held back, new if it is the first; nil if p is not held back in a group.
func groupHolding(p *Pod) *heldGroup {
	if p.queuedIn != Gated || p.profile == nil || p.attempts > 0 || len(p.rejectors) != 1 {
		return nil
	}
	gate := p.profile.groupGate(p.gate)
	if gate == nil {
		return nil
	}
	key := gate.GateGroup(p.pod)
	if key == nil {
		return nil
	}
	pods := p.profile.rejectedBy(p.gate)
	group := pods.groups[key]
	if group == nil || len(group.pods) == 0 {
		if pods.groups == nil {
			pods.groups = map[any]*heldGroup{}
		}
		group = &heldGroup{gate: gate, note: p.gateNote}
		pods.groups[key] = group
	}
	if group.note != p.gateNote {
		return nil
	}
	return group
}

// groupGate returns the profile's PreEnqueue plugin of a name if it is a GroupGate.
func (pr *profile) groupGate(name string) GroupGate {
	for _, plugin := range pr.PreEnqueue {
		if gate, is := plugin.(GroupGate); is && plugin.Name() == name {
			return gate
		}
	}
	return nil
}

// heldGroups returns the groups of a plugin in an order that follows from what has happened, and forgets the empty ones.
func (g *pluginPods) heldGroups() []*heldGroup {
	if len(g.groups) == 0 {
		return nil
	}
	maps.DeleteFunc(g.groups, func(_ any, group *heldGroup) bool { return len(group.pods) == 0 })
	return slices.SortedFunc(maps.Values(g.groups), func(a, b *heldGroup) int { return byUnschedulableSeq(a.pods[0], b.pods[0]) })
}

// staysHeld reports whether an event leaves a group as it is: it does not help, or the gate refuses the pods as before.
func (q *Queue) staysHeld(group *heldGroup, in *eventMatch, old, updated any) bool {
	p := group.pods[0]
	if s, _ := q.isWorthRequeuing(p, in, old, updated); s == queueSkip {
		return true
	}
	status := callPreEnqueue(p, group.gate)
	if status.IsSuccess() || gateNote(status) != group.note {
		return false
	}
	q.recordCount(GroupHeld, in.label, len(group.pods))
	return true
}
