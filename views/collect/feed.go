package collect

import (
	"time"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/views"
)

// maxFeed bounds the decisions of the overview, and maxQueued the transitions that are read for how long a pod was queued.
const (
	//orrery:limit screen; decisions on the overview; the oldest goes
	maxFeed = 24
	//orrery:limit screen; moves that are read for how long a pod was queued; the oldest do not count
	maxQueued = 6
)

// feed keeps the rows of the latest decisions: a decision does not change.
type feed struct {
	namespace string
	last      uint64
	rows      []views.DecisionRow
}

// of returns the latest decisions, the newest first; with a namespace those on its pods.
func (f *feed) of(e *engine.Engine, namespace string) []views.DecisionRow {
	if f.namespace != namespace {
		*f = feed{namespace: namespace}
	}
	if e.LastDecision() == f.last {
		return f.rows
	}
	rows := make([]views.DecisionRow, 0, maxFeed)
	for d := range e.Decisions() {
		if d.Seq <= f.last || len(rows) == maxFeed {
			break
		}
		if namespace != "" && d.Pod.Namespace != namespace {
			continue
		}
		row := decisionRow(d)
		row.RunnerUp, row.RunnerUpScore, row.Queued = printable.Text(d.RunnerUp), d.RunnerUpScore, queuedFor(e, d)
		rows = append(rows, row)
	}
	rows = append(rows, f.rows...)
	f.last, f.rows = e.LastDecision(), rows[:min(len(rows), maxFeed)]
	return f.rows
}

// queuedFor returns how long a pod was in activeQ before an attempt; zero if that is no longer recorded.
func queuedFor(e *engine.Engine, d *engine.Decision) (waited time.Duration) {
	list := e.LastPodTransitions(d.Pod.UID, maxQueued)
	for i := 1; i < len(list); i++ {
		if popped := &list[i]; popped.To == queue.InFlight && !popped.At.After(d.At) && list[i-1].To == queue.Active {
			waited = popped.At.Sub(list[i-1].At)
		}
	}
	return waited
}
