// Package playback plays a recorded trace as a film is played: at a speed, with pause and step, forwards and backwards.
//
//	real time ──► Deck.Advance ──► play.Player ──► Engine, Companion      what there is to look at, at Now
//	keys ───────► Play, SeekTo …       │
//	                                   └─ scout: what is left of a portion goes into shortening the ways to come
//
// A Deck has no clock. Whoever shows it says how much real time has passed, and the deck plays what happened in the
// trace meanwhile. It is a pure state machine: the same calls show the same pictures.
//
// # Portions
//
// One Advance does a portion of work and no more, so that a key never has to wait for it; if there was more to play in
// the time that passed, the deck is Behind and the time it shows goes on from where it came. Work is counted and not
// measured, see play.Work, so how a trace is portioned does not depend on the machine.
//
// What an Advance has left of its portion it gives to the scout, which plays ahead and keeps forks. From when it is
// through, going anywhere takes no more than the way between two forks.
//
// A Seek goes all the way at once, however far that is.
package playback
