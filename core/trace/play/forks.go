package play

import (
	"slices"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// forks are the forks that a Player keeps for seeking, about equal amounts of work apart.
type forks struct {
	list    []keptFork // in order
	spacing Work       // minimum work between two forks
	done    Work       // work from the start to the furthest point
}

type keptFork struct {
	playhead
	done Work
}

const (
	// maxForks bounds the kept forks: each holds state that the engine has since replaced.
	//
	//orrery:limit recordings; copies of the engine that a player keeps to go back; those that are close together go
	maxForks = 32
	// firstSpacing is the work between forks until there are too many.
	firstSpacing Work = 4000
	// forkShare is the least ratio of the work between two forks to the cost of a fork.
	forkShare = 8
)

func newForks() forks { return forks{spacing: firstSpacing} }

// nearest returns the last fork at or before a record.
func (f *forks) nearest(record int) (playhead, bool) {
	i, _ := slices.BinarySearchFunc(f.list, record+1, func(k keptFork, at int) int { return k.record - at })
	if i == 0 {
		return playhead{}, false
	}
	return f.list[i-1].playhead, true
}

// keep forks the furthest point if the last fork is far enough back, and thins the forks if there are too many.
func (f *forks) keep(s playhead) (Work, error) {
	cost := forkWork(s.engine)
	if len(f.list) > 0 && f.done-f.list[len(f.list)-1].done < max(f.spacing, forkShare*cost) {
		return 0, nil
	}
	fork, err := s.forkBy((*engine.Engine).ForkToKeep)
	if err != nil {
		return 0, err
	}
	f.list = append(f.list, keptFork{fork, f.done})
	if len(f.list) > maxForks {
		f.thin()
	}
	return cost, nil
}

// thin doubles the spacing and drops the forks that are closer than that to the previous one.
func (f *forks) thin() {
	f.spacing *= 2
	last := f.list[0].done
	thinned := f.list[:1]
	for _, k := range f.list[1:] {
		if k.done-last >= f.spacing {
			thinned, last = append(thinned, k), k.done
		}
	}
	clear(f.list[len(thinned):])
	f.list = thinned
}

// Work is an estimate of work in microseconds of a slow machine. It depends on the played records only, so that a
// caller that plays in portions plays the same portions every time.
type Work int

func workOf(r *trace.Record, e *engine.Engine) Work {
	switch b := r.Body.(type) {
	case trace.Input:
		if list, ok := b.Event.(world.Listed); ok {
			return Work(20 + 20*len(list.Objects))
		}
		return 20
	case trace.Decision:
		for d := range e.Decisions() {
			work := Work(60 + d.Examined/2)
			if d.Preemption != nil {
				work += Work(200 + 2*d.Examined)
			}
			return work
		}
	}
	return 1
}

func forkWork(e *engine.Engine) Work {
	return Work(200 + (e.Cache().PodCount()+e.Cache().NodeCount()+e.Store().Len(world.Pod))/8)
}
