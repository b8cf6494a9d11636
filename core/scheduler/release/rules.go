package release

// Rule is one difference between the decisions of releases. rules.go is the list of them all.
type Rule uint8

// Row describes a rule.
type Row struct {
	// Name is the rule's name in code and documents.
	Name string
	// Number is the rule's row in the list of what changed between the releases, such as 36-1.
	Number string
	// First is the first release that follows the rule. Last is the last one; Newest is followed by whatever comes after it.
	First, Last Release
	// Sentence says what the releases that follow the rule do, and what the others do.
	Sentence string
	// Upstream is the KEP or pull request of kubernetes/kubernetes that made the change, where it is known.
	Upstream string
}

// The rules, in the order of their numbers.
const (
	BalanceByImprovement Rule = iota
	ImageVolumesScored
	NominatedPodsAffine
	NominatedPodsSpread
	MissingDriversOptIn
	PortworxMigrated
	UnboundPreemptedInMemory
	PreBindsInParallel
	FailureOfCurrentPod
	QueuedPodsSigned
	FilterTimeoutFails
	AllocatedPartsShared
	BindingFailuresAlike
	AllocatedClaimsScored
	ClaimOwnersNamedByKind
	SignUnlessServedByDevices
	HostNetworkUsersDeclared
	FeaturesMessageBrief
	RatioOnlyWithItsType
	FlushedPodsCounted
	PlacementsConfigured
	BatchesRescored
	BudgetsUpToFirstViolation
	EntitiesCounted
	UnstartedVictimsInOrder
	NamespaceSelectorsResolved
	TaintEventsExplicit
	PodEventsSplit
	GatedPodsNominated
	GatedPodsFlushed
	NodeNameRestricts
	PreemptionReported
	MemoryPreemptorActivated
	NoClaimsNoMessage
	ClaimDeletionsRequeue
	ImageVolumesInThreshold
	RecreatedPodsAnew
	GroupPostFiltersConfigured
	ResizeSummedByPod
	DeviceTaintRulesNeedSelector
	AllocatorsGraduated
	DevicesInCombinations
	RejectedDevicesGiveBack
	AlternativesForAllDevices
	SharedDevicesUseCounters
	CountersByDriver
	CountersOfWholePool
	DeviceLimitByRequest
	AllDevicesWithUsedOnes
	CapacityRepresentable
	ConfigurationsOnce
	DistinctInRequest
	PartsWithoutCapacityInUse
	SelectorErrorsNameDevice
)

var rows = [...]Row{
	BalanceByImprovement: {
		Name: "BalanceByImprovement", Number: "36-1", First: V136, Last: Newest,
		Sentence: "NodeResourcesBalancedAllocation scores how much a pod improves the balance of a node: 50 to 100, about 75 if nothing changes. Before, it scores the balance with the pod.",
	},
	ImageVolumesScored: {
		Name: "ImageVolumesScored", Number: "36-2", First: V136, Last: Newest,
		Sentence: "ImageLocality adds the sizes of images that are mounted as volumes.",
	},
	NominatedPodsAffine: {
		Name: "NominatedPodsAffine", Number: "36-3", First: V136, Last: Newest,
		Sentence: "A nominated pod that is added, relabelled or deleted requeues the pods that InterPodAffinity rejected, as one with a node does. The deletion of a pod requeues those that its anti-affinity may have kept out, as far as can be told without the labels of namespaces. Before, of those only the ones that it did keep out.",
	},
	NominatedPodsSpread: {
		Name: "NominatedPodsSpread", Number: "36-4", First: V136, Last: Newest,
		Sentence: "A nominated pod that is added, relabelled or deleted requeues the pods that PodTopologySpread rejected, as one with a node does.",
	},
	MissingDriversOptIn: {
		Name: "MissingDriversOptIn", Number: "36-5", First: V136, Last: Newest, Upstream: "KEP-5030",
		Sentence: "NodeVolumeLimits rejects a node without a CSI driver only if the CSIDriver asks for it by spec.preventPodSchedulingIfMissing. Before, with VolumeLimitScaling, any CSIDriver does.",
	},
	PortworxMigrated: {
		Name: "PortworxMigrated", Number: "36-5", First: V136, Last: Newest,
		Sentence: "NodeVolumeLimits counts Portworx volumes as those of the CSI driver on every node. Before, on nodes whose CSINode names the plugin as migrated.",
	},
	UnboundPreemptedInMemory: {
		Name: "UnboundPreemptedInMemory", Number: "36-6", First: V136, Last: Newest,
		Sentence: "A victim that waits for a permit, or whose PreBind plugins run, is not deleted: its binding fails, and it is tried again after a back-off. Before, one that waits is rejected, and one in PreBind deleted.",
	},
	PreBindsInParallel: {
		Name: "PreBindsInParallel", Number: "36-7", First: V136, Last: Newest,
		Sentence: "PreBind plugins that allow it, as VolumeBinding and DynamicResources do, run beside each other, unless parallelism is 1, so that claims for devices are written while volumes are being bound. Before, one runs after the other.",
	},
	FailureOfCurrentPod: {
		Name: "FailureOfCurrentPod", Number: "36-8", First: V136, Last: Newest,
		Sentence: "A failed attempt is written to the pod as it is by now, so that a nomination is cleared that was written meanwhile, and to no other pod of the same name. Before, it is written by the pod as it was when the attempt began.",
	},
	QueuedPodsSigned: {
		Name: "QueuedPodsSigned", Number: "36-9", First: V136, Last: Newest, Upstream: "KEP-5598",
		Sentence: "A pod is signed for batching when it is added to the queue or updated there, so that one which is updated while it is tried keeps its signature. Before, it is signed in each attempt.",
	},
	FilterTimeoutFails: {
		Name: "FilterTimeoutFails", Number: "36-10", First: V136, Last: Newest,
		Sentence: "A search for devices that takes longer than the filter timeout of DynamicResources fails the attempt, after which the pod is tried again. Before, it rejects the node.",
	},
	AllocatedPartsShared: {
		Name: "AllocatedPartsShared", Number: "36-11", First: V136, Last: Newest,
		Sentence: "A device of which a claim has a part is shared as long as the claim has it. Before, only while the claim is being written, unless the part consumes capacity.",
	},
	BindingFailuresAlike: {
		Name: "BindingFailuresAlike", Number: "36-11", First: V136, Last: Newest,
		Sentence: "The messages of pods whose devices are not ready in time, or fail, begin alike: device binding timeout, and device binding failed. Before, with the claim, mostly.",
	},
	AllocatedClaimsScored: {
		Name: "AllocatedClaimsScored", Number: "36-11", First: V136, Last: Newest,
		Sentence: "The score of a node counts the alternatives of claims that have devices already, and no node is scored without DRAPrioritizedList. Before, the attempt of a pod with such a claim beside one without fails where nodes are scored.",
	},
	ClaimOwnersNamedByKind: {
		Name: "ClaimOwnersNamedByKind", Number: "36-11", First: V136, Last: Newest,
		Sentence: "The message of a pod whose generated claim is of another one writes Pod with a capital. Before, pod.",
	},
	SignUnlessServedByDevices: {
		Name: "SignUnlessServedByDevices", Number: "36-12", First: V136, Last: Newest, Upstream: "KEP-5598",
		Sentence: "With DRAExtendedResource, pods are batched unless they request a resource that a DeviceClass serves. Before, none is.",
	},
	HostNetworkUsersDeclared: {
		Name: "HostNetworkUsersDeclared", Number: "36-13", First: V136, Last: Newest, Upstream: "KEP-5328",
		Sentence: "NodeDeclaredFeatures wants UserNamespacesHostNetworkSupport for a pod in the network of the host and in a user namespace of its own.",
	},
	FeaturesMessageBrief: {
		Name: "FeaturesMessageBrief", Number: "36-13", First: V136, Last: Newest, Upstream: "KEP-5328",
		Sentence: "The message of NodeDeclaredFeatures does not name the missing features.",
	},
	RatioOnlyWithItsType: {
		Name: "RatioOnlyWithItsType", Number: "36-14", First: V136, Last: Newest,
		Sentence: "A configuration gives NodeResourcesFit requestedToCapacityRatio with the type RequestedToCapacityRatio, and with no other.",
	},
	PlacementsConfigured: {
		Name: "PlacementsConfigured", Number: "36-14", First: V136, Last: Newest, Upstream: "KEP-5732",
		Sentence: "A configuration may list plugins at placementGenerate and placementScore, which are for groups of pods and refused here as not modelled. Before, they are unknown fields.",
	},
	FlushedPodsCounted: {
		Name: "FlushedPodsCounted", Number: "36-15", First: V136, Last: Newest,
		Sentence: "Metrics: scheduler_pod_scheduled_after_flush_total counts pods that were bound although no event brought them back; goroutines, permit_wait_duration_seconds, plugin_evaluation_total and unschedulable_pods are beta.",
	},
	BatchesRescored: {
		Name: "BatchesRescored", Number: "37-1", First: V137, Last: Newest, Upstream: "KEP-5598",
		Sentence: "While the node of the last pod of a batch has room for the next one, it is scored anew and competes with the others. Before, the batch is not used then, and all nodes are searched.",
	},
	BudgetsUpToFirstViolation: {
		Name: "BudgetsUpToFirstViolation", Number: "37-2", First: V137, Last: Newest,
		Sentence: "The first PodDisruptionBudget that a victim violates is the last that it is charged to, in the order of their names. Before, it is charged to all that match.",
	},
	EntitiesCounted: {
		Name: "EntitiesCounted", Number: "37-M", First: V137, Last: Newest,
		Sentence: "Metrics: scheduler_queued_entities and scheduler_queue_incoming_entities_total count what is scheduled as one, here pods, and pre_queueing_hint_evaluations_total stays zero; dynamic_resource_allocation_resourceclaim_creates_total replaces scheduler_resourceclaim_creates_total, and preemption_goroutines_duration_seconds is gone; scheduling_algorithm_duration_seconds and plugin_execution_duration_seconds are beta.",
	},
	UnstartedVictimsInOrder: {
		Name: "UnstartedVictimsInOrder", Number: "37-3", First: V137, Last: Newest,
		Sentence: "Pods without a start time are taken for started when they are gathered as victims: of two of the same priority the later one on the node goes first. Before, their order is left open.",
	},
	NamespaceSelectorsResolved: {
		Name: "NamespaceSelectorsResolved", Number: "37-4", First: V137, Last: Newest,
		Sentence: "A namespaceSelector of a pod affinity term selects the namespaces that match it. Before, one that matches an empty set of labels, as DoesNotExist may, selects every namespace.",
	},
	TaintEventsExplicit: {
		Name: "TaintEventsExplicit", Number: "37-6", First: V137, Last: Newest, Upstream: "kubernetes#110175",
		Sentence: "A node whose taints change requeues the pods of plugins that register for that. Before, it requeues those of all plugins that register for new nodes, such as NodeResourcesFit.",
	},
	PodEventsSplit: {
		Name: "PodEventsSplit", Number: "37-6", First: V137, Last: Newest, Upstream: "KEP-4247",
		Sentence: "Events of pods have three names, AssignedPod, UnscheduledPod and TargetPod for the pod that an update is about, and plugins register for those that may help; a pod whose requests grow is an event of its own. Before, pods without a node are UnschedulablePod, and plugins register for all pods.",
	},
	GatedPodsNominated: {
		Name: "GatedPodsNominated", Number: "37-7", First: V137, Last: Newest,
		Sentence: "A gated pod with a nominated node holds its place there when it is added. Before, it does when its gates are gone.",
	},
	GatedPodsFlushed: {
		Name: "GatedPodsFlushed", Number: "37-7", First: V137, Last: Newest,
		Sentence: "The flush of pods that have waited for five minutes asks the gates of gated pods again, and lets those that stay wait for another five. Before, it leaves them, and from then on its every tick, 30 seconds apart, is an event that sends a pod which fails meanwhile to back-off.",
	},
	NodeNameRestricts: {
		Name: "NodeNameRestricts", Number: "37-8", First: V137, Last: Newest,
		Sentence: "NodeName is the first filter of the default plugins, and keeps the search to the node that a pod names; NodeUnschedulable and TaintToleration have a PreFilter, too, which does nothing.",
	},
	PreemptionReported: {
		Name: "PreemptionReported", Number: "37-10", First: V137, Last: Newest,
		Sentence: "The message of a pod that preempts names the node and counts the victims.",
	},
	MemoryPreemptorActivated: {
		Name: "MemoryPreemptorActivated", Number: "37-11", First: V137, Last: Newest,
		Sentence: "A pod whose last victim was not bound yet is activated when that has lost its place. Before, it is requeued if an event helps it, as by default the end of the victim's binding does.",
	},
	NoClaimsNoMessage: {
		Name: "NoClaimsNoMessage", Number: "37-12", First: V137, Last: Newest,
		Sentence: "DynamicResources adds nothing to the message of an unschedulable pod if it deallocates no claim. Before, it adds: no new claims to deallocate, of a pod without claims, or: still not schedulable.",
	},
	ClaimDeletionsRequeue: {
		Name: "ClaimDeletionsRequeue", Number: "37-12", First: V137, Last: Newest,
		Sentence: "The deletion of a claim that has devices requeues the pods that DynamicResources rejected. Before, no deletion of a claim does.",
	},
	ImageVolumesInThreshold: {
		Name: "ImageVolumesInThreshold", Number: "37-13", First: V137, Last: Newest,
		Sentence: "The sum of sizes at which ImageLocality scores 100 grows with images that are mounted as volumes, as it does with containers.",
	},
	GroupPostFiltersConfigured: {
		Name: "GroupPostFiltersConfigured", Number: "37-C", First: V137, Last: Newest, Upstream: "KEP-5710",
		Sentence: "A configuration may list plugins at podGroupPostFilter, which are for groups of pods and refused here as not modelled. Before, it is an unknown field.",
	},
	RecreatedPodsAnew: {
		Name: "RecreatedPodsAnew", Number: "37-15", First: V137, Last: Newest,
		Sentence: "A queued pod of which the scheduler hears that it is another one of the same name begins anew. Before, it takes over the place in the queue, the back-off and the attempts of the first.",
	},
	ResizeSummedByPod: {
		Name: "ResizeSummedByPod", Number: "L-1", First: V137, Last: Newest,
		Sentence: "A pod in resize requests the most of the sums of what its containers desire, are allocated and have. Before, it requests the sum of the most of each container.",
	},
	DeviceTaintRulesNeedSelector: {
		Name: "DeviceTaintRulesNeedSelector", Number: "L-4", First: V137, Last: Newest, Upstream: "KEP-5055",
		Sentence: "A DeviceTaintRule without a deviceSelector taints no device. Before, it taints all.",
	},
	AllocatorsGraduated: {
		Name: "AllocatorsGraduated", Number: "L-2", First: V136, Last: Newest,
		Sentence: "Admin access, alternatives, shared counters and device taints are the most stable allocator's; binding conditions and consumable capacity the next one's, which takes the pools in the order of driver and name, those with binding conditions last. Before, the most stable one allocates only without any of their gates, and no gate but the latter two has constraints by distinct attributes.",
	},
	DevicesInCombinations: {
		Name: "DevicesInCombinations", Number: "L-2", First: V136, Last: Newest,
		Sentence: "With binding conditions or consumable capacity, a request goes on after the device that it got last, so that it gets a device that can be shared once. Before, it tries the devices in every order, and may get several parts of one.",
	},
	RejectedDevicesGiveBack: {
		Name: "RejectedDevicesGiveBack", Number: "L-2", First: V136, Last: Newest,
		Sentence: "A device that a taint or a constraint keeps from a request gives its counters back. Before, they stay consumed while devices are searched for on the node.",
	},
	AlternativesForAllDevices: {
		Name: "AlternativesForAllDevices", Number: "L-2", First: V136, Last: Newest,
		Sentence: "An alternative for all devices gets all of its own, which may consume counters. Before, the first alternative decides from the second device on, and kube-scheduler ends if one of all devices consumes counters.",
	},
	SharedDevicesUseCounters: {
		Name: "SharedDevicesUseCounters", Number: "L-2", First: V136, Last: Newest,
		Sentence: "A device of which claims have parts consumes its counters. Before, only one that a claim has for itself does.",
	},
	CountersByDriver: {
		Name: "CountersByDriver", Number: "L-3", First: V137, Last: Newest,
		Sentence: "Each driver's pool has its own counters. Before, pools of one name share them, whatever their drivers.",
	},
	CountersOfWholePool: {
		Name: "CountersOfWholePool", Number: "L-3", First: V137, Last: Newest,
		Sentence: "With binding conditions or consumable capacity, slices with shared counters say which nodes reach them, as others do, and devices of their pool consume them from any node. Before, every node reaches them.",
	},
	DeviceLimitByRequest: {
		Name: "DeviceLimitByRequest", Number: "L-3", First: V137, Last: Newest,
		Sentence: "The request with which a claim wants more devices than its status holds is named, and a count that is too large for a sum falls through to the next alternative.",
	},
	AllDevicesWithUsedOnes: {
		Name: "AllDevicesWithUsedOnes", Number: "L-3", First: V137, Last: Newest,
		Sentence: "A request for all devices fails if claims have too much of the capacity of one. Before, it gets the others.",
	},
	CapacityRepresentable: {
		Name: "CapacityRepresentable", Number: "L-3", First: V137, Last: Newest,
		Sentence: "Requested capacity that is negative, or too large to be rounded to a step, is an error of the attempt. Before, it is calculated with as it is.",
	},
	ConfigurationsOnce: {
		Name: "ConfigurationsOnce", Number: "L-3", First: V137, Last: Newest,
		Sentence: "A claim's configuration is written to its status once, and without names of requests if it is for all. Before, it is once for each request that it names.",
	},
	DistinctInRequest: {
		Name: "DistinctInRequest", Number: "L-3", First: V137, Last: Newest,
		Sentence: "A distinct attribute differs between all devices. Before, a device is compared with the last one of each request only.",
	},
	PartsWithoutCapacityInUse: {
		Name: "PartsWithoutCapacityInUse", Number: "L-3", First: V137, Last: Newest,
		Sentence: "A device of which claims have parts without any capacity consumes its counters once. Before, each further part consumes them again.",
	},
	SelectorErrorsNameDevice: {
		Name: "SelectorErrorsNameDevice", Number: "L-5", First: V137, Last: Newest,
		Sentence: "The error of a CEL selector names the device, and says how to read an attribute that a device may lack.",
	},
}

// Rules returns the rules in the order of their numbers.
func Rules() []Rule {
	all := make([]Rule, len(rows))
	for i := range all {
		all[i] = Rule(i)
	}
	return all
}

// Row returns the rule's row.
func (rule Rule) Row() Row { return rows[rule] }

// String returns the rule's name.
func (rule Rule) String() string { return rows[rule].Name }

// In reports whether a release follows the rule.
func (rule Rule) In(r Release) bool { return rows[rule].First <= r && r <= rows[rule].Last }
