package diagnose

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// GangCount is how many members of a gang are in a state.
type GangCount struct {
	State string `json:"state"`
	Pods  int    `json:"pods"`

	names []string // some of them
}

// GangMember is a pod of a gang.
type GangMember struct {
	Pod   string `json:"pod"`
	State string `json:"state"`
	// Node is where it has its place, or is nominated.
	Node     string `json:"node,omitempty"`
	Attempts int    `json:"attempts,omitempty"`
	// Says is why it has no node, as far as its last attempt told.
	Says string `json:"message,omitempty"`
}

// The states of members that pods of no gang do not have.
const (
	memberTerminating = "terminating"
	memberOfOther     = "otherScheduler"
)

// maxGangMembers bounds the members of each state in an answer.
//
//orrery:limit answers; members of a gang of each state in an answer; the others are counted
const maxGangMembers = 10

// memberStates are the states in the order of an answer: those that hold a gang back first.
var memberStates = []string{
	memberTerminating, memberOfOther, string(engine.StateGated), string(engine.StateUnschedulable), string(engine.StateBackoff),
	string(engine.StateActive), string(engine.StateGone), string(engine.StateWaiting), string(engine.StateBinding), string(engine.StateBound),
}

// describeMembers counts the members by state, and describes some of each.
func (s *gangSearch) describeMembers(g *Gang) {
	nodes := map[world.PodRef]string{}
	for _, b := range s.engine.Bindings() {
		nodes[b.Pod] = b.Node
	}
	byState := map[string][]GangMember{}
	counts := map[string]int{}
	waits := false
	for _, m := range s.members {
		state := s.stateOf(m.Pod)
		waits = waits || state == string(engine.StateWaiting)
		queued, inQueue := s.engine.Queue().Get(m.Pod.Namespace, m.Pod.Name)
		if inQueue {
			g.Attempts = max(g.Attempts, queued.GetAttempts())
		}
		if counts[state]++; counts[state] > maxGangMembers {
			continue
		}
		member := GangMember{Pod: m.Pod.Name, State: state, Node: nodes[world.PodRefOf(m.Pod)]}
		if m.Stage == gangs.Assigned {
			member.Node = m.Pod.Spec.NodeName
		}
		if inQueue {
			member.Attempts, member.Says = queued.GetAttempts(), s.lastReason(m.Pod, queued.Rejectors())
		}
		if node, nominated := s.engine.Queue().NominatedNode(m.Pod); nominated && member.Node == "" {
			member.Node = node
		}
		byState[state] = append(byState[state], member)
	}
	for _, state := range memberStates {
		if counts[state] == 0 {
			continue
		}
		c := GangCount{State: state, Pods: counts[state]}
		for _, m := range byState[state] {
			c.names = append(c.names, m.Pod)
		}
		g.Counts, g.Members = append(g.Counts, c), append(g.Members, byState[state]...)
	}
	if waits {
		g.Deadline = s.group.Deadline()
	}
}

func (s *gangSearch) stateOf(pod *v1.Pod) string {
	state := s.engine.PodState(pod.Namespace, pod.Name)
	switch {
	case pod.DeletionTimestamp != nil && state != engine.StateBound:
		return memberTerminating
	case state == engine.StateGone && s.engine.Profile(pod.Spec.SchedulerName) == nil:
		return memberOfOther
	}
	return string(state)
}

// lastReason is why a queued member has no node, by its condition or by the plugins that rejected it.
func (s *gangSearch) lastReason(pod *v1.Pod, rejectors []string) string {
	if held := s.untriable(pod); held != "" {
		return held
	}
	if said := framework.MainOf(world.PendingMessage(pod)).String(); said != "" {
		return said
	}
	if len(rejectors) > 0 {
		return "rejected by " + strings.Join(slices.Sorted(slices.Values(rejectors)), ", ")
	}
	return ""
}

// untriable says why a member cannot be placed whatever the nodes are, empty if it may be.
func (s *gangSearch) untriable(pod *v1.Pod) string {
	switch gates := pod.Spec.SchedulingGates; {
	case pod.DeletionTimestamp != nil:
		return "it is being deleted"
	case s.engine.Profile(pod.Spec.SchedulerName) == nil:
		return "its schedulerName is " + pod.Spec.SchedulerName
	case len(gates) > 0:
		names := make([]string, len(gates))
		for i := range gates {
			names[i] = gates[i].Name
		}
		return "held by its scheduling gates " + listed(names)
	}
	return ""
}
