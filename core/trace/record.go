package trace

import (
	"time"

	"orrery/core/world"
)

// Record is one thing that happened in a scheduler's life, and when.
type Record struct {
	At   time.Time
	Body Body

	// Number counts the entries of the file from 0; a list takes one entry for itself and one for each object. Size is
	// how many bytes the record takes before it is packed. Both are set by a [Reader] and ignored by a [Writer].
	Number uint64
	Size   int
}

// Body is what a Record says: [Input], [Decision], [Checkpoint] or [Mark].
type Body interface{ body() }

// Input is what the engine was told.
type Input struct {
	Event world.Event
	// Hurried says that the engine was not asked to decide until there was nothing to decide, before this input.
	Hurried bool
	// Answers is what an outcome is the outcome of, if that is known: the number of an effect means something to the
	// recorded engine only.
	Answers Wish
}

// Wish says what an effect was to do, as far as is needed to find the same one in a replay.
type Wish struct {
	Verb Verb
	Pod  world.Ref
	// Detail is the type of the condition that was patched, or the extension point and the plugin that were run.
	Detail string
}

// Verb is what an effect does.
type Verb uint8

// The verbs. An announcement has none, as it has no outcome.
const (
	Unknown Verb = iota
	Bind
	PatchStatus
	Delete
	Run
)

// WishOf is what an effect is to do. It is the zero Wish for one without an outcome.
func WishOf(a world.Act) Wish {
	switch a := a.(type) {
	case world.Bind:
		return Wish{Verb: Bind, Pod: a.Pod}
	case world.PatchStatus:
		wish := Wish{Verb: PatchStatus, Pod: a.Pod}
		if a.Condition != nil {
			wish.Detail = string(a.Condition.Type)
		}
		return wish
	case world.Delete:
		return Wish{Verb: Delete, Pod: a.Pod}
	case world.Run:
		return Wish{Verb: Run, Pod: a.Pod, Detail: a.Point + " " + a.Plugin}
	}
	return Wish{}
}

// Verdict is how a scheduling attempt ended.
type Verdict uint8

// The verdicts, as the engine has them.
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

// Decision is what the engine decided when it was asked to, as far as is needed to compare it with another one.
type Decision struct {
	Seq       uint64
	Pod       world.Ref
	Attempt   int
	Verdict   Verdict
	Node      string // where the pod was placed
	Nominated string // the node that preemption makes room on
	Victims   int
	// Digest is the engine's running digest after the decision; zero when names were hashed.
	Digest uint64
}

// Checkpoint is the engine's running digest and its counts at a moment.
type Checkpoint struct {
	Digest    uint64
	Inputs    uint64
	Decisions uint64
}

// MarkKind says what makes a moment worth going to.
type MarkKind uint8

// The kinds of marks.
const (
	Note         MarkKind = iota // set by a person
	Preemption                   // a pod took the place of others
	Eviction                     // a pod was made to leave
	LeaderChange                 // a lease got another holder
	FirstFailure                 // the first pod of the trace that found no place
)

func (k MarkKind) String() string {
	if k > FirstFailure {
		return "unknown"
	}
	return [...]string{"note", "preemption", "eviction", "leader change", "first failure"}[k]
}

// Mark is a notable moment.
type Mark struct {
	Kind MarkKind
	// Pod is whom it is about, if anybody.
	Pod world.Ref
	// Text is for people.
	Text string
}

func (Input) body()      {}
func (Decision) body()   {}
func (Checkpoint) body() {}
func (Mark) body()       {}
