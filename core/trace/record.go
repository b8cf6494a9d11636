package trace

import (
	"time"

	"orrery/core/world"
)

// Record is one entry of a trace with its time.
type Record struct {
	At   time.Time
	Body Body

	// Number counts the entries of the file from 0; a list takes one entry for itself and one for each object. Size is
	// the unpacked size in bytes. A [Reader] sets both and a [Writer] ignores them.
	Number uint64
	Size   int
}

// Body is the content of a Record: [Input], [Decision], [Checkpoint], [Mark], [State] or [Usage].
type Body interface{ body() }

// Input is an event that the engine received.
type Input struct {
	Event world.Event
	// BeforeRest says that the engine had not decided everything pending before this input.
	BeforeRest bool
	// Effect identifies the effect of an outcome, if known: effect numbers are valid in the recorded engine only.
	Effect EffectKey
}

// EffectKey identifies an effect by its action, to find the same one in a replay.
type EffectKey struct {
	Verb Verb
	Pod  world.PodRef
	// Detail is the type of the patched condition, the extension point and the plugin that ran, or the volume or the claim
	// of volumes or devices that was written, or the verb and the address of an extender.
	Detail string
}

// Verb is the kind of an effect.
type Verb uint8

// The verbs. Events have none, as they have no outcome.
const (
	Unknown Verb = iota
	Bind
	PatchStatus
	Delete
	RunPlugin
	ClaimVolume
	SelectNode
	ReserveResourceClaim
	UnreserveResourceClaim
	DeallocateResourceClaim
	CreateResourceClaim
	DeleteResourceClaim
	CallExtender
)

// namesObject reports whether the detail of an effect is the name of an object.
func (v Verb) namesObject() bool { return v >= ClaimVolume && v <= DeleteResourceClaim }

// WritesForBinding reports whether a verb is a write of an object that a pod's binding waits for.
func (v Verb) WritesForBinding() bool {
	switch v {
	case ClaimVolume, SelectNode, ReserveResourceClaim, CreateResourceClaim:
		return true
	}
	return false
}

// EffectKeyOf returns the key of an action; zero for one without an outcome.
func EffectKeyOf(a world.Action) EffectKey {
	switch a := a.(type) {
	case world.Bind:
		return EffectKey{Verb: Bind, Pod: a.Pod}
	case world.PatchStatus:
		key := EffectKey{Verb: PatchStatus, Pod: a.Pod}
		if a.Condition != nil {
			key.Detail = string(a.Condition.Type)
		}
		return key
	case world.Delete:
		return EffectKey{Verb: Delete, Pod: a.Pod}
	case world.RunPlugin:
		return EffectKey{Verb: RunPlugin, Pod: a.Pod, Detail: a.Point + " " + a.Plugin}
	case world.ClaimVolume:
		return EffectKey{Verb: ClaimVolume, Pod: a.Pod, Detail: a.Volume.Name}
	case world.SelectNode:
		return EffectKey{Verb: SelectNode, Pod: a.Pod, Detail: a.Claim.Name}
	case world.ReserveResourceClaim:
		return EffectKey{Verb: ReserveResourceClaim, Pod: a.Pod, Detail: a.Claim.Name}
	case world.UnreserveResourceClaim:
		return EffectKey{Verb: UnreserveResourceClaim, Pod: a.Pod, Detail: a.Claim.Name}
	case world.DeallocateResourceClaim:
		return EffectKey{Verb: DeallocateResourceClaim, Pod: a.Pod, Detail: a.Claim.Name}
	case world.CreateResourceClaim:
		return EffectKey{Verb: CreateResourceClaim, Pod: a.Pod, Detail: a.Claim.Name}
	case world.DeleteResourceClaim:
		return EffectKey{Verb: DeleteResourceClaim, Pod: a.Pod, Detail: a.Claim.Name}
	case world.CallExtender:
		return EffectKey{Verb: CallExtender, Pod: a.Pod, Detail: a.Verb.String() + " " + a.URL}
	}
	return EffectKey{}
}

// Verdict is the result of a scheduling attempt.
type Verdict uint8

// The verdicts have the engine's values.
const (
	Placed Verdict = iota
	Unschedulable
	Failed
	Skipped
)

func (v Verdict) String() string {
	if v > Skipped {
		return "unknown"
	}
	return [...]string{"placed", "unschedulable", "failed", "skipped"}[v]
}

// Decision is an engine's decision, reduced to the fields that a replay compares.
type Decision struct {
	Seq       uint64
	Pod       world.PodRef
	Attempt   int
	Verdict   Verdict
	Node      string // where the pod was placed
	Nominated string // the node that preemption makes room on
	Victims   int
	// Digest is the engine's running digest after the decision; zero when names were hashed.
	Digest uint64
}

// Checkpoint is the engine's running digest with its counts of inputs and decisions.
type Checkpoint struct {
	Digest    uint64 `json:"digest"`
	Inputs    uint64 `json:"inputs"`
	Decisions uint64 `json:"decisions"`
}

// MarkKind is why a moment is marked.
type MarkKind uint8

// The kinds of marks.
const (
	Note             MarkKind = iota // set by the user
	Preemption                       // a pod preempted others
	Eviction                         // a pod was evicted
	LeaderChange                     // another holder acquired a lease
	FirstFailure                     // the first unschedulable pod of the trace
	RecordingStopped                 // the scheduler's recording on disk stopped
	RecordingResumed                 // it goes on
	Difference                       // the cluster's scheduler decided otherwise, and event timing does not explain it
	FellBehind                       // what is recorded lags behind the cluster, or its API server is lost
	CaughtUp                         // it no longer does
)

func (k MarkKind) String() string {
	if k > CaughtUp {
		return "unknown"
	}
	return [...]string{"note", "preemption", "eviction", "leader change", "first failure", "recording stopped", "recording resumed", "difference", "fell behind", "caught up"}[k]
}

// Mark is a notable moment.
type Mark struct {
	Kind MarkKind
	// Pod is the pod of the mark; zero if there is none.
	Pod  world.PodRef
	Text string
}

// State is what a scheduler held at a time, from which another goes on: the objects, and data that refer to these by their numbers.
// The rest is as in a Checkpoint. Only traces [FromState] have states; each begins with one.
type State struct {
	Checkpoint
	Objects []world.Object
	Data    []byte
}

func (Input) body()      {}
func (Decision) body()   {}
func (Checkpoint) body() {}
func (Mark) body()       {}
