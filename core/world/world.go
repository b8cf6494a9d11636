package world

import "time"

// World is the source of inputs and the receiver of effects. Package drive alternates between the two.
type World interface {
	// Next returns the next input no later than until; ok is false if there is none. In virtual time the call returns
	// at once; a world in real time waits.
	Next(until time.Time) (in Input, ok bool)
	// Do accepts an effect. It does not wait for its outcome.
	Do(e Effect)
}
