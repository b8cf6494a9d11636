package views

import (
	"time"

	"orrery/core/answers/answer"
)

// Decisions is the decision log, the newest first.
type Decisions struct {
	Placed, Unschedulable, Failed int64
	List                          List[DecisionRow]
}

// Verdict is how an attempt ended.
type Verdict uint8

// The verdicts.
const (
	VerdictScheduled Verdict = iota
	VerdictUnschedulable
	VerdictError
	VerdictSkipped
)

// DecisionRow is one attempt.
type DecisionRow struct {
	Seq     uint64
	At      time.Time
	Pod     string
	Verdict Verdict
	Node    string // the chosen or nominated node
	// Key is the pod's, NodeKey the node's.
	Key, NodeKey string
	// Examined and Feasible are out of Nodes.
	Examined, Feasible, Nodes int
	Score                     int64
	Duration                  time.Duration
	// Reason is the main reason for the rejection, Message the whole message.
	Reason, Message string
	// Why is the main reason without its number of nodes, which is RejectedOn; 0 if no node was rejected for it.
	Why        string
	RejectedOn int
	// Unknown names the extenders that were not asked.
	Unknown string
	Attempt int
	// RunnerUp is the second-best node, and Queued how long the pod was in activeQ before; only rows of the overview have them.
	RunnerUp      string
	RunnerUpScore int64
	Queued        time.Duration
	// Labels are the pod's; only brief rows have them.
	Labels map[string]string
}

// Explanation is an answer about a pod, made printable, with what each plugin said of each node.
type Explanation struct {
	answer.Answer
	State   PodState
	Verdict Verdict
	At      time.Time
	// Searching means that the next model may have more remedies.
	Searching bool
	// Plugins are the columns of the matrix; every node has a mark for each.
	Plugins []string
	Matrix  List[MatrixRow]
}

// Hypothetical reports whether the explanation is of a placed pod as if it had no node.
func (e *Explanation) Hypothetical() bool { return e.Today != nil }

// MatrixRow holds one node's results.
type MatrixRow struct {
	Node  string
	Key   string
	Marks []PluginMark
	Total int64
	// Visited means that the search visited the node.
	Visited bool
	// Feasible means that no plugin rejects the node; otherwise RejectedBy does, with Reason.
	Feasible           bool
	RejectedBy, Reason string
}

// PluginMark is a plugin's result on a node.
type PluginMark uint8

// The marks.
const (
	NotRun PluginMark = iota
	Passes
	Rejects
	Errors
)

// WhatIf compares the cluster before and after a change.
type WhatIf struct {
	// Tried are the changes, in words.
	Tried, Command string
	// Typed are the changes as they are typed: of objects with hostile names Tried is printable, and this is not. It is never drawn.
	Typed string
	// Moments means that it is no what-if: two times are compared, Before and After as the screen shows them.
	Moments       bool
	Before, After string
	// Verdict says in a sentence what the changes would do, and Bad that something would be worse, or does not work.
	Verdict       string
	Bad           bool
	Without, With Totals
	// ChangedOutcomes counts the pods whose outcome changes, by outcome: totals may be equal though different pods make
	// them up.
	ChangedOutcomes []NamedCount
	// Changes are the pods whose outcome changes, then those that a PodDisruptionBudget blocks, then those still
	// pending; HeldByBudget and StillPending count the latter two.
	Changes                    List[WhatIfChange]
	HeldByBudget, StillPending int
	// Notes describe side effects of the changes.
	Notes []string
}

// Totals are the figures of a cluster.
type Totals struct {
	Placed, Pending, Evicted, Moved int
	CPU, Memory                     float64
	// Spread is the utilization spread: the difference between the fullest and the emptiest node.
	Spread float64
}

// WhatIfChange is one pod of a what-if's result.
type WhatIfChange struct {
	Pod, Key      string
	From, To      PodState
	Without, With string // nodes
	// Reason is why the pod was evicted, is blocked, or is pending.
	Reason string
	// Unchanged means that the pod's outcome does not change.
	Unchanged bool
}
