// Package play records the inputs and decisions of an engine, replays a trace, and seeks in one.
//
//	engine ──► Recorder ──► trace.Writer ──► file                 everything, from the first input or from a state on
//	   │
//	   ├─────► FlightRecorder ──► the last minutes, in memory ──► Save ──► file
//	   │                              │
//	   │                              └──────► Player             as exact as the engine itself
//	   └─────► Feed ──► Subscriber, on another goroutine ──► a trace for each, which begins now or in the flight recorder's past
//	file ──► Replay ──► Report                                    decide again, compare
//	file ──► Player ──► Seek, StepInput, StepDecision             any moment, as an engine to query
//	stream ──► growing Player ──► Append, Seek                    the same, as far as it is held
//
// Recorder, FlightRecorder and Feed are observers: pass them to drive.NewScheduler, or call them where another loop calls
// Apply and Step.
//
// # Exact and loose
//
// An engine is a function of its inputs and of the moments at which it decides. A trace from the start has both, so its
// replay makes the same decisions; the replay compares each decision, and the digest over all before it.
//
// A trace may begin with the engine's state, in the middle of its life: it is as exact. So does every recording of an engine that has
// had inputs, unless names are hashed, or a plugin that is not Orrery's own takes part in a binding. A trace that begins with a state
// may have others, at each of which a cut or another reader can begin; a replay compares their digests. To write one takes
// Freeze, in the scheduler's loop, and StateOf, which may be called elsewhere: with 5,000 nodes and 100,000 pods, 5,000 of them
// pending, some 3 ms and half a second. BenchmarkCheckpoint measures both. Most of the 3 ms goes with the nodes and the queued pods.
//
// A trace that begins with a snapshot lacks the scheduler's own state. Its replay is loose: the engine decides whenever
// a pod is ready, and an outcome finds its effect by the effect's action, since effect numbers are valid in one engine
// only. Where the trace lacks an outcome, a pod that appears on a node was bound, and a pod that fails again was not.
// The replay compares the node of each placed pod. An imported trace has no outcomes: every effect of the engine
// succeeds at once.
//
// # Seeking
//
// A Player keeps forks of its engine and seeks from the nearest fork before the target. Forks share all unchanged
// state. Their number is bounded, and they are about equal amounts of work apart: above the bound, the player drops
// every other one.
//
// Prefetch plays the next record that was never played, without moving the player, and keeps forks on the way. Once it
// reaches the end, every seek is short. PrefetchAll prefetches to the end.
//
// # Traces that grow
//
// A growing player plays a trace that is still being written, as a stream is: [Player.Append] adds its next records. It holds records
// of so many bytes, and drops the oldest in favour of a fork. Positions count dropped records, too: Start moves, End moves, and a
// record keeps its position.
//
// # What nodes use
//
// A recording of a cluster whose kubelets are known may have readings of what its nodes use. The engine is not told: [Player.Usage] finds the
// last one of a node before the position, wherever that was moved.
//
// # Followers
//
// A [Follower] keeps state that the engine does not. It receives the same inputs, decisions and effects as the engine,
// and is forked and restored with it, so its state always belongs to the player's position.
package play
