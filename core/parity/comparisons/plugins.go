package comparisons

// NodePlugins compares the plugins whose results depend on one pod and one node.
var NodePlugins = &Comparison{
	Name: "Node plugins", Package: "plugins/local", Test: "TestPlugins_SameAnswers", Cases: 2500, Unit: "random pods and nodes",
	Compares: "Each plugin whose results depend on one pod and one node (taints, names, cordons, affinity, ports, resources, images, declared " +
		"features, gates, queue sort, binding) also on objects that an API server would reject: PreFilter, Filter with and without " +
		"PreFilter, PreScore, raw and normalized scores, registered events, hints, signatures. Orrery's plugins " +
		"run on their own NodeInfo and on kube-scheduler's.",
	Differences: []Difference{
		{
			Upstream: "signs fewer parts of a pod",
			Orrery:   "adds fragments under its own keys, so that equal signatures mean equal results",
			Compared: "fragments under orrery/ are left out",
		},
		{
			Upstream: "scores every node 0 for an empty list of preferred node affinity",
			Orrery:   "skips scoring, with the same result",
			Compared: "an empty list counts as skipped",
		},
		{
			Upstream: "NodeDeclaredFeatures signs a bit for each feature that there is",
			Orrery:   "signs the names of those that a pod needs",
			Compared: "as bits",
		},
		{
			Upstream: "scores a pod that requests only uncounted resources by what is on the node (balanced allocation)",
			Orrery:   "skips it",
			Compared: "arguments list counted resources only",
		},
	},
}

// Signatures compares Orrery with itself.
var Signatures = &Comparison{
	Name: "Signatures", Package: "plugins/local", Test: "TestSignature_EqualMeansSameAnswers", Cases: 2500, Unit: "random pairs of pods",
	Compares: "Orrery with itself: two pods with equal signature fragments get equal results from every node-local plugin on every node.",
}

// Spread compares PodTopologySpread. A difference that is compared requeues a pod here and not in kube-scheduler, never the reverse.
var Spread = &Comparison{
	Name: "PodTopologySpread", Package: "plugins/topology", Test: "TestPodTopologySpread_SameAnswers", Cases: 500, Unit: "changing clusters, for each of three configurations",
	Compares: "PodTopologySpread on clusters that change step by step: PreFilter, Filter also after pods were added and removed in a " +
		"dry run, PreScore, scores, hints, signatures; on its own snapshot, and hosted on kube-scheduler's.",
	Differences: []Difference{
		{
			Upstream: "is exact after dry-run changes on one node only",
			Orrery:   "is exact after changes on several nodes",
			Compared: "the dry-run changes of one case are on one node",
		},
		{
			Upstream: "leaves the pod in unschedulablePods",
			Orrery:   "requeues it when its node selector or affinity begins or ceases to select a node, whose pods count or no longer count then",
		},
	},
}

// Affinity compares InterPodAffinity. Each difference requeues a pod here and not in kube-scheduler, never the reverse.
var Affinity = &Comparison{
	Name: "InterPodAffinity", Package: "plugins/topology", Test: "TestInterPodAffinity_SameAnswers", Cases: 500, Unit: "changing clusters, for each of three configurations",
	Compares: "InterPodAffinity in the same way as PodTopologySpread.",
	Differences: []Difference{
		{Upstream: "leaves the pod in unschedulablePods", Orrery: "requeues it when a pod is deleted whose own required anti-affinity rejected it by the labels of its namespace"},
		{Upstream: "leaves the pod in unschedulablePods", Orrery: "requeues it when a node is added or relabeled that its affinity allows, since another pod's anti-affinity may not apply there"},
		{Upstream: "leaves the pod in unschedulablePods", Orrery: "requeues it when a pod in a namespace selected by labels begins to match its affinity"},
		{Upstream: "leaves the pod in unschedulablePods", Orrery: "requeues it when a pod ceases to match one of its anti-affinity terms and still matches another, or matched by its namespace's labels"},
		{Upstream: "leaves the pod in unschedulablePods", Orrery: "requeues it when a pod that its affinity matches is deleted, since it may be the first of its group now"},
	},
}

// Volumes compares the plugins of volumes.
var Volumes = &Comparison{
	Name: "Volume plugins", Package: "plugins/volumes", Test: "TestVolumePlugins_SameAnswers", Cases: 500, Unit: "changing clusters",
	Compares: "VolumeRestrictions, NodeVolumeLimits and VolumeZone on clusters of claims, volumes, classes, CSINodes, CSIDrivers and " +
		"attachments that change step by step, also with objects that an API server would reject: PreFilter, Filter with and without " +
		"PreFilter and on nodes to which pods were added and from which pods were removed in a dry run, registered events, hints, " +
		"signatures; on their own snapshot and store, and hosted on kube-scheduler's.",
	Differences: []Difference{
		{
			Upstream: "with VolumeLimitScaling, names a random one of the drivers that a node lacks",
			Orrery:   "names the first in the order of the pod's volumes",
			Compared: "without the name of the driver",
		},
		{
			Upstream: "panics on an inline vSphere volume with a storage policy when an attachment is deleted",
			Orrery:   "requeues the pod, with an error",
			Compared: "volumes have no storage policy",
		},
		{
			Upstream: "takes a volume with several sources for that of a random one",
			Orrery:   "for that of the first in-tree plugin by name",
			Compared: "volumes have one source",
		},
	},
}

// VolumeBinding compares the plugin and what it assumes.
var VolumeBinding = &Comparison{
	Name: "VolumeBinding", Package: "plugins/volumebinding", Test: "TestVolumeBinding_SameAnswers", Cases: 2000, Unit: "changing clusters of volumes and claims",
	Compares: "VolumeBinding on volumes, claims, classes, drivers, capacities and CSINodes that change between pods: PreFilter, Filter on " +
		"every node with the reasons in order, PreScore and Score, Reserve and Unreserve with everything that is assumed of volumes and claims " +
		"after each step.",
	Differences: []Difference{
		{
			Upstream: "takes any of several equally small volumes, of several volumes that name the claim, and of several capacities that suffice",
			Orrery:   "takes the first by name",
			Compared: "volumes differ in size; pods are left out while several volumes name a claim of theirs; where storage is scored, a node has one capacity of a class",
		},
		{
			Upstream: "panics when it scores a capacity without a size, or a claim whose class is in an annotation only",
			Orrery:   "takes the capacity to be full, and the class from the annotation",
			Compared: "where storage is scored, both are set",
		},
		{
			Upstream: "does not requeue a pod with claims when a driver ceases to publish its capacity",
			Orrery:   "requeues it, since capacity no longer matters",
		},
	},
}

// Bindings compares what VolumeBinding does in PreBind.
var Bindings = &Comparison{
	Name: "Binding of volumes", Package: "plugins/volumebinding", Test: "TestBinding_SameWritesAndErrors", Cases: 1000, Unit: "bindings in virtual time",
	Compares: "VolumeBinding's PreBind while volumes, claims, nodes and pods change: the writes of volumes and claims in order and with " +
		"their content, conflicts, what ends a binding and with which text.",
	Differences: []Difference{
		{
			Upstream: "looks once a second, the first time after a second",
			Orrery:   "looks at every change",
			Compared: "one change comes half-way between two looks",
		},
		{
			Upstream: "updates volumes that need no change",
			Orrery:   "does not",
			Compared: "such updates are left out",
		},
	},
}
