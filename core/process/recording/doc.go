// Package recording keeps what the engine of a process is told and decides: the last minutes in memory, days on disk, and for readers as
// it comes. A scheduler (package replica) and what runs beside one (package observe) have the same.
//
//	engine ──► flight recorder ─────────────► Save: a trace of the last minutes
//	       ──► feed ──► Subscribe ──► readers of the stream, see package stream
//	                            └───► segments in a directory, by one goroutine (Start, End)
//	Refresh, once a second: a checkpoint, and a mark when the recording on disk stops or goes on
//
//	recording.go   the parts, and what belongs to the engine's loop
//	disk.go        the goroutine that writes segments
//	metrics.go     orrery_recording_*
//
// Observers and Refresh belong to the goroutine that drives the engine. Everything else may be called on any.
package recording
