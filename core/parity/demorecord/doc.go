// Command demorecord records those of the demo's scenarios that say "recorded: cluster": it runs them on a real
// kube-apiserver and etcd, in real time, with a real replica of Orrery.
//
//	scenario ──► Director ──► server.go ──────► kube-apiserver, etcd  ◄── controllers.go  upstream's
//	   │            ▲                             │    ▲      ▲
//	   │            └── pods, budgets ────────────┘    │      └───────── kubelet.go      pods that start, run and stop
//	   └─ notes ─► narrator ◄── core/process/replica ──────────┘                                   as the scenario says
//	                  └──► trace
//
//	main.go         the command line; a recording is replayed before it is written
//	record.go       one recording, from the warm-up to the end
//	narrator.go     records the scheduler's inputs with the scenario's notes
//	cluster.go      all of the cluster but the scheduler
//
// The scheduler is a core/process/replica, as in orrery run: it acquires the lease, binds, evicts and emits events. One replica runs
// during the warm-up; another is started with the scenario, so that the recording begins with its start and replays exactly.
//
// # What is real and what is not
//
// Real are the API server with its admission, etcd, and upstream's controllers of Deployments, ReplicaSets, StatefulSets,
// DaemonSets, Jobs, disruption budgets, node lifecycle, taint evictions, volumes and attachments; also the Eviction API with
// their budgets, and the latency of watches and responses. The kubelets are fake: they send no heartbeats, measure no usage and
// reject no pod. So are the CSI drivers: each volume is made in some seconds and attached at once, and none runs out of room.
// There is no garbage collector, which is why such a scenario may not delete workloads or nodes.
//
// # Differences from playing a scenario
//
// The times and names of a recording are those of its run, so another run gives another recording. Record when the machine
// has little else to do: its delays are in the recording. demo/scenario documents which actions and settings such a scenario
// cannot have.
package main
