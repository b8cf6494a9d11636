package comparisons

// Answers compares single answers of plugins and runtimes.
var Answers = &Comparison{
	Name: "Answers", Package: "cycle", Test: "TestPlugins_SameAnswers", Cases: 500, Unit: "generated clusters",
	Compares: "PreFilter (code, reasons, nodes) and Filter (code, reasons) of every plugin on every node, not only up to the first " +
		"that rejects; raw, normalized and weighted scores; the set of best nodes; the node and the victims of a preemption, in " +
		"order; the result of every queueing hint for generated changes. Four schedulers are compared: kube-scheduler's plugins in its own " +
		"runtime and in Orrery's, and Orrery's plugins in either.",
	Differences: []Difference{
		{
			Upstream: "adds the overhead to the pod's own quantity with each call, if a pod-level request is a fraction",
			Orrery:   "computes on a copy",
			Compared: "requests are in the API server's canonical form",
		},
		{
			Upstream: "leaves a pod in unschedulablePods when a change of namespaces' labels, of one of its anti-affinity terms or of nodes that its affinity allows may help it (see InterPodAffinity)",
			Orrery:   "InterPodAffinity's hints requeue it",
		},
		{
			Upstream: "leaves a pod in unschedulablePods when a node begins to match the profile's own node affinity",
			Orrery:   "NodeAffinity's hint requeues it, since it may fit now",
		},
		{
			Upstream: "leaves a pod in unschedulablePods when its node selector or affinity begins or ceases to select a node whose pods PodTopologySpread counts",
			Orrery:   "PodTopologySpread's hint requeues it, since it may fit now",
		},
	},
}

// Releases compares whole schedulers as other releases decide.
var Releases = &Comparison{
	Name: "Decisions of other releases", Package: "cycle", Test: "TestReleases_SameDecisions", Cases: 500, Unit: "generated clusters, for each of 1.35 and 1.36",
	Compares: "What the comparison of decisions does, with Orrery as 1.35 and 1.36 decide, and kube-scheduler of that release in a process of its own. " +
		"It runs only if it is asked for. Each rule by which releases differ has a case of its own, in which they do so on both sides, or is " +
		"compared elsewhere.",
	Differences: []Difference{{
		Upstream: "has another API for pods of groups in each release",
		Orrery:   "has the API of 1.35",
		Compared: "pods have no group",
	}, {
		Upstream: "takes pools of devices in the order of a map, in 1.35",
		Orrery:   "takes them by driver and name",
		Compared: "without claims where there are several drivers, as 1.35; its allocator is compared alone",
	}},
}

// Decisions compares whole schedulers.
var Decisions = &Comparison{
	Name: "Decisions", Package: "cycle", Test: "TestScheduler_SameDecisions", Cases: 500, Unit: "generated clusters",
	Compares: "Whole schedulers in virtual time: which pod is next, its node, the text of the failure, reasons by plugin and number " +
		"of nodes, how many nodes were examined and where the next search begins (also with more than 100 nodes), nominations and " +
		"their clearing, conditions, victims in order, events, failed bindings, batching, the writes of volumes and claims, in order, and " +
		"what becomes of pods whose claims are bound or are not; after every event the queue that each pod " +
		"is in, its attempts and the plugins that rejected it, and all that is assumed of volumes and claims; and of claims for devices, in " +
		"some cases, every write with the devices that it allocates, and all devices that are taken.",
	Differences: []Difference{
		{
			Upstream: "means to draw one of several best nodes at random, but the layout of a heap decides",
			Orrery:   "draws by its seed, so that a run can be repeated",
			Compared: "Orrery follows the heap (engine.ByHeap)",
		},
		{
			Upstream: "visits the nodes that a pod's affinity names in random order",
			Orrery:   "visits them in the order of the snapshot",
			Compared: "a case ends where nothing but the node differs",
		},
		{
			Upstream: "tries nodes for preemption from a random one on, maybe a sample of them, and takes any of equal candidates",
			Orrery:   "takes the first that was tried",
			Compared: "errors of several nodes are compared in any order; a case ends where upstream took another of equal candidates",
		},
		{
			Upstream: "looks once a second whether the claims of a pod are bound, and takes any of several volumes that name a claim",
			Orrery:   "looks at every change, and takes the first by name",
			Compared: "what binds a claim comes when kube-scheduler looks; a case ends where several volumes name a claim",
		},
		{
			Upstream: "asks the plugins that may gate a pod in random order",
			Orrery:   "asks them in the order of the profile",
			Compared: "a case ends where several gate a pod, and another one did",
		},
		{
			Upstream: "tries the pools of devices in random order, and deallocates any of several claims",
			Orrery:   "tries pools by driver and name, and deallocates the first that it can",
			Compared: "pools are in that order on both sides, and a pool has one slice with devices; a case ends where another claim was deallocated",
		},
		{
			Upstream: "takes the number of slices in a pool of devices from any of them, and so finds a pool complete or not by chance when they disagree",
			Orrery:   "takes it from the first by name",
			Compared: "slices are listed in that order on both sides",
		},
		{
			Upstream: "requeues pods for a claim for devices when it has written it, and again when it reads it back",
			Orrery:   "requeues them when it reads it",
			Compared: "the queues are compared when a decision's claims were read",
		},
		{
			Upstream: "forgets, when the binding of a pod fails, which node it has written in the pod's claims, until it reads them back",
			Orrery:   "keeps it, so that no other pod takes such a claim to another node meanwhile",
		},
		{
			Upstream: "leaves pods in unschedulablePods that wait for devices when a failed binding gives some up",
			Orrery:   "requeues them",
			Compared: "a case ends there",
		},
		{
			Upstream: "leaves pods in unschedulablePods although the event may help them (see Answers)",
			Orrery:   "requeues them",
			Compared: "a case ends there",
		},
	},
}

// Hosting compares schedulers that run the other's volume plugins.
var Hosting = &Comparison{
	Name: "Hosted volume plugins", Package: "cycle", Test: "TestScheduler_HostsVolumePlugins", Cases: 500, Unit: "generated clusters, each way",
	Compares: "Decisions, on the clusters with storage, when one of the two schedulers runs the four volume plugins of the other: " +
		"Orrery's in kube-scheduler, with a goroutine of kube-scheduler taking VolumeBinding's steps, and kube-scheduler's in Orrery, with its " +
		"listers and its client.",
	Differences: Decisions.Differences,
}

// HostedProfile compares schedulers that both run kube-scheduler's plugins.
var HostedProfile = &Comparison{
	Name: "Hosted profile", Package: "cycle", Test: "TestScheduler_HostsWholeProfile", Cases: 200, Unit: "generated clusters",
	Compares: "Decisions, when Orrery runs kube-scheduler's plugins and none of its own: those that sort the queue, gate, preempt and " +
		"bind included, with Orrery's handle and its client. Clusters with claims for devices are left out.",
	Differences: Decisions.Differences,
}

// Framework compares the runtimes with scripted plugins.
var Framework = &Comparison{
	Name: "Framework", Package: "framework", Test: "TestRuntime_SameCalls", Cases: 2500, Unit: "random sets of plugins",
	Compares: "The framework's runtime with scripted plugins: which configurations it accepts and with which errors it rejects the " +
		"others, the order of calls, the result of every status, weighted scores.",
	Differences: []Difference{{
		Upstream: "prints %!w(<nil>) or panics on a status that is invalid at its extension point",
		Orrery:   "returns an error that names the plugin and the point",
		Compared: "plugins return no such status",
	}},
}

// BindingCycles compares what follows from a placement.
var BindingCycles = &Comparison{
	Name: "Binding cycles", Package: "framework", Test: "TestBindingCycle_SameCalls", Cases: 500, Unit: "random sets of plugins",
	Compares: "Whole schedulers with scripted plugins, from Reserve to PostBind or Unreserve: the calls in order, with their virtual times, and " +
		"the events. At PreBind plugins write and wait for objects, with success and without; Orrery's take steps, or block as " +
		"kube-scheduler's do.",
	Differences: []Difference{{
		Upstream: "reports nothing of a pod that every Bind plugin skips",
		Orrery:   "says so in an event and a condition",
	}},
}

// Queue compares the scheduling queue.
var Queue = &Comparison{
	Name: "Scheduling queue", Package: "queue", Test: "TestQueue_SameAfterEveryStep", Cases: 500, Unit: "scripts of 80 steps, with SchedulerPopFromBackoffQ on and off",
	Compares: "After every step: the queue that each pod is in, its counters, timestamps, back-off, rejecting and gating plugins; which pod is " +
		"popped; the in-flight pods; nominated pods by node, in order; the scheduling cycle; and for the whole script what " +
		"scheduler_queue_incoming_pods_total counted. The hints for events of volumes, claims and other objects of storage are those of each side's own " +
		"plugins.",
	Differences: []Difference{
		{
			Upstream: "orders equal timestamps by the layout of its heap",
			Orrery:   "by the order of arrival",
			Compared: "a millisecond passes before every step",
		},
		{
			Upstream: "calls PreEnqueue plugins in random order",
			Orrery:   "in the order of the profile, the gating one first",
			Compared: "at most one plugin rejects a pod at any time",
		},
		{
			Upstream: "does not show which of its two back-off heaps a pod is in",
			Orrery:   "does",
			Compared: "a pod without a plugin on record is taken to be in the one for errors",
		},
		{
			Upstream: "computes the end of a back-off when it first needs it",
			Orrery:   "when the attempt fails",
			Compared: "where upstream has it",
		},
		{
			Upstream: "queues a pod twice that becomes another one of its name while it backs off or is gated, and keeps the nomination of the first",
			Orrery:   "drops the first, and adds the other",
			Compared: "it happens to pods that are active or unschedulable, have no gate and no nomination",
		},
		{
			Upstream: "with SchedulerPopFromBackoffQ off, may put a pod into two queues on an update that means two events",
			Orrery:   "stops at the first move",
			Compared: "with the gate off an update changes one thing",
		},
		{
			Upstream: "queues an in-flight pod a second time if it is added again, and drops one later",
			Orrery:   "ignores the second addition",
			Compared: "pods are added only when they are new",
		},
		{
			Upstream: "requeues a failed pod as the new pod of its name",
			Orrery:   "drops the old one, and tells them apart by UID",
			Compared: "the scripts drop the old one",
		},
		{
			Upstream: "calls the matching hints of plugins in random order",
			Orrery:   "calls them in the order of the profile",
			Compared: "by their result",
		},
		{
			Upstream: "does not requeue a pod with claims when a driver ceases to publish its capacity",
			Orrery:   "requeues it (see VolumeBinding)",
			Compared: "no driver ceases to",
		},
	},
}

// Cache compares the cache and its snapshots.
var Cache = &Comparison{
	Name: "Cache", Package: "cache", Test: "TestCache_SameAfterRandomOperations", Cases: 2000, Unit: "sequences of operations",
	Compares: "The cache and its snapshots after random operations: every field of every NodeInfo, the order of the lists, assumed " +
		"pods, errors and their texts.",
	Differences: []Difference{
		{
			Upstream: "keeps a node's old place in the list when its zone changes, or when it is deleted and created again between two refreshes",
			Orrery:   "the list follows the tree at every refresh, so that a snapshot equals a new one",
			Compared: "with a fresh upstream snapshot always, and with the updated one unless a node moved since they last agreed",
		},
		{
			Upstream: "counts a claim for use as long as a pod with it is on a node that was deleted, until nodes come or go",
			Orrery:   "counts the pods of nodes that there are, as a new snapshot of upstream does",
			Compared: "with a fresh upstream snapshot",
		},
		{
			Upstream: "exits the process when a bound pod is updated or removed on another node",
			Orrery:   "returns a *CorruptionError and changes nothing",
			Compared: "not sent to upstream; Orrery must return the error and still agree afterwards",
		},
		{
			Upstream: "lists a node twice when it is added again in another zone",
			Orrery:   "moves it",
			Compared: "an existing node is added again only in its zone",
		},
		{
			Upstream: "does not list a node when its pods came first and the node arrives as an update",
			Orrery:   "lists it",
			Compared: "such a node arrives as an addition",
		},
		{
			Upstream: "trusts the caller's old version of a node or pod when it removes it",
			Orrery:   "removes what it holds",
			Compared: "old versions are those the caches hold",
		},
		{
			Upstream: "removes the old pod when it is updated to one with another UID or none",
			Orrery:   "rejects the update",
			Compared: "an update keeps the UID",
		},
		{
			Upstream: "counts generations for the whole process, and a snapshot's can go back",
			Orrery:   "counts for each cache, and never goes back",
			Compared: "by their effect: which nodes a refresh copies",
		},
	},
}
