package engine

import (
	"iter"
	"slices"
	"time"

	"orrery/core/scheduler/preempt"
	"orrery/core/world"
)

type Verdict uint8

// The verdicts. Placed means that a node was chosen and the binding starts; the pod's transitions and events record
// whether it succeeded.
const (
	Placed Verdict = iota
	Unschedulable
	Failed
	Skipped
)

func (v Verdict) String() string {
	return [...]string{"placed", "unschedulable", "failed", "skipped"}[v]
}

// Decision is the record of one scheduling attempt.
type Decision struct {
	Seq      uint64
	At       time.Time
	Pod      world.PodRef
	Profile  string
	Priority int32
	Attempt  int
	Verdict  Verdict

	// Node is the chosen node; Nominated is the node that preemption nominated.
	Node      string
	Nominated string
	// Message is the message of the pod's condition: empty for a placed pod.
	Message string
	// Rejections counts, for an unschedulable pod, how many nodes each plugin rejected, by reason.
	Rejections []Rejection
	// Preemption records the victims, the node and the reason for it; nil without preemption.
	Preemption *preempt.Record

	// Start is the index in the node order at which the search began. Of all Nodes, Examined were filtered and Feasible
	// passed.
	Start, Examined, Feasible, Nodes int
	// Score is the winner's total; RunnerUp is the second-best node and RunnerUpScore its total. All are zero if fewer
	// than two nodes were scored.
	Score         int64
	RunnerUp      string
	RunnerUpScore int64
	// Unknown names the extenders that were not asked, or that the world does not have: what they say of the pod is unknown, and
	// each counts as one that leaves all nodes, gives no score and agrees with all victims.
	Unknown []string
	// Generation is that of the snapshot of the attempt.
	Generation int64

	// Duration is the attempt's duration by the stopwatch; zero without one. It is not part of the digest.
	Duration time.Duration
}

// Rejection is one reason and the number of nodes rejected for it.
type Rejection struct {
	Plugin string
	Reason string
	Nodes  int
}

// addUnknown adds an extender, once.
func (d *Decision) addUnknown(extender string) {
	if !slices.Contains(d.Unknown, extender) {
		d.Unknown = append(slices.Clip(d.Unknown), extender)
	}
}

// decisionLog is a ring buffer of the latest decisions.
type decisionLog struct {
	ring   []Decision
	size   int
	oldest int
}

func newDecisionLog(size int) decisionLog { return decisionLog{size: size} }

// add stores a decision and returns its slot.
func (l *decisionLog) add(d Decision) *Decision {
	if len(l.ring) < l.size {
		l.ring = append(l.ring, d)
		return &l.ring[len(l.ring)-1]
	}
	kept := &l.ring[l.oldest]
	*kept = d
	l.oldest = (l.oldest + 1) % l.size
	return kept
}

// resize keeps at most the latest size decisions.
func (l *decisionLog) resize(size int) {
	if size == l.size {
		return
	}
	kept := make([]Decision, 0, min(size, len(l.ring)))
	for i := len(l.ring) - cap(kept); i < len(l.ring); i++ {
		kept = append(kept, l.ring[(l.oldest+i)%len(l.ring)])
	}
	*l = decisionLog{ring: kept, size: size}
}

func (l *decisionLog) newestFirst() iter.Seq[*Decision] {
	return func(yield func(*Decision) bool) {
		for i := range len(l.ring) {
			if !yield(&l.ring[(l.oldest+len(l.ring)-1-i)%len(l.ring)]) {
				return
			}
		}
	}
}

// recordDecision completes an attempt's decision and adds it to the log.
func (e *Engine) recordDecision(a *attempt) *Decision {
	e.lastSeq++
	a.decision.Seq = e.lastSeq
	a.decision.Duration = e.elapsed() - a.started
	e.counters.Decisions[a.decision.Verdict]++
	e.digest.decision(&a.decision)
	e.recordSearch(a)
	return e.decisions.add(a.decision)
}

func (l *decisionLog) fork() decisionLog {
	return decisionLog{ring: slices.Clone(l.ring), size: l.size, oldest: l.oldest}
}

// MainRejection returns the rejection of the most nodes; of a decision that rejected none, one with only its message as the reason.
func (d *Decision) MainRejection() Rejection {
	most := Rejection{Reason: d.Message}
	for _, r := range d.Rejections {
		if r.Nodes > most.Nodes {
			most = r
		}
	}
	return most
}
