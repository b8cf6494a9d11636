package tui

import (
	"time"

	"orrery/core/engine"
	"orrery/views"
	"orrery/views/collect"
)

// Source is what is watched. It belongs to the pump: nobody else calls it, and what its engine says is not kept beyond
// the call.
type Source interface {
	// Name is what the header calls it, Mode what it does to the world.
	Name() string
	Mode() views.Mode
	// Advance lets so much real time pass and tells whether anything is different now. It works for a bounded time.
	Advance(real time.Duration) (changed bool)
	// Moving tells whether Advance will change anything sooner or later; false while paused and at the end.
	Moving() bool
	// Now is the time that countdowns count by.
	Now() time.Time
	// Engine is the engine as it is now; another one after a step back in time.
	Engine() *engine.Engine
	// Chronicle is what the engine itself does not remember; nil if nobody wrote it down.
	Chronicle() *collect.Chronicle
	// Timeline is nil where time cannot be moved in.
	Timeline() *views.Timeline
}

// Hurried is a Source that may want more than one call of Advance for the time that has passed.
type Hurried interface {
	// Behind tells whether Advance came to the end of its bounds before the end of its work.
	Behind() bool
}

// Alarmed is a Source that something may be wrong with.
type Alarmed interface {
	// Alert is what has to be known before anything else, in printable words; empty if nothing has.
	Alert() string
}

// Playback is a Source whose time can be moved in. Steps and seeks leave it paused or playing as it was, except that a
// single step pauses it.
type Playback interface {
	Now() time.Time
	Toggle()
	Playing() bool
	Faster()
	Slower()
	SetSpeed(times float64)
	// Step goes on by one decision, or back by one; StepInput by one thing that happened.
	Step(back bool) error
	StepInput(back bool) error
	SeekTo(t time.Time) error
	// Mark goes to the next notable moment, or to the one before.
	Mark(back bool) error
	Ends(last bool) error
	Loop() bool
	SetLoop(bool)
}
