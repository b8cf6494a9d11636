// Command bench measures kube-scheduler's scheduler and Orrery's engine side by side: one process, the same objects,
// the default profile, no API server.
//
//	            ┌──► upstream: handlers ─► queue ─► ScheduleOne ─► binding goroutine ─► client ──┐
//	pods added ─┤                                                                                ├─► apiserver
//	            └──► orrery:   Apply ────► queue ─► Step ────────► Effects ─────────────────────┘      │
//	                 ▲                                                                                 │
//	                 └───────────── the pod as it is now: bound, patched, deleted ─────────────────────┘
//
// A row is a kind of pod, a number of nodes and a percentageOfNodesToScore. Its runs alternate, upstream first, each on
// a cluster of its own that is built before the clock starts and warmed up with a tenth of the pods. The clock then runs
// from the first pod's event to the last pod's confirmation: both sides take in the pods, decide, bind, and take in the
// update that says where the pod is. What is measured is checked: a side that has not placed exactly the pods that can
// be placed ends the program.
//
// What is upstream's here: scheduler.New with default feature gates, plugins and 16 workers, its own queue, cache,
// binding goroutines and metrics. Its informers' event handlers are called directly, by one goroutine beside the
// scheduling loop, as a watch would; its client answers at once; its recorder drops the events. What is not: sockets,
// JSON, lists and watches, on neither side.
package main
