package engine

import (
	"iter"
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

// decisionLog keeps the last decisions in a ring.
type decisionLog struct {
	ring []Decision
	next int
	full bool
}

func newDecisionLog(size int) decisionLog { return decisionLog{ring: make([]Decision, size)} }

// add keeps a decision, over the oldest one once the ring is full, and hands out its place.
func (l *decisionLog) add(d Decision) *Decision {
	kept := &l.ring[l.next]
	*kept = d
	l.next++
	if l.next == len(l.ring) {
		l.next, l.full = 0, true
	}
	return kept
}

// newestFirst walks the log backwards in time.
func (l *decisionLog) newestFirst() iter.Seq[*Decision] {
	return func(yield func(*Decision) bool) {
		count := l.next
		if l.full {
			count = len(l.ring)
		}
		for i := 1; i <= count; i++ {
			if !yield(&l.ring[(l.next-i+len(l.ring))%len(l.ring)]) {
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
	return e.decisions.add(a.decision)
}

func (l *decisionLog) fork() decisionLog {
	f := *l
	f.ring = append([]Decision(nil), l.ring...)
	return f
}
