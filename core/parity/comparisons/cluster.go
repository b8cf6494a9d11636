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

// DeviceAPI compares the validation of dynamic resource allocation's objects.
var DeviceAPI = &Comparison{
	Name: "API of devices", Package: "deviceapi", Test: "TestValidator_SameErrors", Cases: 2000, Unit: "objects of each kind",
	Compares: "The API server's validation of resource claims, their statuses and templates, resource slices, device classes and device " +
		"taint rules, and of pods' claims, with every gate on: every error, by its field, its type and its text.",
	Differences: []Difference{{
		Upstream: "says in several ways why a share is no UUID",
		Orrery:   "says that it is no lowercase UUID",
		Compared: "the text of these errors is left out",
	}},
}

// PodAPI compares what becomes of new and changed pods before they are stored.
var PodAPI = &Comparison{
	Name: "API of pods", Package: "podapi", Test: "TestPod_SameNewPods", Cases: 5000, Unit: "new pods and changes of pods, each with Gt and Lt off and on",
	Compares: "The API server's defaults, preparation and validation of pods, as far as scheduling reads them: the pod that is stored, and " +
		"every error by its field, its type, its text and its value.",
	Differences: []Difference{{
		Upstream: "requires an image of every container",
		Orrery:   "takes containers without, as scenarios have them",
		Compared: "every container has an image",
	}, {
		Upstream: "ends the error of a change that is not allowed with the difference of the two specs",
		Orrery:   "leaves it out",
		Compared: "the first line of a text",
	}},
}

// ClusterAPI compares what becomes of new and changed nodes and classes before they are stored.
var ClusterAPI = &Comparison{
	Name: "API of other objects", Package: "clusterapi", Test: "TestObjects_SameErrors", Cases: 2000, Unit: "objects of each kind, and changes of them",
	Compares: "The API server's defaults and validation of nodes and their statuses, namespaces, limit ranges, quotas, priority classes, runtime " +
		"classes, disruption budgets, claims to volumes, volumes, storage classes, and of the controllers of pods with their templates, as far as " +
		"scheduling reads them: every error by its field, its type, its text and its value.",
}

// Admission compares the admission plugins that decide about scheduling.
var Admission = &Comparison{
	Name: "Admission plugins", Package: "admission", Test: "TestPlugins_SameDecisions", Cases: 2000, Unit: "requests for each plugin",
	Compares: "kube-apiserver's admission plugins, each for itself, on new and changed pods, resizes, nodes, priority classes and claims: the object " +
		"that they leave, or the error. And which are on by default, and their order. For ResourceQuota what objects use of quotas, and which requests " +
		"are too much.",
	Differences: []Difference{{
		Upstream: "takes limit ranges, and the resources in one, in any order",
		Orrery:   "takes them by name",
		Compared: "there is one limit range, with one resource in each bound",
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
	Compares: "Every metric family that Kubernetes documents for the scheduler: name, type, labels, buckets, stability.",
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
	}},
}

// APIServer compares the simulated API server with a started one.
var APIServer = &Comparison{
	Name: "Objects on a real API server", Package: "apiobjects", Test: "TestServer_SameNewObjects", Cases: 25, Unit: "new objects of each kind, and as many changes",
	Compares: "A started kube-apiserver with its default admission plugins, and the simulated one: which new and changed objects of 25 kinds are " +
		"refused, by whom, and for which fields. Some are in a namespace with limits or with a quota.",
}
