package world

import "time"

// World is where inputs come from and effects go to. Whoever drives an engine alternates between the two; see
// engine.Drive.
type World interface {
	// Next is the next input that happens no later than until; ok is false when there is none. In virtual time the
	// call returns at once, and a world in real time waits.
	Next(until time.Time) (in Input, ok bool)
	// Do takes an effect over. It does not wait for its end.
	Do(e Effect)
}
