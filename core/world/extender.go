package world

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/nodenames"
)

// ExtenderVerb is what an extender is asked for. A configuration names the path of each.
type ExtenderVerb uint8

// The verbs of extenders.
const (
	ExtenderFilter ExtenderVerb = iota
	ExtenderPrioritize
	ExtenderPreempt
	ExtenderBind
)

func (v ExtenderVerb) String() string {
	return [...]string{"filter", "prioritize", "preempt", "bind"}[v]
}

// CallExtender asks an extender about a pod: in the middle of its scheduling cycle, which its answer continues, or to bind it.
// A world that has no such extender reports success without an answer; the extender's verdict is then unknown.
type CallExtender struct {
	Pod PodRef
	// Extender is the extender's position in the configuration, URL the address of the verb.
	Extender int
	Verb     ExtenderVerb
	URL      string
	// Timeout is how long the extender may take.
	Timeout time.Duration
	Request ExtenderRequest
}

// ExtenderRequest is the question of a call. Its objects are never changed.
type ExtenderRequest struct {
	Pod *v1.Pod
	// NamesOnly says that the extender knows the nodes itself, and gets and returns names, and UIDs of victims.
	NamesOnly bool
	// Nodes are those to filter or to prioritize, Names theirs.
	Nodes []*v1.Node
	Names nodenames.Names
	// Victims are the pods to be preempted on each candidate.
	Victims []ExtenderVictims
	// Node is the one to bind the pod to.
	Node string
}

// ExtenderVictims are the pods that would be evicted from a node.
type ExtenderVictims struct {
	Node          string
	Pods          []*v1.Pod
	PDBViolations int64
}

// CancelExtenderCalls cancels the calls about a pod that have no outcome yet: the pod is being deleted. Each of them still has an
// outcome.
type CancelExtenderCalls struct {
	Pod PodRef
}

func (CallExtender) action()        {}
func (CancelExtenderCalls) action() {}

// ExtenderAnswer is an extender's answer to one call. Only the fields of its verb are set.
type ExtenderAnswer struct {
	// Error is the extender's own error. A call that failed has no answer, but an outcome that says so.
	Error string

	// Nodes passed the filter, in the extender's order. AsObjects says that they were returned as objects: of such nodes,
	// scoring knows the objects alone, not their pods. Changed are those that differ from what was sent.
	Nodes     []string
	AsObjects bool
	Changed   []*v1.Node
	// Failed did not pass; ordered by name.
	Failed []FailedNode

	// Scores are the priorities, each from 0 to 10.
	Scores []HostScore

	// Victims replace those of the request; ordered by node.
	Victims []AnsweredVictims
}

// FailedNode is a node that an extender rejected. If it is unresolvable, preemption does not help.
type FailedNode struct {
	Node, Reason string
	Unresolvable bool
}

// HostScore is a node's priority.
type HostScore struct {
	Host  string
	Score int64
}

// AnsweredVictims are the pods that an extender would preempt on a node.
type AnsweredVictims struct {
	Node          string
	Pods          []types.UID
	PDBViolations int64
}
