// Package drive runs engines and other controllers in a world: in virtual time, where time jumps to the next event
// ([Virtual], [Run]), and in real time, where the loop sleeps until then or until an input arrives ([RealTime]).
//
//	           inputs                     effects
//	world ───────────────► controllers ───────────► world
//	                      │ Scheduler │──► Observer: Applied, Stepped, Emitted
//	                      │ taints    │
//	                      │ ...       │
//
// A [Controller] applies inputs, has timers and emits effects. A [Scheduler] is an [Engine] as a Controller, with
// observers; recording, shadowing, metrics and following in a what-if are observers.
//
// # Order at one instant
//
// One round of the loop, in virtual and in real time:
//
//  1. Every controller emits its effects, in list order. A Scheduler first decides until no pod is ready: all decisions
//     of an instant come before the effects of the controllers after it. The effects of a decision come before those of
//     the next one.
//  2. The earliest timer of all controllers limits the time of the next input.
//  3. The next input is applied to every controller, in list order; then the next round begins. So the engine decides
//     after an input before the next input of the same time is applied.
//  4. Without an input the timer is due: a [world.Tick] is applied to every controller.
//
// This also orders ties: an input comes before a timer of the same time, and of two timers of the same time that of the
// earlier controller fires first. An Engine fires its own timers that are due before an input, each at its time, before
// the input.
//
// Observers are called after an input was applied, after a decision was made, and before the world receives an effect.
//
// Real time differs in two ways, so that inputs do not wait for a long queue: available inputs are applied between two
// decisions, and a Tick advances the time while there is something to decide.
//
// # Effects and their outcomes
//
// Every controller numbers its effects from 1. For the world, the loop adds the controller's position in the upper bits,
// and returns the outcome under the controller's own number, to that controller alone. The effects of the first
// controller keep their numbers.
package drive
