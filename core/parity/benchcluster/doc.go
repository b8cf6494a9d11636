// Command benchcluster measures kube-scheduler and Orrery against a real API server.
//
//	benchcluster ──starts──► benchcluster -serve    kube-apiserver and etcd, empty, in a process of its own
//	     │ fills ──────────────►     ▲  ▲
//	     │ watches bindings ─────────┘  │ lists, watches, bindings, events
//	     └──starts──► kube-scheduler or orrery run, in a process of its own
//
// Runs alternate, upstream first. Each has an API server of its own, started for it and stopped after it, so that both find
// the same: nodes in three zones and pods of one template that wait. Then the scheduler is started, with the same
// configuration file on either side. The clock runs from the first binding to the last, as the watch tells of them.
// Processor time and memory are what the system says of the scheduler's process from its start to its end, so the first
// lists are in them. A run that leaves a pod without a node, or puts too many on one, is an error and no figure.
package main
