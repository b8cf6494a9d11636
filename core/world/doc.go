// Package world is the boundary between the scheduler and its environment.
//
// The engine reads no clock, socket or random source of its own. It consumes a sequence of [Input] and produces a
// sequence of [Effect]:
//
//	           Input: an object changed, an effect ended, time passed
//	┌───────┐ ───────────────────────────────────────────────────────► ┌────────┐
//	│ World │                                                          │ Engine │
//	└───────┘ ◄─────────────────────────────────────────────────────── └────────┘
//	           Effect: bind this pod, patch that status, delete a victim
//
// Every effect has an [EffectID]. Its outcome returns as an input, [EffectDone], with the same ID; nothing else
// connects the two, so a recording of the inputs alone replays a run exactly.
//
// There are three kinds of world: world/memory simulates an API server in virtual time, world/live is client-go on a
// real cluster, and a recording replays its inputs. This package depends on none of them, nor on the engine.
package world
