// Package core holds no code; it is the floor plan of the scheduler below it.
//
//	           world  (Input, Effect)            what happened, and what is to be done
//	  ┌──────────┼──────────────┐
//	memory      live          trace              three worlds, one language
//	             │
//	           engine                            one writer: Apply, Step, NextWake, Fork, Explain
//	  ┌─────┬────┴────┬──────────┬─────────┐
//	store cache     queue    framework   preempt
//	  objects NodeInfo active,  profiles,  victims
//	          snapshot back-off extension
//	                           points
//	                             │
//	                          plugins            one package per plugin, on the ecosystem's own plugin API
//
// Three rules hold everywhere under this folder, and a test beside this file checks them:
//
//   - Imports run one way, as drawn. A world knows nothing of the engine's inside; a plugin knows nothing but the plugin API.
//   - Nothing reads a clock or draws a number from an unseeded source. Time comes in with every input; chance comes from
//     the engine's seed. Only world/live and parity, which meet the real world, may look at the time.
//   - Nothing sleeps, tests included.
package core
