// Package extender is the configured extenders: web servers that filter and prioritize nodes beside the plugins, choose
// victims, and bind pods. The package does no I/O: it says which extender concerns a pod, and turns questions into requests
// and responses into answers.
//
//	configuration ─► All ─► Extender.Interested(pod)              the engine asks whom it concerns
//	                           │
//	             world.CallExtender, an effect of the engine
//	                           │
//	                    RequestBody ─► the extender ─► Answer     a world asks, and reads the response
//	                           │
//	             world.ExtenderAnswer, in the effect's outcome
//	                           │
//	                        Nodes, Priorities                     the engine goes on with the cycle
//
// An answer is plain data, bounded by the length of the response, and ordered, so that a recording can hold it and a replay
// needs no extender.
//
// # Differences from kube-scheduler
//
//   - Of the nodes that an extender returns as objects, an answer holds only those that differ from what was sent.
//   - A priority times a weight that does not fit into 64 bits is the greatest or the least number that does.
//   - A redirection is an error: pods and nodes are sent to the configured address only. Kube-scheduler follows it.
//   - A response is bounded by the length of its request. Kube-scheduler reads any.
//   - Errors and reasons are made printable, and cut off after 1,024 characters.
//   - The password of an address, as in "https://user:password@host", is in no error and no event.
package extender
