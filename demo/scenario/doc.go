// Package scenario plays scenarios: a cluster, its workloads and timed steps, in a file that a person can write. Playing one is
// deterministic; recording one gives a trace.
//
//	file ──► strict ──► check ──► Scenario ──► simulation ───────────────► observer (a recorder, a printer)
//	         decode.go  check*.go  Parse        │
//	                                            ├─ memory.Cluster          API server, kubelets, controllers
//	                                            ├─ replica × n             engines, and an election among them
//	                                            ├─ taint.Controller        evictions by taints of nodes
//	                                            ├─ device.Controller       evictions by taints of devices
//	                                            └─ ScriptRunner            the steps, on any API server
//	                                               ├─ moment               actions*.go
//	                                               └─ rollingDrain         drains
//
// # A file
//
//	title: A small story
//	description: What to watch for.
//	length: 2m
//	cluster:
//	  nodes:
//	    - {name: web, zones: {east: 3, west: 2}, cpu: 4, memory: 16Gi}
//	workloads:
//	  - {deployment: shop, replicas: 4, cpu: 500m, memory: 1Gi, evictAfter: 10s, topologySpread: {topologyKey: zone, required: false}}
//	steps:
//	  - {at: 10s, mark: "Customers come", scale: {shop: +6}}
//	  - {at: 30s, mark: "The east is lost", disconnect: zone=east}
//
// Fifty seconds after a node's last heartbeat it counts as unreachable, and then gets a taint; from then on each of its pods
// stays as long as evictAfter says, five minutes if it says nothing. So the shop leaves the east 1m35s after the beginning.
//
// Also at the top: expect, what has to hold; seed, of all random choices; start, the date of the beginning; warmup, how long everything runs before
// the first step; scheduler; and objects, a list of any other Kubernetes objects in full.
//
// Durations are written with their unit, as in 90s. Where one differs from pod to pod, write a range, as in 2s..5s.
//
// # cluster
//
//	nodes            groups: name, count and zone or zones with a count each, region, cpu, memory, pods, resources, labels,
//	                 taints ("key=value:Effect"), nodefs, imagefs and containerfs: the node's disk, that for images if it is
//	                 another one, and on which of the two writable layers are, imagefs if not given; a disk is 100Gi, or
//	                 {size: 100Gi, inodes: 1000000}; pids: how many processes there can be; drivers ({ebs.csi.aws.com: 25}: how many volumes a node can have, 0 for
//	                 any number), devices ({a100: 8}: how many of a model). Their nodes are web-east-1, web-east-2 and so
//	                 on, with the label pool.
//	priorityClasses  by name: a number, or {value, globalDefault, preemptionPolicy: Never}
//	latency          typical, none, or ranges: request, response, watch, kubelet, controller, plugin, provision, attach,
//	                 publish, initialize (until the cloud provider's controller takes the taint
//	                 node.cloudprovider.kubernetes.io/uninitialized off a node that came with it; it stays with none)
//	controllers      nodeEvictionRate, secondaryNodeEvictionRate, unhealthyZoneThreshold, largeClusterSizeThreshold
//	kubelet          a KubeletConfiguration: its eviction thresholds, and what is reserved of nodes, of which everything is
//	                 allocatable if nothing is; or flags, as in --eviction-hard=memory.available<1Gi
//	admission        {enable: [ExtendedResourceToleration], disable: [LimitRanger]}: admission plugins of the API server other
//	                 than those that are on by default
//	storage          drivers, classes, volumes and claims, see below
//	devices          models, classes, pools and claims, see below
//
// # storage
//
//	storage:
//	  drivers:
//	    ebs.csi.aws.com: {topology: zone, capacity: {east: 100Gi, west: 1Ti}}
//	  classes:
//	    fast: {provisioner: ebs.csi.aws.com, binding: WaitForFirstConsumer, default: true}
//	  volumes:
//	    - {name: disk, count: 3, size: 10Gi, class: local, node: web-1}
//	  claims:
//	    - {name: shared, size: 5Gi, class: fast, access: ReadWriteMany}
//
//	drivers   CSI drivers by name; nodes say which they have. topology: zone, node, region or a label, of which a volume
//	          is accessible from one value; capacity of each value, or {all: 1Ti} without a topology, unlimited if not given;
//	          trackCapacity: whether CSIStorageCapacity objects tell it, true if there is one, which then is given for every
//	          value; attach: false needs no attaching
//	classes   by name: a provisioner, which is a driver or kubernetes.io/no-provisioner; or {provisioner, binding: Immediate or
//	          WaitForFirstConsumer, reclaim: Delete or Retain, default, topologies: {zone: [east]}}
//	volumes   name, count, size, class, access (ReadWriteOnce if not given), driver, zone or node, reclaim, and claim: the one
//	          that it is for, [namespace/]name
//	claims    name, namespace, size, class, access, and volume: the one that it is for
//
// # devices
//
//	devices:
//	  models:
//	    a100: {driver: gpu.example.com, attributes: {numa: 0}, capacity: {memory: 80Gi}, partitions: [2, 4]}
//	  classes:
//	    gpu: gpu.example.com
//	    large: {model: a100, selector: "device.attributes['gpu.example.com'].numa == 0"}
//	  pools:
//	    - {name: fabric, model: nic, count: 16, nodes: zone=east}
//	  claims:
//	    - {name: shared, class: gpu, count: 2}
//
//	models    by name: the driver; attributes: true or false, a whole number, a version such as 1.2.3, or a text, of which model
//	          is the name if not given; capacity; shared: true lets several claims have a device; partitions: into how many equal
//	          parts it can be divided; binding: true makes the scheduler wait until the driver has attached a device to its
//	          node, which takes as long as latency.attach; perSlice: how many devices are in a ResourceSlice; pool: a pool of
//	          their own. Devices are called a100-0 and so on, the parts of one a100-0-1of2, and a node's pool is called as the
//	          node, or as train-1/pool.
//	classes   by name: a model or a driver, or {model or driver, selector, extendedResource}
//	pools     devices that several nodes reach: name, model, count, and nodes, a label, or all nodes if not given
//	claims    name, namespace, and what is requested: class, or anyOf: several classes, the best one first; count or all: true;
//	          capacity: how much of each device, as in {memory: 20Gi}, of which others can have the rest if it is shared; selector;
//	          sameAttribute: what all of its devices have in common, as in gpu.example.com/numa
//
// Partitions, shared devices, binding and extendedResource need the scheduler's feature gates for them. Rules that taint devices, and
// claims with several requests, are written in full, in objects.
//
// # scheduler
//
//	replicas      how many there are; one is the leader
//	config        a KubeSchedulerConfiguration, here or in a file in the same folder, by its name
//	featureGates  gates by name
//	kubernetes    the release of Kubernetes that it decides as, 1.37 for example; 1.35 if not given
//	lease         leaseDuration, renewDeadline and retryPeriod of the election
//	extenders     simulated extenders, each added to the configuration: name; refuses and prefers: nodes, by name, pattern or label;
//	              reason; binds: true; preempts: true (on nodes that it does not refuse); takes: how long it takes to answer; timeout;
//	              weight; ignorable: true; resources: those of the pods that it is asked about, all if not given
//
// # workloads
//
// A workload is a deployment, statefulset, daemonset, job or pod of a name. It exists from the beginning, unless a step
// creates it. Its pods have the label app, of that name.
//
//	replicas     how many pods; for a job its completions, of which parallelism run side by side
//	namespace    default if not given
//	cpu, memory, resources, priorityClass, schedulerName, nodeSelector, affinity (in full), tolerations
//	             ("key=value:Effect for 20s"), schedulingGates, terminationGracePeriod, labels
//	evictAfter   how long a pod tolerates that its node is not ready or unreachable
//	topologySpread  zone, node, region or a label; or {topologyKey, maxSkew, required: false}
//	podAffinity, podAntiAffinity  the same: {topologyKey, app, required: false}; app is the workload itself if not given
//	disruptionBudget  {minAvailable} or {maxUnavailable}
//	maxSurge, maxUnavailable  of a deployment that is rolled over
//	startup, runtime, shutdown, fails  the life of a pod on its node: how long until it is ready, ends, has stopped
//	usage        memory in use: 300Mi, 300Mi growing 5Mi (each second), or {memory, pids, disk, inodes, logs, volumes}: disk and
//	             inodes are those of writable layers, volumes those of emptyDir
//	volumes      by name: a size, or {size, class, access}, a claim of each pod; or {claim}, one that exists. The claims of a
//	             stateful set stay when its pods go, unless they are ephemeral: true, as those of all other pods are
//	devices      by name: a class, or what is requested as in a claim above, of which each pod gets a claim that goes with it; or
//	             {claim}, one that exists
//	gang         how many of the pods have to have a place before any is bound, by a Workload of the same name; needs the gates
//	             GenericWorkload and GangScheduling
//	spec         a whole pod spec, instead of the short fields
//
// # steps
//
// A step has a time, at, and actions. With every and times it is repeated. A mark is a text that becomes a mark in the
// recording. With refused: true the API server refuses what the step does, and what it says becomes a mark. The actions of one
// step happen in this order:
//
//	create, scale ({shop: 12}, +3, -2), restart, delete   workloads
//	evict ({shop: 2}), ungate ({train: 4})                pods: through the Eviction API; without scheduling gates
//	add (groups of nodes), remove, cordon, uncordon       nodes
//	taint, untaint ({nodes, taints})
//	patch ([{node: zone=east, with: {metadata: {labels: {disk: null}}}}], or {pod, namespace, with})   as kubectl patch does
//	drain (nodes, or {nodes, parallel: how many at a time, 1 if not given, pause: between them, uncordon: true})
//	disconnect, reconnect                                 kubelets stop and resume their heartbeats
//	usage ({app, on, memory})                             what pods use from now on, or nodes without an app: those also have
//	                                                      images, unusedImages and deadContainers, which their kubelets delete;
//	                                                      it is recorded every 15 s for each node, and every 5 s for those that
//	                                                      have too little of something
//	storage: {deleteClaims: [data-db-0], capacity: {ebs.csi.aws.com: {east: 0}}, provisionerHangs: {ebs.csi.aws.com: 1m},
//	         detachFails: {data-db-0: 10m}}   capacity is what is left from now on
//	devices: {fail: {train-1: a100-0}, repair: {train-1: a100-*}, unplug: {train-1: [a100-1]}, plug: {train-1: {a100: 2}},
//	         stopDrivers: {gpu.example.com: train-*}, startDrivers: {gpu.example.com: train-*},
//	         bindingHangs: {gpu.example.com: 1m}, bindingFails: {gpu.example.com: 1m}}   devices are at nodes, or in a pool
//	apiserver: {down, delay: {for, by}, reject: {bind: 3, volume: 1}, dropResponses: {status: 2}, breakWatches: [{kind: Pod, for: 5s}]}
//	kill, pause ({leader: 5s}), partition ({scheduler-2: 5s})   replicas of the scheduler by name, or the leader
//	extenders: {stop: [licences], start: [licences], takes: {licences: 10s}}
//
// A node that is dead keeps its volumes for six minutes after its pods are gone, or until it gets the taint
// node.kubernetes.io/out-of-service=nodeshutdown:NoExecute.
//
// A device that fails gets the taint DRIVER/failed:NoExecute. With the gate DRADeviceTaints the pods that have it are evicted, and
// no other pod gets it. A driver that stops takes its devices along after half a minute. Pods with its devices then neither start
// nor end.
//
// Nodes are given by name, by a pattern (web-*), by a zone (zone=east) or by any other label (pool=web).
//
// # expect
//
// What has to hold, which "orrery test" checks, over seeds and releases: a list, as in
//
//	expect:
//	  - {at: 20s, app: shop, placed: {within: 2s}}
//	  - {at: 1m40s, app: shop, placed: {on: {zone: west}}}
//	  - {preempts: none}
//
// Package [orrery/demo/scenario/expect] has all of them.
//
// # Several schedulers
//
// Replicas are called scheduler-1 and so on. All of them receive every input; only the leader schedules. The one
// that leads at the end is observed, so that the recording of a failover has the replica's inputs before it led and its
// decisions afterwards.
//
// # Recorded on a cluster
//
// Every scenario can be played here, where time is virtual and the same file gives the same bytes. With recorded: cluster
// the recording that comes with Orrery is not made so but on a real kube-apiserver, with upstream's controllers, in real
// time: see core/parity/demorecord, which runs the same steps there by its [ScriptRunner]. Then
//
//   - latency and start mean nothing, for requests take as long as they take, at the actual time, and
//     seed sets the scheduler's random choices only. They apply when the file is played here.
//   - usage, disconnect, reconnect, kill, pause, partition, apiserver, kubelet and controllers are errors: kubelets there do
//     not disconnect and measure nothing, and there is one scheduler without faults. So are capacities and faults of drivers,
//     devices, of which there are no drivers, extenders, admission and refused.
//   - delete and remove are errors, since no controller there collects the pods that are left.
package scenario
