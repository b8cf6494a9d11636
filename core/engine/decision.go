package engine

import (
	"iter"
	"slices"
	"time"

	"orrery/core/preempt"
	"orrery/core/world"
)

// Verdict is how one scheduling attempt ended.
type Verdict uint8

// The verdicts. Placed means that a node was chosen and the pod is on its way to it; whether the binding then
// succeeds is told by the pod's journey.
const (
	Placed Verdict = iota
	Unschedulable
	Failed
	Skipped
)

func (v Verdict) String() string {
	return [...]string{"placed", "unschedulable", "failed", "skipped"}[v]
}

// Decision is the record of one scheduling attempt: what was decided, from how much, and why.
type Decision struct {
	Seq      uint64
	At       time.Time
	Pod      world.Ref
	Profile  string
	Priority int32
	Attempt  int
	Verdict  Verdict

	// Node is where the pod was placed; Nominated is the node that preemption is making room on.
	Node      string
	Nominated string
	// Message is what the pod's condition says: empty for a pod that was placed.
	Message string
	// Rejections counts, for an unschedulable pod, how many nodes each plugin turned down and with which reason.
	Rejections []Rejection
	// Preemption is the room that was made for the pod, on whose account and why there; nil if none was.
	Preemption *preempt.Record

	// Start is the index in the node order at which the search began; Examined nodes were looked at, Feasible of
	// them would do, and there are Nodes in all.
	Start, Examined, Feasible, Nodes int
	// Score is the winner's total, RunnerUp the node that came next and RunnerUpScore its total. They are zero when
	// there was nothing to compare.
	Score         int64
	RunnerUp      string
	RunnerUpScore int64
	// Generation is that of the snapshot the decision was taken on.
	Generation int64

	// Took is how long it took by the engine's stopwatch; zero without one. It is not part of the digest.
	Took time.Duration
}

// Rejection is one reason and how many nodes it was given for.
type Rejection struct {
	Plugin string
	Reason string
	Nodes  int
}

// decisionLog keeps the last decisions: it grows to its size, and then the newest takes the place of the oldest.
type decisionLog struct {
	ring   []Decision
	most   int
	oldest int
}

func newDecisionLog(size int) decisionLog { return decisionLog{most: size} }

// add keeps a decision and hands out its place.
func (l *decisionLog) add(d Decision) *Decision {
	if len(l.ring) < l.most {
		l.ring = append(l.ring, d)
		return &l.ring[len(l.ring)-1]
	}
	kept := &l.ring[l.oldest]
	*kept = d
	l.oldest = (l.oldest + 1) % l.most
	return kept
}

// newestFirst walks the log backwards in time.
func (l *decisionLog) newestFirst() iter.Seq[*Decision] {
	return func(yield func(*Decision) bool) {
		for i := range len(l.ring) {
			if !yield(&l.ring[(l.oldest+len(l.ring)-1-i)%len(l.ring)]) {
				return
			}
		}
	}
}

// record ends an attempt's decision and keeps it.
func (e *Engine) record(a *attempt) *Decision {
	e.lastSeq++
	a.decision.Seq = e.lastSeq
	a.decision.Took = e.elapsed() - a.started
	e.tally.Decisions[a.decision.Verdict]++
	e.digest.decision(&a.decision)
	e.sought(a)
	return e.decisions.add(a.decision)
}

func (l *decisionLog) fork() decisionLog {
	return decisionLog{ring: slices.Clone(l.ring), most: l.most, oldest: l.oldest}
}
