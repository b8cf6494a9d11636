package evict

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
)

// Record is the one record of evictions: pod, initiator, reason, prediction and outcome. Controllers that evict pods write
// to it, and so does an observer of controllers elsewhere; panes, answers and tests read it. It keeps every open eviction
// and the newest ended ones.
//
// Several writers may write one eviction. A pod is evicted once: Record ignores later writes of that cause, so the order of
// the writers does not matter.
type Record struct {
	open     map[evictionKey]*Eviction // its entries are replaced, never changed, so that forks share them
	ended    []Eviction                // oldest first
	evicted  map[evictionKey]struct{}  // those of ended whose phase is Evicted
	outcomes OutcomeCounts
	total    uint64 // that ended
	pdbIndex
}

// evictionKey tells two evictions of one pod apart by their causes.
type evictionKey struct {
	uid   types.UID
	cause Cause
}

// maxEnded bounds how many evictions are kept after their end, maxTextLength the texts of an eviction.
const (
	//orrery:limit scheduler; evictions that ended and are remembered, and up to as many more; the oldest go
	maxEnded = 4096
	//orrery:limit scheduler; a text of an eviction, in characters; cut off
	maxTextLength = 1024
)

// NewRecord returns an empty record.
func NewRecord() *Record {
	return &Record{open: map[evictionKey]*Eviction{}, evicted: map[evictionKey]struct{}{}, pdbIndex: pdbIndex{}}
}

// Write replaces the entry of a pod and a cause, except FirstSeen and an earlier prediction. Evicted, Cancelled and Killed end an
// eviction; the containers of a pod can be killed again. Its texts are made printable, since taints and messages come from outside.
func (r *Record) Write(e Eviction) {
	k := evictionKey{e.Pod.UID, e.Cause}
	if _, over := r.evicted[k]; over {
		return
	}
	e.Initiator, e.Reason = printable.Line(e.Initiator, maxTextLength), printable.Line(e.Reason, maxTextLength)
	if was := r.open[k]; was != nil {
		if !was.FirstSeen.IsZero() {
			e.FirstSeen = was.FirstSeen
		}
		e.Prediction = e.Prediction.merge(was.Prediction, e.Phase == Terminating || was.Phase == Terminating)
	}
	r.evaluatePrediction(&e)
	if e.Phase < Evicted {
		r.open[k] = &e
		return
	}
	delete(r.open, k)
	if e.Phase == Evicted {
		r.evicted[k] = struct{}{}
	}
	r.ended = append(r.ended, e)
	r.total++
	if len(r.ended) >= 2*maxEnded {
		r.dropOldest(len(r.ended) - maxEnded)
	}
}

// Update changes an open eviction; it does nothing if there is none.
func (r *Record) Update(pod types.UID, cause Cause, change func(*Eviction)) {
	if e, open := r.Find(pod, cause); open {
		change(&e)
		r.Write(e)
	}
}

// End ends an open eviction, if there is one, with the phase Evicted or Cancelled.
func (r *Record) End(pod types.UID, cause Cause, phase Phase, at time.Time, reason string) {
	r.Update(pod, cause, func(e *Eviction) { e.Phase, e.Ended, e.Reason = phase, at, reason })
}

// PodTerminating records the end of the grace period of a pod that is being deleted for the cause: its eviction has begun,
// or its DisruptionTarget condition confirms it.
func (r *Record) PodTerminating(pod *v1.Pod, cause Cause, confirmed bool) {
	r.Update(pod.UID, cause, func(e *Eviction) {
		if e.Phase == Terminating || confirmed {
			e.Phase, e.Deadline = Terminating, pod.DeletionTimestamp.Time
		}
	})
}

// PodDeleted ends the eviction of a deleted pod: Evicted if it was deleted for the cause, Cancelled if not.
func (r *Record) PodDeleted(pod *v1.Pod, cause Cause, at time.Time, confirmed bool) {
	r.Update(pod.UID, cause, func(e *Eviction) {
		e.Ended = at
		if e.Prediction.OtherReason == "" && e.Phase == Terminating || confirmed {
			e.Phase = Evicted
		} else {
			e.Phase, e.Reason = Cancelled, "deleted for another reason"
		}
	})
}

// evaluatePrediction decides the outcome of an eviction's prediction, if that is possible already.
func (r *Record) evaluatePrediction(e *Eviction) {
	p := &e.Prediction
	if p.Outcome == Pending {
		p.OtherReason = printable.Line(p.OtherReason, maxTextLength)
		p.Outcome = e.outcome()
		if p.Outcome != Pending {
			r.outcomes[p.Outcome]++
		}
	}
}

// Outcomes counts the outcomes of all predictions, those of dropped evictions included.
func (r *Record) Outcomes() OutcomeCounts { return r.outcomes }

func (r *Record) dropOldest(n int) {
	for i := range r.ended[:n] {
		if e := &r.ended[i]; e.Phase == Evicted {
			delete(r.evicted, evictionKey{e.Pod.UID, e.Cause})
		}
	}
	r.ended = slices.Clone(r.ended[n:])
}

// Find returns the eviction of a pod for a cause, if it is not over.
func (r *Record) Find(pod types.UID, cause Cause) (Eviction, bool) {
	if e := r.open[evictionKey{pod, cause}]; e != nil {
		return r.withAllowed(e), true
	}
	return Eviction{}, false
}

// Open lists the evictions that are not over, the earliest deadline first; those without one come last.
func (r *Record) Open() []Eviction {
	list := make([]Eviction, 0, len(r.open))
	for _, e := range r.open {
		list = append(list, r.withAllowed(e))
	}
	slices.SortFunc(list, func(x, y Eviction) int {
		if x.Deadline.IsZero() != y.Deadline.IsZero() {
			if x.Deadline.IsZero() {
				return 1
			}
			return -1
		}
		return cmp.Or(x.Deadline.Compare(y.Deadline), cmp.Compare(x.Pod.String(), y.Pod.String()),
			cmp.Compare(x.Pod.UID, y.Pod.UID), cmp.Compare(x.Cause, y.Cause))
	})
	return list
}

// withAllowed returns an eviction with the disruptions that its budget allows now.
func (r *Record) withAllowed(e *Eviction) Eviction {
	twin := *e
	if pdb := r.get(e.Pod.Namespace, e.Budget); pdb != nil {
		twin.DisruptionsAllowed = pdb.pdb.Status.DisruptionsAllowed
	}
	return twin
}

// Ended lists the evictions that are over, the oldest first.
func (r *Record) Ended() []Eviction { return r.ended[max(0, len(r.ended)-maxEnded):] }

// TotalEnded counts the evictions that have ended so far: also those that Ended no longer has.
func (r *Record) TotalEnded() uint64 { return r.total }

// SetBudget takes in a PodDisruptionBudget and reports whether it may select other pods than before.
func (r *Record) SetBudget(pdb *policyv1.PodDisruptionBudget) bool { return r.put(pdb) }

// DeleteBudget forgets a budget.
func (r *Record) DeleteBudget(namespace, name string) { r.remove(namespace, name) }

// BudgetOf returns the budget that selects a pod and its allowed disruptions: of several the one that allows the fewest,
// then the first by name. The name is empty if no budget selects the pod.
func (r *Record) BudgetOf(pod *v1.Pod) (budget string, allowed int32) {
	if pdb := r.tightest(pod); pdb != nil {
		return pdb.pdb.Name, pdb.pdb.Status.DisruptionsAllowed
	}
	return "", 0
}

// Budgets lists the budgets of a namespace by name. The list must not be changed.
func (r *Record) Budgets(namespace string) []*policyv1.PodDisruptionBudget {
	var list []*policyv1.PodDisruptionBudget
	for i := range r.pdbIndex[namespace] {
		list = append(list, r.pdbIndex[namespace][i].pdb)
	}
	return list
}

// Fork returns an independent copy.
func (r *Record) Fork() *Record {
	return &Record{
		open: maps.Clone(r.open), ended: slices.Clip(r.ended), evicted: maps.Clone(r.evicted), outcomes: r.outcomes, total: r.total, pdbIndex: maps.Clone(r.pdbIndex),
	}
}
