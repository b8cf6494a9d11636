// Package attach reads the stream of the scheduler that leads, from one leader to the next.
//
//	Connect: find the leader, open its stream ──► Session (a goroutine) ──► Batch ──► the caller's loop
//	                      ▲                          │
//	                      └── again, after a while ──┘ when the stream ends
//
// A [Session] reads records as fast as they are taken, and holds a bounded number of them. Each stream is a segment by itself: it begins with
// a scheduler's state, and what was between two streams is unknown, unless the second scheduler's past reaches back that far.
//
// [Snapshot] reads one stream up to the present and ends it.
package attach
