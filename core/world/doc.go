// Package world is the border between the scheduler and everything around it.
//
// The engine never looks at a clock, a socket or a random source of its own. It is told what happened, as a
// sequence of [Input], and answers with what should be done, as a sequence of [Effect]:
//
//	           Input: an object changed, an effect ended, time passed
//	┌───────┐ ───────────────────────────────────────────────────────► ┌────────┐
//	│ World │                                                          │ Engine │
//	└───────┘ ◄─────────────────────────────────────────────────────── └────────┘
//	           Effect: bind this pod, patch that status, delete a victim
//
// Every effect carries an [EffectID]. Its outcome comes back as an input, [Ended], that names the same number; nothing
// else ties the two together, so a recording of the inputs alone replays a run exactly.
//
// Three worlds speak this language: world/memory simulates an API server in virtual time, world/live is client-go on a
// real cluster, and a recording plays its inputs back. This package knows none of them, and nothing of the engine.
package world
