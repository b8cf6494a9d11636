package views

import "time"

// Decisions is the log, the newest first.
type Decisions struct {
	Placed, Unschedulable, Failed int64
	List                          List[DecisionRow]
}

// Verdict is how an attempt ended.
type Verdict uint8

// The verdicts.
const (
	Placed Verdict = iota
	NoFit
	Failed
	Skipped
)

// DecisionRow is one attempt.
type DecisionRow struct {
	Seq     uint64
	At      time.Time
	Pod     string
	Verdict Verdict
	Node    string // where it goes, or is nominated to
	// Key is the pod's, NodeKey the node's.
	Key, NodeKey string
	// Examined and Feasible are of Nodes.
	Examined, Feasible, Nodes int
	Score                     int64
	Took                      time.Duration
	// Reason is what keeps the pod, Message all that was said of it.
	Reason, Message string
	Attempt         int
}

// Explanation is why a pod is, or would be, decided about as it is.
type Explanation struct {
	Pod     string
	State   PodState
	Verdict Verdict
	// Cause is the one sentence that says most.
	Cause string
	Node  string
	// Nodes were there, Feasible of them would do.
	Nodes, Feasible int
	Asked           time.Time
	Generation      int64
	// Reasons are grouped, those of the most nodes first.
	Reasons []ReasonGroup
	// Fixes say what would free the pod.
	Fixes []string
	// Plugins head the matrix, in which every node has a mark for each.
	Plugins []string
	Matrix  List[MatrixRow]
	// Scores are winner and runner-up, what made the difference first.
	Winner, RunnerUp           string
	WinnerTotal, RunnerUpTotal int64
	Scores                     []ScorePart
}

// ReasonGroup is one reason and how many nodes it was given for.
type ReasonGroup struct {
	Plugin, Reason string
	Nodes          int
}

// MatrixRow is one node's verdicts.
type MatrixRow struct {
	Node  string
	Key   string
	Marks []PluginMark
	Total int64
	// Searched says that the search came by the node.
	Searched bool
}

// PluginMark is what a plugin said of a node.
type PluginMark uint8

// The marks.
const (
	NotAsked PluginMark = iota
	Passes
	Rejects
	Errors
)

// ScorePart is what one plugin gave to each.
type ScorePart struct {
	Plugin           string
	Winner, RunnerUp int64
}

// WhatIf compares how things are with how they would be.
type WhatIf struct {
	Question, Command string
	Before, After     Outcome
	// Fates say how many pods fare differently, and in what: sums may be the same though other pods make them up.
	Fates []Tally
	// Changes are the pods that fare differently, then those that a budget holds where they are, then those that find no
	// node either way; Held and Waiting is how many of the latter two there are.
	Changes       List[WhatIfChange]
	Held, Waiting int
	// Notes say what else the changes bring with them.
	Notes []string
}

// Outcome is a world in numbers.
type Outcome struct {
	Placed, Pending, Evicted, Moved int
	CPU, Memory                     float64
	// Spread is how evenly nodes are used: the difference between the fullest and the emptiest.
	Spread float64
}

// WhatIfChange is one pod that fares differently.
type WhatIfChange struct {
	Pod, Key      string
	From, To      PodState
	Before, After string // nodes
	// Why is what made it leave, what holds it, or what it waits for.
	Why string
	// Same says that it fares no differently.
	Same bool
}
