// Package observe runs beside any scheduler for as long as the cluster does: it shadows that scheduler, keeps what it saw and decided for
// days, and says when it does not keep up. It reads, and writes nothing to the cluster.
//
//	API server ──► contact.Monitor ──► live.Cluster ──► shadow.Shadow ──────────► Comparator: agreement, differences
//	               is it there?        trimmed          decides, as the scheduler   │
//	                    │                 │             should                      │ a mark for each difference
//	                    │                 │ backlog        └──► recording.Recording ◄┘
//	                    ▼                 ▼                      ├─► the last minutes, in memory
//	                 Trouble: why what is kept is not            ├─► segments on disk, for days
//	                 the cluster's present                       └─► readers of the stream ("orrery attach")
//	                    └──► a mark for the readers, /healthz and /readyz, a metric, the log
//
//	access.go       which kinds are read, and what is not decided without them
//	observer.go     the parts, joined
//	run.go          their goroutines; a look at all of it once a second
//	trouble.go      lost, silent, behind or stuck
//	differences.go  marks of decisions that differ
//	metrics.go      orrery_observe_*
//
// # Several at once
//
// Observers need no lease: each follows the cluster by itself, decides by itself and keeps records of its own, so that two of them differ
// in nothing but when they began. They cost the API server the watches of one more scheduler each.
//
// # What is bounded
//
// Objects are trimmed to what scheduling reads. What is optional (the flight recorder, results that are kept for reuse, histories) shrinks
// as the process comes near GOMEMLIMIT, in steps, see package drive. Readers and the disk have buffers of a bound and are dropped, or leave a
// gap that is named, when these are full. What waits for the engine is bounded by package live: beyond that the watches wait, then end,
// and their kinds are listed again, which orrery_relists_total counts.
//
// # Restarts
//
// An observer knows nothing of the time before it began: a pod that was pending by then is not compared. The recording on disk names the
// time between two processes in the first segment of the later one, in the log and in orrery_recording_missing_seconds.
package observe
