package play

import (
	"slices"

	"orrery/core/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// forks are what a Player keeps to come back to, about as much work apart from each other.
type forks struct {
	kept    []keptFork // in order
	spacing Work       // between them, at least
	done    Work       // from the beginning to the furthest point
}

type keptFork struct {
	standing
	done Work
}

const (
	// mostForks bounds the forks that are kept: each holds what the engine held then and does not hold any more.
	mostForks = 32
	// firstSpacing is what lies between forks until there are too many.
	firstSpacing Work = 4000
	// forkShare is how much more than a fork costs is played between two.
	forkShare = 8
)

func newForks() forks { return forks{spacing: firstSpacing} }

// upTo is the last fork at a record or before it.
func (f *forks) upTo(record int) (standing, bool) {
	i, _ := slices.BinarySearchFunc(f.kept, record+1, func(k keptFork, at int) int { return k.at - at })
	if i == 0 {
		return standing{}, false
	}
	return f.kept[i-1].standing, true
}

// keep keeps a fork of the furthest point, if it is time to, and makes room when there are too many.
func (f *forks) keep(s standing) (Work, error) {
	cost := forkWork(s.engine)
	if len(f.kept) > 0 && f.done-f.kept[len(f.kept)-1].done < max(f.spacing, forkShare*cost) {
		return 0, nil
	}
	fork, err := s.fork()
	if err != nil {
		return 0, err
	}
	f.kept = append(f.kept, keptFork{fork, f.done})
	if len(f.kept) > mostForks {
		f.thin()
	}
	return cost, nil
}

// thin lets those go that stand closer to the one before than is kept from now on.
func (f *forks) thin() {
	f.spacing *= 2
	last := f.kept[0].done
	thinned := f.kept[:1]
	for _, k := range f.kept[1:] {
		if k.done-last >= f.spacing {
			thinned, last = append(thinned, k), k.done
		}
	}
	clear(f.kept[len(thinned):])
	f.kept = thinned
}

// Work is how much there is to do, in microseconds of a slow machine. It is an estimate made from what is played, so
// that whoever plays in portions plays the same ones every time.
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
