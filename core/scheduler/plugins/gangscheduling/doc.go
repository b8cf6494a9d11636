// Package gangscheduling is the plugin GangScheduling: pods of a group with a gang policy are bound when enough of them have a
// place.
//
//	PreEnqueue  fewer pods than minCount exist ─────────► they stay out of the queue
//	Reserve     the pod has a place; Unreserve: no more   core/scheduler/gangs
//	Permit      fewer than minCount have a place ───────► the pod waits, until its group's deadline; its siblings are tried
//	            enough have one ────────────────────────► all that wait are allowed
//
// A pod that waits keeps its place until the deadline. Then the engine rejects it, and other pods have the room.
package gangscheduling
