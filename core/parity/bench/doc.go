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
// from the first pod's event to the last pod's confirmation: both sides receive the pods, decide, bind, and receive the
// update with the pod's node. Every run is checked: if a side has not bound exactly the schedulable pods, the program
// fails.
//
// kube-scheduler runs with scheduler.New, default feature gates and plugins, 16 workers, its own queue, cache, binding
// goroutines and metrics. One goroutine beside the scheduling loop calls its informers' event handlers, as a watch would;
// its client returns at once; its recorder drops the events. Neither side has sockets, JSON, lists or watches.
package main
