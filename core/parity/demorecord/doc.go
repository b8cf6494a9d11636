// Command demorecord makes those of the demo's recordings that come from a real cluster: it has the stories of demo/scenarios
// that say recorded: cluster happen on a real kube-apiserver and etcd, in real time, to a real scheduler of ours.
//
//	scenario ──► Director ──► server.go ──────► kube-apiserver, etcd  ◄── controllers.go  upstream's
//	   │            ▲                             │    ▲      ▲
//	   │            └── pods, budgets ────────────┘    │      └───────── kubelet.go      pods that start, run and stop
//	   └─ said ──► narrator ◄── core/replica ──────────┘                                   as the scenario says
//	                  └──► trace
//
//	main.go         the command line; a recording is decided again before it is written
//	record.go       one recording, from the warm-up to the end
//	narrator.go     what the story says, among what the scheduler hears
//	cluster.go      everybody but the scheduler
//
// The scheduler is a core/replica, as in orrery run: it stands for the lease, binds, evicts and announces. One keeps house
// during the warm-up; another is started with the story, so that the recording has its whole life and can be replayed
// exactly, and ends with the story while that one goes on.
//
// # What is real and what is not
//
// Real are the API server with its admission, etcd, and upstream's controllers of deployments, replica sets, stateful sets,
// daemon sets, jobs, disruption budgets, node life and taint evictions; also that the Eviction API decides by the budgets
// they keep, that watches lag and that answers take time. The kubelets are small: they send no heartbeats, measure nothing
// and turn nobody away. There is no garbage collector, which is why a story here may not delete workloads or nodes.
//
// # Differences from playing a scenario
//
// The times and names of a recording are those of the day it was made on, so making it again gives another. It should be made
// when the machine has little else to do: what the machine is late with is in the recording. What a scenario may not ask for
// here, and which of its settings have no meaning, is in the doc of demo/scenario.
package main
