package answer

import "time"

// Preemption is the one that a decision would make.
type Preemption struct {
	Node       string `json:"node"`
	Victims    []Ref  `json:"victims"`
	Violations int    `json:"pdbViolations"`
	Criterion  string `json:"criterion,omitempty"`
}

// PreemptionEvidence is what the dry run of a preemption found, for a pod without a feasible node.
type PreemptionEvidence struct {
	// Ineligible says why the pod may not preempt; Terminating are earlier victims that it waits for.
	Ineligible  string   `json:"ineligible,omitempty"`
	Terminating []Victim `json:"terminating,omitempty"`
	// EvictingOn is the node where victims of the pod are being evicted, which do not terminate yet.
	EvictingOn string   `json:"evictingOn,omitempty"`
	Evicting   []Victim `json:"evicting,omitempty"`
	// Groups are the nodes of the dry run by outcome.
	Groups []PreemptionGroup `json:"groups,omitempty"`
	// NotTried counts the nodes outside the sample, Unresolvable those whose rejection no eviction changes.
	NotTried     int `json:"notTried,omitempty"`
	Unresolvable int `json:"unresolvable,omitempty"`
	// Node is where Victims would be evicted, By the criterion that chose it, Budgets those that this violates.
	Node    string   `json:"node,omitempty"`
	Victims []Victim `json:"victims,omitempty"`
	By      string   `json:"by,omitempty"`
	Budgets []string `json:"budgets,omitempty"`
	// Priority is the pod's.
	Priority int32 `json:"-"`
}

// PreemptionGroup is the nodes with the same outcome of the dry run.
type PreemptionGroup struct {
	Outcome PreemptionOutcome `json:"outcome"`
	// Reason is the rejection that remains without the pods of lower priority, for StillRejected.
	Reason string   `json:"reason,omitempty"`
	Nodes  []string `json:"nodes"`
}

// PreemptionOutcome says whether evictions would make room on a node.
type PreemptionOutcome string

// The outcomes. NoLowerPriority is also that of nodes without pods.
const (
	HasVictims      PreemptionOutcome = "HasVictims"
	StillRejected   PreemptionOutcome = "StillRejected"
	NoLowerPriority PreemptionOutcome = "NoLowerPriority"
	NoPods          PreemptionOutcome = "NoPods"
)

// Victim is a pod that is, or would be, evicted.
type Victim struct {
	Pod      string `json:"pod"` // namespace/name
	Priority int32  `json:"priority"`
	// Ends is when its grace period ends; zero before it terminates.
	Ends time.Time `json:"ends,omitzero"`
}
