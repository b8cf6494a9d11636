package whatif

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
)

// Walk makes changes one after the other, each on what the one before left. A fork of it tries what may have to be undone.
type Walk struct{ run *run }

// Walk begins a walk, at rest.
func (s *Start) Walk(seed uint64) (*Walk, error) {
	s.run.engine.SettleTies(seed) // of the fork
	r, err := s.run.fork()
	if err != nil {
		return nil, fmt.Errorf("beginning to change one thing after the other: %w", err)
	}
	w := &Walk{r}
	w.run.patient = false
	w.run.toRest()
	return w, nil
}

// Fork returns an independent copy. No drain of the walk may be blocked.
func (w *Walk) Fork() (*Walk, error) {
	w.run.drains = nil // they have ended
	r, err := w.run.fork()
	if err != nil {
		return nil, fmt.Errorf("forking a walk: %w", err)
	}
	r.notes = slices.Clip(r.notes)
	return &Walk{r}, nil
}

// Do makes changes and lets the cluster come to rest.
func (w *Walk) Do(changes ...change.Change) error {
	w.run.latestByPod, w.run.held = nil, nil
	if err := w.run.applyAll(changes); err != nil {
		return err
	}
	w.run.toRest()
	return nil
}

// Engine is the scheduler at rest. It is only to be read.
func (w *Walk) Engine() *engine.Engine { return w.run.engine }

// Since compares the walk with an earlier fork of it, pod by pod. The result has no summaries.
func (w *Walk) Since(earlier *Walk) *Result {
	a := &Result{At: earlier.run.now, Notes: w.run.notes, RestAt: w.run.lastChange, Truncated: w.run.truncated}
	for _, d := range w.run.drains {
		a.Blocked = append(a.Blocked, d.blocked(w.run)...)
		a.ToEvict += len(d.machine.Plan().Evict)
	}
	w.run.slots.matchRemaining()
	c := comparison{plain: earlier.run, changed: w.run, result: a, seen: map[types.UID]bool{}}
	c.alignHeirs()
	c.compareTouched()
	c.comparePending(w.run.base)
	c.compareNewPods()
	slices.SortFunc(a.Pods, byPod)
	slices.SortFunc(a.StillPending, byPod)
	return a
}
