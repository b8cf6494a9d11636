// Package playback plays a recorded trace like a film: at a speed, with pause and step, forwards and backwards.
//
//	real time ──► Recording.Advance ──► play.Player ──► Engine, Follower      the state at Now
//	keys ───────► Play, SeekTo …       │
//	                                   └─ prefetch: remaining work speeds up later seeks
//
// A Recording has no clock. Its caller passes the elapsed real time, and it plays the records of that time. It is a pure state
// machine: the same calls give the same states.
//
// # Work per call
//
// One Advance does a bounded amount of work, so that no key press waits for it; if the elapsed time held more, the recording is
// Behind and continues from where it stopped. Work is counted, not measured (see play.Work), so it does not depend on the
// machine.
//
// An Advance spends its remaining work on prefetching: playing ahead and keeping forks. After that a seek costs at most the
// distance between two forks.
//
// A Seek completes at once, regardless of its distance.
package playback
