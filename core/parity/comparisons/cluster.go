package comparisons

// Election compares leader election.
var Election = &Comparison{
	Name: "Leader election", Package: "leader", Test: "TestCandidate_SameCalls", Cases: 600, Unit: "histories",
	Compares: "client-go's leader election, replica by replica, with pauses, partitions, skewed clocks and third parties that write the " +
		"Lease: every call with its content, and every callback and event, at the same nanosecond.",
	Differences: []Difference{
		{
			Upstream: "calls OnNewLeader and OnStartedLeading in goroutines",
			Orrery:   "emits notices in order",
			Compared: "the notices of one instant as a set",
		},
		{
			Upstream: "may try once more when a deadline and a retry fall on one instant",
			Orrery:   "stops",
			Compared: "deadlines are not multiples of the retry period",
		},
		{
			Upstream: "may take a response that arrived while its process was stopped for too long",
			Orrery:   "stops",
			Compared: "the client stops too",
		},
		{
			Upstream: "sends an update without a name after a failed create, which its client rejects",
			Orrery:   "reads at once, as upstream does next",
			Compared: "the rejected call is left out",
		},
		{
			Upstream: "handles a signal to a stopped process when it continues",
			Orrery:   "is cancelled then",
			Compared: "cancelling waits until the process continues",
		},
		{
			Upstream: "leaves leader_election_master_status at 1 when it is cancelled between two renewals",
			Orrery:   "does not lead then",
			Compared: "not at all",
		},
	},
}

// Admission compares the admission plugins that decide about scheduling, and defaults.
var Admission = &Comparison{
	Name: "Defaults and admission plugins", Package: "admission", Test: "TestPlugins_SameDecisions", Cases: 2000, Unit: "requests for each plugin, and objects of each kind",
	Compares: "kube-apiserver's admission plugins, each for itself, on new and changed pods, resizes, nodes, priority classes and claims: the object " +
		"that they leave, or the error. And which are on by default, and their order. For ResourceQuota what pods use of quotas, and which pods " +
		"are too much. The defaults of pods with what is derived of them, nodes, namespaces, limit ranges, priority classes, claims and their volumes, storage " +
		"classes, CSI drivers, and claims to devices and their slices.",
	Differences: []Difference{{
		Upstream: "takes limit ranges, and the resources in one, in any order",
		Orrery:   "takes them by name",
		Compared: "there is one limit range, with one resource in each bound",
	}, {
		Upstream: "counts negative amounts against a quota; it has refused them before",
		Orrery:   "counts them as zero",
		Compared: "no pod with a quota has a negative amount",
	}, {
		Upstream: "has quotas of objects of every kind",
		Orrery:   "has quotas of pods",
		Compared: "the objects under a quota are pods",
	}, {
		Upstream: "has PodResize since 1.36, and on by default takes resizes of the resources of a pod itself and, since 1.37, of init containers",
		Orrery:   "refuses such resizes, as 1.35 does",
		Compared: "resizes are not compared beyond the plugins that both have",
	}, {
		Upstream: "asks the nodes of a ResourceSlice with resources of the node for DRANodeAllocatableResources, a gate that is off by default",
		Orrery:   "has no such resources",
		Compared: "NodeDeclaredFeatureValidator is given pods",
	}},
}

// ClaimController compares what becomes of claims.
var ClaimController = &Comparison{
	Name: "Claim controller", Package: "claims", Test: "TestController_SameClaims", Cases: 1000, Unit: "sets of pods, claims and templates",
	Compares: "kube-controller-manager's resource claim controller and that of the simulated cluster: what is left of claims, with their " +
		"allocations, reservations, finalizers and owners, and the claims that pods name.",
	Differences: []Difference{{
		Upstream: "makes the claim of a pod that has ended once more, after a restart, and deletes it again",
		Orrery:   "makes none",
		Compared: "pods that have ended have no claims of templates",
	}, {
		Upstream: "reserves an allocated claim for a pod on a node that has ended, takes that back, and begins again",
		Orrery:   "reserves nothing for it",
		Compared: "pods that have ended are on no node",
	}},
}

// Metrics compares metric families.
var Metrics = &Comparison{
	Name: "Metric families", Package: "telemetry", Test: "TestMetrics_FamiliesAreUpstream",
	Compares: "Every metric family that kube-scheduler of the newest release registers, under the default feature gates and SchedulerAsyncAPICalls: name, type, labels, buckets, stability.",
	Differences: []Difference{{
		Upstream: "counts allocations of devices with binding conditions, and how long they waited: scheduler_dra_bindingconditions_allocations_total and " +
			"scheduler_dra_bindingconditions_wait_duration_seconds, since 1.36",
		Orrery:   "has neither family",
		Compared: "the two are left out by name",
	}, {
		Upstream: "has families of groups and placements under GenericWorkload and TopologyAwareWorkloadScheduling, which are off by default",
		Orrery:   "schedules no groups of 1.36 and later, and has none of them",
		Compared: "those gates are off",
	}, {
		Upstream: "counts in native histograms, too, since 1.37",
		Orrery:   "counts in buckets",
		Compared: "the buckets alone",
	}},
}

// Cluster compares on a real API server.
var Cluster = &Comparison{
	Name: "On a real API server", Package: "live", Test: "TestDescribe_SameAsKubeScheduler",
	Compares: "With kube-scheduler's own binary, on kube-apiserver and etcd: what kubectl describe pod reads, the families of " +
		"/metrics, access rights one by one, two schedulers under one lease, every binding compared by a shadow. Without it: " +
		"failovers, outages, injected faults; no pod lost, none bound twice, no node overcommitted.",
	Differences: []Difference{{
		Upstream: "chooses among equal nodes by chance",
		Orrery:   "chooses by its seed",
		Compared: "node names of equal nodes are left out",
	}, {
		Upstream: "since 1.36 names no preemptor in the event Preempted: the events' recorder does not know what it wraps the preemptor in",
		Orrery:   "names it, as 1.35 does",
		Compared: "the object that an event is related to is left out, under kube-scheduler of 1.36 and later",
	}, {
		Upstream: "has metrics of its informers since 1.37: informer_processing_latency_seconds, informer_queued_items, informer_store_resource_version",
		Orrery:   "keeps objects in stores of its own, and has none of them",
		Compared: "these families are left out",
	}, {
		Upstream: "does not know the gate ControllerManagerReleaseLeaderElectionLockOnExit, which is kube-controller-manager's",
		Orrery:   "has it among the gates of 1.36 and 1.37, and does nothing by it",
		Compared: "the gate is left out of those in /metrics",
	}},
}

// APIServer shows what a started API server refuses.
var APIServer = &Comparison{
	Name: "Refusals of a real API server", Package: "apiobjects", Test: "TestServer_Refuses",
	Compares: "What a started kube-apiserver refuses of the objects that schedulers read, which Orrery leaves to it. The few refusals that the simulated " +
		"API server repeats, since scenarios teach with them, name the same fields.",
}
