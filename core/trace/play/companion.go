package play

import "orrery/core/engine"

// Companion remembers what an engine does not, of what passes by. It goes wherever its engine goes: it is told what the
// engine is told, decides and wants, in the same order; it is forked when the engine is, and exchanged with it when a
// Player goes back.
//
// Like an engine, it has to be a function of what it is told. As its engine is exchanged for a fork, it holds on to none:
// it is shown the engine when it is asked something.
type Companion interface {
	engine.Witness
	// Fork is an independent copy as of now.
	Fork() Companion
}
