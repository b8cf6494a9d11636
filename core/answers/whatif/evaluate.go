package whatif

import (
	"fmt"
	"slices"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Evaluate returns what changes would do to the pods of an engine's cluster at this moment. It only reads the engine. A
// change that cannot be made, such as one of a missing node or pod, is an error.
func Evaluate(e *engine.Engine, changes []change.Change, o Options) (*Result, error) {
	results, errs := EvaluateEach(e, [][]change.Change{changes}, o)
	return results[0], errs[0]
}

// EvaluateEach evaluates several sets of changes, each for itself: Evaluate for every one, with the run that changes
// nothing made once for all. Either the result or the error at an index is nil.
func EvaluateEach(e *engine.Engine, each [][]change.Change, o Options) ([]*Result, []error) {
	s, err := Begin(e, o)
	if err != nil {
		return make([]*Result, len(each)), slices.Repeat([]error{err}, len(each))
	}
	return s.Each(each, o.Seed)
}

// Start is where several questions about one moment begin: the cluster is simulated once for all.
type Start struct {
	run   *run
	plain map[uint64]*run // at rest without changes, by how ties fall
}

// Begin simulates the cluster of an engine. It only reads the engine, which must not change before the last question was asked.
func Begin(e *engine.Engine, o Options) (*Start, error) {
	if o.MaxTime == 0 {
		o.MaxTime = defaultMaxTime
	}
	if o.MaxDecisions == 0 {
		o.MaxDecisions = defaultMaxDecisions
	}
	r, err := begin(e, o)
	if err != nil {
		return nil, fmt.Errorf("asking what if: %w", err)
	}
	return &Start{run: r}, nil
}

// Each is EvaluateEach with ties that fall as a seed says.
func (s *Start) Each(each [][]change.Change, seed uint64) ([]*Result, []error) {
	results, errs := make([]*Result, len(each)), make([]error, len(each))
	start, plain, changed, err := s.runs(each, seed, errs)
	if err != nil {
		for i := range errs {
			errs[i] = fmt.Errorf("asking what if: %w", err)
		}
		return results, errs
	}
	plain.toRest()
	plain.slots.matchRemaining()
	for i, r := range changed {
		if errs[i] == nil {
			r.toRest()
			results[i] = compareRuns(s.run.base, each[i], plain, r)
			results[i].explainUpgrade(start, plain, r)
		}
	}
	return results, errs
}

// runs returns a run for each set of changes, with the changes made or the error why not, and one without changes; of an upgrade also where that one
// starts.
func (s *Start) runs(each [][]change.Change, seed uint64, errs []error) (start, plain *run, changed []*run, err error) {
	if plain, err = s.run.fork(); err != nil {
		return nil, nil, nil, err
	}
	if upgrades(each) {
		if err := plain.restart(plain.engine.Features()); err != nil {
			return nil, nil, nil, err
		}
	}
	plain.engine.SettleTies(seed)
	if start = plain; upgrades(each) {
		if start, err = plain.fork(); err != nil {
			return nil, nil, nil, err
		}
	}
	for i, changes := range each {
		r, err := plain.fork()
		if err != nil {
			return nil, nil, nil, err
		}
		for _, c := range changes {
			if err := r.apply(c); err != nil {
				errs[i] = fmt.Errorf("asking what if %q: %w", c.String(), err)
				break
			}
		}
		if upgrades(each) {
			r.applyDue()
		}
		changed = append(changed, r)
	}
	return start, plain, changed, nil
}

// Pods is how many pods the cluster has.
func (s *Start) Pods() int { return s.run.base.Store().Len(world.Pod) }
