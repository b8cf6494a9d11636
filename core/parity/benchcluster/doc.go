// Command benchcluster measures kube-scheduler, Orrery and a program that only binds against a real API server.
//
//	benchcluster ──starts──► benchcluster -serve    kube-apiserver and etcd, empty, in another process
//	     │ fills ──────────────►     ▲  ▲
//	     │ watches bindings ─────────┘  │ lists, watches, bindings, events
//	     └──starts──► kube-scheduler, orrery run or benchcluster/binder, in another process
//
// Runs alternate, upstream first. Each run has its own API server with the same objects:
// nodes in three zones and pending pods of one template. Both schedulers read the same configuration file; the binder, which
// decides nothing, says what no scheduler can do better. The clock runs
// from the first binding to the last, as a watch reports them. Processor time and memory are those of the contender's
// process from its start to its end, including the first lists. A run that leaves a pod pending, or binds too many pods
// to one node, fails.
package main
