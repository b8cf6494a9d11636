package views

import "time"

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

// Explanation is why a pod is, or would be, scheduled or not.
type Explanation struct {
	Pod     string
	State   PodState
	Verdict Verdict
	// Summary is the main cause in one sentence.
	Summary string
	Node    string
	// Placement is of a pod that has a node; nil for another one.
	Placement *Placement
	// Nodes is how many nodes there were, Examined how many of them the search filtered, and Feasible how many were feasible.
	Nodes, Examined, Feasible int
	// Kept is on how many nodes the verdict of an earlier pod like it still holds.
	Kept       int
	At         time.Time
	Generation int64
	// Reasons are the groups of reasons, those of the most nodes first.
	Reasons []ReasonGroup
	// Facts are the evidence behind the reasons, in words; Charts draw some of it, and Undrawn are the facts that they do
	// not show.
	Facts, Undrawn []string
	Charts         []Chart
	// Storage is the chain from the pod's claims to its volumes' nodes, Preemption what a preemption found, and Queue what
	// brings a queued pod back.
	Storage []ChainLink
	// Devices is the chain from the pod's claims for devices to the nodes that have some.
	Devices []ChainLink
	// Gang is how far the pod's gang is, and what it waits for.
	Gang              []ChainLink
	Preemption, Queue []string
	// Hints are the changes to nodes that have only one blocker.
	Hints []string
	// Remedies are changes that place the pod, each tried on a fork. Searching means that the next model may have more.
	Remedies  []Remedy
	Searching bool
	// Plugins are the columns of the matrix; every node has a mark for each.
	Plugins []string
	Matrix  List[MatrixRow]
	// Scores are those of winner and runner-up, the largest difference first.
	Winner, RunnerUp           string
	WinnerTotal, RunnerUpTotal int64
	Scores                     []ScorePart
}

// Placement is where a pod is, and what its explanation is of.
type Placement struct {
	Node string
	// At and Seq are of the decision that placed it; zero if it is not known any more.
	At  time.Time
	Seq uint64
	// AsDecided means that the explanation is of that decision. Otherwise it is of the present, as if the pod had no node. FromLog says
	// that only the decision's result is known.
	AsDecided, FromLog bool
}

// Hypothetical reports whether the explanation is of a placed pod as if it had no node.
func (e *Explanation) Hypothetical() bool { return e.Placement != nil && !e.Placement.AsDecided }

// ChainLink is one link of the chain from a pod to the nodes of its volumes or devices. Depth is 0 for claims and nodes, 1 for
// what a claim leads to; Bad marks a claim that keeps the pod from every node, or a request that finds too few devices.
type ChainLink struct {
	Depth int
	Text  string
	Bad   bool
}

// Remedy is a change that places a pod: as a sentence, as the what-if's argument, and the pod's node. It has no node if it lets
// the pod's gang go. Words are the
// argument as it is, which is not printable; Command repeats the what-if.
type Remedy struct{ Text, Change, Node, Words, Command string }

// Chart is evidence drawn as bars of amounts, with one mark for all of them.
type Chart struct {
	// Title names the amounts, Legend and ShortLegend the mark.
	Title, Legend, ShortLegend string
	Bars                       []ChartBar
	// More is how many bars are left out.
	More int
	// From and To are the ends of the scale. Mark is where the mark is; the amounts from Allowed to the mark are allowed.
	// Without such a band Allowed is the mark.
	From, To, Allowed, Mark int64
}

// ChartBar is one amount. Extra is what would come on top, or what is held for others.
type ChartBar struct {
	Name          string
	Amount, Extra int64
	// Value is the amount in words, OK that it is on the right side of the mark.
	Value string
	OK    bool
}

// ReasonGroup is one reason and how many nodes have it.
type ReasonGroup struct {
	Plugin, Reason string
	Nodes          int
}

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

// ScorePart is one plugin's score for each of the two nodes.
type ScorePart struct {
	Plugin           string
	Winner, RunnerUp int64
}

// WhatIf compares the cluster before and after a change.
type WhatIf struct {
	// Tried are the changes, in words.
	Tried, Command string
	Without, With  Totals
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
