// Package scenario tells stories of clusters: what there is, what runs in it, and what happens to it, in a file that a
// person can write. Playing one is deterministic; recording one gives a trace.
//
//	file ──► strict ──► check ──► Scenario ──► stage ────────────────────► witness (a recorder, a printer)
//	         decode.go  check*.go  Parse        │
//	                                            ├─ memory.Cluster          API server, kubelets, controllers
//	                                            ├─ replica × n             engines, and an election among them
//	                                            ├─ taint.Controller        evictions by taints
//	                                            └─ Director                the story, on any API server
//	                                               ├─ moments              act*.go
//	                                               └─ convoy               drains
//
// # A file
//
//	title: A small story
//	description: What to watch for.
//	length: 1m
//	cluster:
//	  nodes:
//	    - {name: web, zones: {east: 3, west: 2}, cpu: 4, memory: 16Gi}
//	workloads:
//	  - {deployment: shop, replicas: 4, cpu: 500m, memory: 1Gi, spread: zone, budget: {maxUnavailable: 1}}
//	story:
//	  - {at: 10s, say: "Customers come", scale: {shop: +6}}
//	  - {at: 30s, say: "The east is lost", lose: zone=east}
//
// Beside these there are, at the top: seed, what chance is fed with; start, the date of the beginning; warmup, for how
// long everything runs before the story begins; scheduler; and objects, a list of any other Kubernetes objects in full.
//
// Durations are written with their unit, as in 90s. Where one differs from pod to pod, write a span, as in 2s..5s.
//
// # cluster
//
//	nodes        groups: name, count and zone or zones with a count each, region, cpu, memory, pods, resources, labels,
//	             taints ("key=value:Effect"). Their nodes are web-east-1, web-east-2 and so on, and carry the label pool.
//	priorities   classes by name: a number, or {value, default, preempts: false}
//	latency      typical, none, or spans: request, response, watch, kubelet, controller, plugin
//	controllers  nodeEvictionRate, secondaryNodeEvictionRate, unhealthyZoneThreshold, largeClusterSizeThreshold
//	kubelet      a KubeletConfiguration: its thresholds for evictions
//
// # scheduler
//
//	replicas      how many there are; one leads
//	config        a KubeSchedulerConfiguration, here or in a file beside this one, by its name
//	featureGates  gates by name
//	lease         duration, renew and retry of the election
//
// # workloads
//
// A workload is a deployment, statefulset, daemonset, job or pod of a name. It is there from the beginning, unless the
// story creates it. Its pods have the label app, of that name.
//
//	replicas     how many; a job's completions, of which parallel run side by side
//	namespace    default if not said
//	cpu, memory, resources, priority, scheduler, node (labels it must have), affinity (in full), tolerations
//	             ("key=value:Effect for 20s"), gates, grace, labels
//	patience     how long a pod stays on a node that is not ready or unreachable
//	spread       zone, node, region or a label; or {over, skew, must: false}
//	apart, near  the same: {over, app, must: false}; the app is the workload itself if not said
//	budget       {minAvailable} or {maxUnavailable}
//	surge, missing  of a deployment that is rolled over
//	starts, runs, stops, fails  the life of a pod on its node: how long it takes to be ready, to end, to stop
//	uses         memory in use: 300Mi, 300Mi growing 5Mi (each second), or {memory, disk, pids}
//	spec         a whole pod spec, instead of the short fields
//
// # story
//
// Each entry is a moment: at, and what happens. With every and times it comes again. What is said becomes a mark in the
// recording. What happens at one moment happens in this order:
//
//	create, scale ({shop: 12}, +3, -2), roll, delete      workloads
//	evict ({shop: 2}), ungate ({train: 4})                pods: through the Eviction API; off with all gates
//	add (groups of nodes), remove, cordon, uncordon       nodes
//	taint, untaint ({nodes, with})
//	drain (nodes, or {nodes, together, rest, uncordon})
//	lose, recover                                         kubelets fall silent and come back
//	use ({app, on, memory})                               what pods use from now on, or nodes without an app
//	api: {down, slow: {for, by}, refuse: {bind: 3}, lose: {status: 2}, break: [{watch: Pod, for: 5s}]}
//	kill, pause ({leader: 5s}), cut ({scheduler-2: 5s})   replicas of the scheduler, or the leader, whoever it is
//
// Nodes are named, or meant by a pattern (web-*), a zone (zone=east) or any other label (pool=web).
//
// # Several schedulers
//
// Replicas are called scheduler-1 and so on. All of them hear everything; only the leader decides. The one that is
// watched is the one that leads at the end, so that the recording of a failover has everything in it: what the replica
// heard before its turn, and what it then made of it.
//
// # Recorded on a cluster
//
// Every scenario can be played here, where time is virtual and the same file gives the same bytes. With recorded: cluster
// the recording that comes with Orrery is not made so but on a real kube-apiserver, with upstream's controllers, in real
// time: see core/parity/demorecord, which has its [Director] do the same things there. Then
//
//   - latency and start mean nothing, for requests take as long as they take, at the time it is; and of what chance decides,
//     seed feeds the scheduler's choices only. They are for those who play the file here.
//   - a story may not use, lose, recover, kill, pause, cut or ask for trouble with the api, and there are no uses, kubelet and
//     controllers: kubelets there are small, never silent, and measure nothing, and there is one scheduler.
//   - a story may not delete or remove, since nobody collects the pods that are left.
package scenario
