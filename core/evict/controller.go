package evict

import (
	"time"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// The functions below are what the controllers have in common that follow the objects of a cluster.

// OwnOrShared returns the record and the store that a controller is given. What it is not given it gets for itself.
func OwnOrShared(record *Record, shared *store.Store, kinds ...world.Kind) (*Record, *store.Store) {
	if record == nil {
		record = NewRecord()
	}
	if shared == nil {
		shared = store.New(kinds...)
	}
	return record, shared
}

// TakeIn applies the objects of an input to a store. An object that the store refuses is left out, as in the engine.
func TakeIn(s *store.Store, in world.Input) (deltas []store.Delta) {
	switch event := in.Event.(type) {
	case world.Changed:
		deltas, _ = s.Apply(event)
	case world.Listed:
		deltas, _ = s.Replace(event)
	}
	return deltas
}

// Advance sets a controller's time to a later one. It fires the timers that are due by then one after the other, each at its own
// time, as the next one may depend on it. Time never runs backwards.
func Advance(now *time.Time, to time.Time, next func() (time.Time, bool), fire func(due time.Time)) {
	for {
		due, ok := next()
		if !ok || due.After(to) {
			break
		}
		*now = Later(*now, due)
		fire(due)
	}
	*now = Later(*now, to)
}
