// Package journey follows every pod through a scheduler while a recording is played: when it came, how long it was in each state, what
// was decided of it, and which steps its binding took.
//
//	play.Replay ── drive.Observer, engine.Listener ──► Tracker ──► Sink: Decided, Ended a stage, Left a pod, Removed a node
//
// The stages of a pod follow each other without a gap, from its creation to its end or to the end of the recording, so that their
// durations add up. Package table writes them as tables, package spans as traces.
//
// # Files
//
// tracker observes the engine, stage has the states, pod what is known of a pod, node what is known of a node, steps the effects of an
// attempt or a binding, and read plays a recording.
//
// # Guarantees
//
//   - Everything comes from the recording and from what is decided again of it: no clock is read, and the same recording gives the same calls
//     in the same order.
//   - What is kept is bounded by the pods and nodes that there are at one time, not by the length of the recording.
//   - Texts are as in the recording: whoever prints them makes them printable.
package journey
