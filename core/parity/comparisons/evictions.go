package comparisons

// Taints compares the taint eviction controller.
var Taints = &Comparison{
	Name: "Taint eviction", Package: "evict", Test: "TestTaint_SameEvictions", Cases: 1000, Unit: "histories",
	Compares: "kube-controller-manager's taint eviction controller, in virtual time: every event about a deletion or a cancellation, " +
		"every status patch, every deletion and every failed deletion, each with its time.",
	Differences: []Difference{
		{
			Upstream: "has one timer for each pod name, which is inherited when a deletion and a creation are seen as one",
			Orrery:   "has one for each pod",
			Compared: "a microsecond passes between the two",
		},
		{
			Upstream: "deletes pods that have completed, and with them the record of a Job",
			Orrery:   "leaves them",
			Compared: "histories have none",
		},
		{
			Upstream: "overflows on tolerations of 292 years and more",
			Orrery:   "tolerates forever",
			Compared: "histories have none",
		},
		{
			Upstream: "gives up after five failed attempts",
			Orrery:   "retries, at last once a minute",
			Compared: "at most four attempts fail",
		},
		{
			Upstream: "starts a second series of attempts when taints change during the first, or continues one that has lost its reason",
			Orrery:   "continues with one",
			Compared: "a second passes before the next step",
		},
		{
			Upstream: "retries the deletion of a pod that no longer exists",
			Orrery:   "stops",
			Compared: "a microsecond passes after a deletion",
		},
		{
			Upstream: "writes events without a UID, and counts repeated ones instead of sending them",
			Orrery:   "writes the pod's UID",
			Compared: "by pod, text and time",
		},
		{
			Upstream: "multiplies its latency metric by 10^9",
			Orrery:   "counts seconds",
			Compared: "not at all",
		},
	},
}

// DeviceTaints compares the device taint eviction controller.
var DeviceTaints = &Comparison{
	Name: "Device taint eviction", Package: "evict", Test: "TestDeviceTaint_SameEvictions", Cases: 800, Unit: "histories",
	Compares: "kube-controller-manager's device taint eviction controller, in virtual time: events, status patches, deletions, failed " +
		"deletions, and every condition of a DeviceTaintRule, each with its time.",
	Differences: []Difference{
		{
			Upstream: "ignores tolerations without an effect",
			Orrery:   "lets them tolerate every effect, as the API says",
			Compared: "histories have none",
		},
		{
			Upstream: "counts pods that are being deleted again with each pass",
			Orrery:   "counts them once",
			Compared: "deleted pods are removed at once",
		},
		{
			Upstream: "evicts completed pods, and takes the time of its own clock for taints without one",
			Orrery:   "leaves completed pods",
			Compared: "histories have neither",
		},
		{
			Upstream: "writes an event for each failed attempt",
			Orrery:   "writes one for each series",
			Compared: "the first event of a series, with steps a second apart from it",
		},
		{
			Upstream: "reports on a rule ten seconds after its last pass over a pod, whatever the pass was for, and so sometimes early",
			Orrery:   "reports ten seconds after a change",
			Compared: "in at most one of a thousand histories the times of reports may differ",
		},
		{
			Upstream: "counts repeated events instead of sending them",
			Orrery:   "sends them",
			Compared: "by pod, text and time",
		},
	},
}

// NodeLifecycle compares the node lifecycle controller.
var NodeLifecycle = &Comparison{
	Name: "Node lifecycle", Package: "evict", Test: "TestNodeLifecycle_SameTaints", Cases: 120, Unit: "histories of zones",
	Compares: "kube-controller-manager's node lifecycle controller, pass by pass: conditions that become Unknown, NoSchedule taints by " +
		"node, NoExecute taints by zone and rate, each with its time.",
	Differences: []Difference{
		{
			Upstream: "taints the waiting nodes of a zone in no particular order",
			Orrery:   "in the order in which they failed",
			Compared: "NoExecute taints by their zone only",
		},
		{
			Upstream: "never has a grace period end exactly at a pass, since its passes are not punctual",
			Orrery:   "counts that moment as expired",
			Compared: "grace periods are not multiples of the period between two passes",
		},
		{
			Upstream: "leaves a taint that is swapped at the very pass at which the last node ceases to be ready",
			Orrery:   "removes it with all others",
			Compared: "a pass lies between the two",
		},
		{
			Upstream: "forgets a zone without nodes or not, by the order of a map",
			Orrery:   "forgets it",
			Compared: "histories have none",
		},
		{
			Upstream: "removes NoExecute taints that exist when it starts",
			Orrery:   "keeps them",
			Compared: "histories begin without",
		},
	},
}

// Kubelet compares the kubelet's eviction manager.
var Kubelet = &Comparison{
	Name: "Node pressure", Package: "evict", Test: "TestKubelet_SameEvictions", Cases: 800, Unit: "nodes",
	Compares: "The kubelet's eviction manager, pass by pass: reclaiming, victims, messages, pod statuses, conditions, admission.",
	Differences: []Difference{
		{
			Upstream: "acts on memory first and then on any of several exceeded thresholds",
			Orrery:   "on hard ones first, then in the order of the signals",
			Compared: "cases have memory and one other signal",
		},
		{
			Upstream: "leaves the order of equal pods to its sort",
			Orrery:   "orders them by namespace and name",
			Compared: "a case ends where the order of equal pods matters",
		},
		{
			Upstream: "overrides one hard and one soft threshold for containerfs",
			Orrery:   "ignores all of them, as documented",
			Compared: "cases have none",
		},
		{
			Upstream: "returns one error of a configuration, by the order of a map",
			Orrery:   "returns all",
			Compared: "upstream's error must be among them",
		},
	},
}

// Ranking compares the order in which a kubelet evicts.
var Ranking = &Comparison{
	Name: "Eviction order", Package: "evict", Test: "TestRanking_Same", Cases: 4000, Unit: "nodes, under one of nine signals",
	Compares: "The kubelet's three ranking functions, by ranks: upstream's sort leaves the order of equal pods open.",
}

// QOSClasses compares the quality of service of pods.
var QOSClasses = &Comparison{
	Name: "QoS classes", Package: "evict", Test: "TestQOS_Same", Cases: 10000, Unit: "pods",
	Compares: "The quality of service class of a pod.",
}

// Thresholds compares the reading of thresholds.
var Thresholds = &Comparison{
	Name: "Eviction thresholds", Package: "evict", Test: "TestThresholds_Same", Cases: 10000, Unit: "configurations",
	Compares: "The thresholds of a kubelet configuration, or the error of an invalid one.",
}

// OOMScores compares what a kubelet tells the kernel's OOM killer.
var OOMScores = &Comparison{
	Name: "OOM scores", Package: "evict", Test: "TestOOMScoreAdj_Same", Cases: 10000, Unit: "pods",
	Compares: "The oom_score_adj of every container of a pod, sidecars and requests of the whole pod included.",
}

// PodCgroups compares the limits and shares of a pod's cgroup.
var PodCgroups = &Comparison{
	Name: "Pod cgroups", Package: "evict", Test: "TestPodCgroup_Same", Cases: 10000, Unit: "pods",
	Compares: "The CPU shares, weight and quota and the memory limit of a pod's cgroup, overhead included.",
}

// EvictionFlags compares the reading of a kubelet's flags.
var EvictionFlags = &Comparison{
	Name: "Eviction flags", Package: "evict", Test: "TestEvictionFlags_Same", Cases: 10000, Unit: "flags of thresholds",
	Compares: "The pairs of signals and values that a kubelet's flags give, or that a flag is malformed.",
}

// Evictions compares the Eviction API.
var Evictions = &Comparison{
	Name: "Eviction API", Package: "evict", Test: "TestEviction_SameAnswers", Cases: 10000, Unit: "requests",
	Compares: "The API server's eviction subresource: the answer (code, reason, message, cause, retry), and what it writes.",
	Differences: []Difference{
		{
			Upstream: "describes a conflict in its storage's terms",
			Orrery:   "names what changed",
			Compared: "409s by their code",
		},
		{
			Upstream: "reads a clock for the time of an allowed eviction",
			Orrery:   "takes the request's",
			Compared: "not at all",
		},
		{
			Upstream: "counts an eviction as overdue a moment after two minutes",
			Orrery:   "after two minutes",
			Compared: "no eviction is exactly two minutes old",
		},
	},
}

// Budgets compares the disruption controller.
var Budgets = &Comparison{
	Name: "Disruption budgets", Package: "evict", Test: "TestBudget_SameStatus", Cases: 5000, Unit: "budgets with their pods and owners",
	Compares: "The disruption controller: every number and condition of the status that it writes.",
	Differences: []Difference{
		{
			Upstream: "fails on owners of a kind that it cannot map",
			Orrery:   "counts them as deleted",
			Compared: "all kinds are mapped",
		},
		{
			Upstream: "writes an unchanged failure again",
			Orrery:   "does not",
			Compared: "an unwritten status counts as the one before",
		},
	},
}
