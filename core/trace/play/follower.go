package play

import "orrery/core/scheduler/drive"

// Follower keeps state that an engine does not. It observes the same inputs, decisions and effects as its engine, in
// the same order. It is forked with the engine, and a Player that seeks backward replaces both.
//
// Like an engine, a Follower has to be a function of its inputs. It must not keep a reference to its engine, which a
// seek replaces; its queries take the engine as an argument.
type Follower interface {
	drive.Observer
	// Fork returns an independent copy.
	Fork() Follower
}
