// Package play puts traces and engines together: it records an engine's life, replays a recording, and moves about in one.
//
//	engine ──► Recorder ──► trace.Writer ──► file                 everything, from the first input on
//	   │
//	   └─────► Flight ────► the last minutes, in memory ──► Save ──► file
//	                                  │
//	                                  └──────► Player             as exact as the engine itself
//	file ──► Replay ──► Report                                    decide again, compare
//	file ──► Player ──► Seek, StepInput, StepDecision             any moment, as an engine that can be asked
//
// Recorder and Flight are witnesses: hand them to engine.DriveSeen, or call them where your own loop calls Apply and Step.
//
// # Exact and loose
//
// An engine is a function of its inputs and of when it was asked to decide. A trace from the start has both, so that a
// replay makes the same decisions; each is compared, and so is the digest over all that came before it.
//
// A trace that begins with a snapshot lacks what the scheduler remembered. Its replay is loose: the engine decides
// whenever there is something to decide, and outcomes find the effect they answer by what it was to do, since its number
// means nothing to another engine. Where that is not recorded, a pod that is seen on a node was bound, and one that fails
// again was not. What is compared is where each pod was placed. A trace that was imported has no outcomes at all:
// everything the engine wants done succeeds at once.
//
// # Seeking
//
// A Player keeps forks of its engine along the way and goes to a moment from the nearest one before it. Forks share all
// that did not change, and there is a bounded number of them, about as much work apart: when there are too many, every
// other one goes.
//
// Scout plays on where nobody has been, record by record and beside the player, and leaves forks behind. Once it is
// through, every way is short. Whoever has time to spare spends it on that; Prepare is all of it at once.
//
// # Companions
//
// What an engine does not remember and somebody needs is kept by a [Companion]. It hears what the engine hears, is forked
// when it is and goes back when it does, so that what it remembers is always of where the player stands.
package play
