package comparisons

// HostedDevices compares kube-scheduler's plugin in Orrery with Orrery's.
var HostedDevices = &Comparison{
	Name: "DynamicResources, hosted", Package: "plugins/dynamicresources", Test: "TestHosted_SameDecisions", Cases: 150, Unit: "clusters",
	Compares: "Orrery's engine with kube-scheduler's DynamicResources, whose PreBind runs in a goroutine, and with its own: every decision " +
		"with its message, every event, and the claims afterwards.",
	Differences: []Difference{{
		Upstream: "looks every second whether an implicit claim can be read, and every five whether devices are ready",
		Orrery:   "goes on with their claim's change",
		Compared: "without binding conditions, and at the end of each binding",
	}},
}

// Allocations compares the allocator alone.
var Allocations = &Comparison{
	Name: "Allocator of devices", Package: "allocate", Test: "TestAllocate_SameDevices", Cases: 4000, Unit: "clusters of slices, classes and claims",
	Compares: "Orrery's allocator with that of 1.37, and with those of 1.35 and 1.36 in processes of their own, with each of its features on and off: " +
		"the results with their configuration, node selector, conditions and consumed capacity; errors; and how many steps the search takes, with and without a limit.",
	Differences: []Difference{
		{
			Upstream: "panics on selectors without an expression, on requests without a kind, on counts with a negative sum, on policies with a step of zero or without a minimum, and, in 1.35, on requests for all devices that consume counters",
			Orrery:   "fails the attempt",
		},
		{
			Upstream: "visits pools in the order of a map without some gates",
			Orrery:   "visits them by driver and name",
			Compared: "in that order on both sides",
		},
		{
			Upstream: "makes identifiers of shared parts by chance",
			Orrery:   "makes them of the claim",
			Compared: "they are left out",
		},
	},
}

// DynamicResources compares the plugin, with everything that it writes.
var DynamicResources = &Comparison{
	Name: "DynamicResources", Package: "plugins/dynamicresources", Test: "TestDynamicResources_SameAnswers", Cases: 1000,
	Unit: "changing clusters of classes, slices, claims and taint rules",
	Compares: "DynamicResources with each of its feature gates on and off: PreEnqueue, PreFilter, Filter on every node, scores, PostFilter, " +
		"Reserve, PreBind and Unreserve; the devices that claims get, claims in flight and all devices that are taken; every write of " +
		"claims and of the pod's status, in order and with its content, with conflicts and failures; the wait for binding conditions; " +
		"events; the events that requeue a pod, with their hints; and how NodeResourcesFit filters and scores by devices.",
	Differences: []Difference{
		{
			Upstream: "remembers for ever, by the name of a device, whether a class selects it, when it scores extended resources",
			Orrery:   "looks at the devices as they are",
			Compared: "with a new plugin each time, and devices of different names",
		},
		{
			Upstream: "visits pools in the order of a map, and slices in that of a cache",
			Orrery:   "visits them in the order of their names",
			Compared: "in that order on both sides",
		},
		{
			Upstream: "makes identifiers of shares by chance",
			Orrery:   "makes them of the claim",
			Compared: "they are left out",
		},
		{
			Upstream: "counts the filter timeout on a clock",
			Orrery:   "counts steps of the search",
			Compared: "the reason, with timeouts that every search exceeds",
		},
		{
			Upstream: "deallocates any of several claims, and waits for the API server",
			Orrery:   "deallocates the first, and says so before",
			Compared: "pods with one such claim, whose write succeeds",
		},
		{
			Upstream: "looks every five seconds whether devices are ready",
			Orrery:   "goes on with their claim's change",
			Compared: "changes come one at a time between two looks",
		},
		{
			Upstream: "creates an empty implicit claim for a pod with claims of its own whose extended resources a device plugin has, and fails",
			Orrery:   "creates none",
			Compared: "not at all",
		},
		{
			Upstream: "writes a pod twice into a claim that it names twice, which the API server rejects",
			Orrery:   "writes it once",
			Compared: "pods name a claim once",
		},
		{
			Upstream: "loses an extended resource when the newest of several classes that name it is deleted",
			Orrery:   "gives it to the next newest",
			Compared: "one class names a resource",
		},
	},
}
