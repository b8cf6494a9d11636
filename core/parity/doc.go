// Package parity holds no code. The packages below it hold Orrery against Kubernetes v1.35.4's own code: the only place
// that imports k8s.io/kubernetes, and a module of its own so that nothing else has to carry it.
//
//	cache      random histories of nodes and pods, through upstream's cache and ours
//	queue      random histories of pods and events, through upstream's scheduling queue and ours
//	config     random configuration files, through upstream's decoding, defaulting and validation and ours
//	framework  random profiles of tracing plugins, through upstream's runtime and ours
//	evict      random taints, pressures and budgets, through upstream's controllers and ours
//	leader     random elections, through client-go's elector and our model
//	plugins    random pods and nodes, through upstream's plugins and ours, one by one
//	cycle      random clusters, through upstream's whole scheduling cycle and ours
//	telemetry  every metric family, by name, type, labels and buckets
//	apiserver  a real kube-apiserver on a real etcd in this process, for live and for trying things out
//	live       a whole scheduler on that API server: beside kube-scheduler, after it, and through outages
//	bench      the same pods on the same nodes, timed side by side
//
// benchcluster times both on such an API server, in processes of their own (program, kubescheduler), and democluster
// leaves one running. demorecord records the demo's stories on one; command is what the three begin and end with. asked
// reads how much is to be compared, and agree goes through the cases, cuts down the first that differs and prints it.
// virtual makes a process ready for the virtual time that upstream's goroutines run in, and feed is the informers that
// they are given there.
//
// Every comparison prints its seed, and a shrunken example where the two disagree. Where they disagree on purpose, a
// list named Differences in the package says so and why.
package parity
