// Package benchattach measures what it costs to watch and to record "orrery run", as a process: on a cluster of 5,000 nodes and 100,000
// pods, at 1,000 decisions a second.
//
//	load ──► stand-in: an API server in this process ◄──lists, watches, bindings, events──► orrery run, in another
//	                                                                                          │  ▲
//	                    readers in this process, orrery attach on a terminal, hostile ones ───┘  └── a disk that fills and fails
//
// An API server with etcd takes more than two cores for a thousand pods a second. The stand-in keeps objects in memory, and sends the same
// protocol buffers over the same HTTP/2. A pod is created, bound by the scheduler, run by its kubelet, and deleted when it is the oldest:
// five events of a watch for each decision.
//
//	make bench-attach ROW=Reader
//
// The metrics of each benchmark are the figures; docs/operations.md has those of one machine. ORRERY_NODES, ORRERY_PODS and ORRERY_RATE
// change the cluster, ORRERY_SECONDS how long is recorded, and ORRERY_GIB the directory that is filled.
package benchattach
