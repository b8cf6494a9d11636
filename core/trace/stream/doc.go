// Package stream hands a running scheduler's records to readers elsewhere, over HTTP.
//
//	engine ─► play.Feed ─► play.Subscriber ─► Server ──┊ GET /debug/orrery/stream ┊──► Open ─► trace.Reader ─► play.Player
//	                                                     HTTP/1.1 or HTTP/2
//
// # Protocol
//
// The request is GET [Path], with ?since=10m for a stream that begins so much earlier, as far as the scheduler's flight recorder
// reaches. The scheduler authenticates and authorizes it like every other path: the right is the verb get of the nonResourceURL [Path].
//
// The body of the answer, of the type [ContentType], is a trace (core/trace/FORMAT.md) that goes on for as long as both sides want. It begins with the
// scheduler's state, or from its first input if it has had none. Every record is sent 250 ms after it was made at the latest. A
// checkpoint, with the engine's digest, comes once a second; while the scheduler waits for an extender it comes later. If nothing else
// is sent for 5 s, an empty block is. Blocks of a trace are packed, and HTTP compresses nothing.
//
//	Orrery-Identity   the replica's identity in the lease; empty if there is no election
//	Orrery-Leading    true or false: whether the replica led when the stream began
//	Orrery-Observing  true if it decides beside another scheduler and never leads; else it is not there
//	Orrery-Version    the version of the program
//	Orrery-End        the trailer: why the server ended the stream on purpose, in a plain sentence
//
// A stream that the server ends on purpose ends with the trace's end mark and the trailer. Any other just ends, as the connection does.
//
// A request that is refused gets a plain line of text, or the API machinery's Status:
//
//	400   since is no duration
//	401   the credentials are not accepted
//	403   the user may not get the path
//	404   the program has no streams: it is older, or not Orrery
//	405   the request is no GET
//	429   as many readers are attached as may be; Retry-After says when to ask again
//	503   the scheduler has not started or is about to stop, or streams are off; Retry-After, if it can help to ask again
package stream
