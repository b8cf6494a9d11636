package config

import "k8s.io/component-base/featuregate"

// The feature gates that Orrery reads: those for scheduling, the objects that a scheduler reads and writes, evictions by taints and
// devices, and leader election. Not every release has each of them.
const (
	CSIMigrationPortworx                           featuregate.Feature = "CSIMigrationPortworx"
	ClearingNominatedNodeNameAfterBinding          featuregate.Feature = "ClearingNominatedNodeNameAfterBinding"
	ComponentFlagz                                 featuregate.Feature = "ComponentFlagz"
	ComponentStatusz                               featuregate.Feature = "ComponentStatusz"
	ContextualLogging                              featuregate.Feature = "ContextualLogging"
	CoordinatedLeaderElection                      featuregate.Feature = "CoordinatedLeaderElection"
	DRAAdminAccess                                 featuregate.Feature = "DRAAdminAccess"
	DRAConsumableCapacity                          featuregate.Feature = "DRAConsumableCapacity"
	DRADeviceBindingConditions                     featuregate.Feature = "DRADeviceBindingConditions"
	DRADeviceTaintRules                            featuregate.Feature = "DRADeviceTaintRules"
	DRADeviceTaints                                featuregate.Feature = "DRADeviceTaints"
	DRAExtendedResource                            featuregate.Feature = "DRAExtendedResource"
	DRAPartitionableDevices                        featuregate.Feature = "DRAPartitionableDevices"
	DRAPrioritizedList                             featuregate.Feature = "DRAPrioritizedList"
	DRAResourceClaimDeviceStatus                   featuregate.Feature = "DRAResourceClaimDeviceStatus"
	DRASchedulerFilterTimeout                      featuregate.Feature = "DRASchedulerFilterTimeout"
	DynamicResourceAllocation                      featuregate.Feature = "DynamicResourceAllocation"
	GangScheduling                                 featuregate.Feature = "GangScheduling"
	GenericWorkload                                featuregate.Feature = "GenericWorkload"
	InPlacePodLevelResourcesVerticalScaling        featuregate.Feature = "InPlacePodLevelResourcesVerticalScaling"
	InPlacePodVerticalScaling                      featuregate.Feature = "InPlacePodVerticalScaling"
	MatchLabelKeysInPodAffinity                    featuregate.Feature = "MatchLabelKeysInPodAffinity"
	MatchLabelKeysInPodTopologySpread              featuregate.Feature = "MatchLabelKeysInPodTopologySpread"
	MatchLabelKeysInPodTopologySpreadSelectorMerge featuregate.Feature = "MatchLabelKeysInPodTopologySpreadSelectorMerge"
	MutableCSINodeAllocatableCount                 featuregate.Feature = "MutableCSINodeAllocatableCount"
	NodeDeclaredFeatures                           featuregate.Feature = "NodeDeclaredFeatures"
	NodeInclusionPolicyInPodTopologySpread         featuregate.Feature = "NodeInclusionPolicyInPodTopologySpread"
	NominatedNodeNameForExpectation                featuregate.Feature = "NominatedNodeNameForExpectation"
	OpportunisticBatching                          featuregate.Feature = "OpportunisticBatching"
	PodLevelResources                              featuregate.Feature = "PodLevelResources"
	PodObservedGenerationTracking                  featuregate.Feature = "PodObservedGenerationTracking"
	PodSchedulingReadiness                         featuregate.Feature = "PodSchedulingReadiness"
	SchedulerAsyncAPICalls                         featuregate.Feature = "SchedulerAsyncAPICalls"
	SchedulerAsyncPreemption                       featuregate.Feature = "SchedulerAsyncPreemption"
	SchedulerPopFromBackoffQ                       featuregate.Feature = "SchedulerPopFromBackoffQ"
	SchedulerQueueingHints                         featuregate.Feature = "SchedulerQueueingHints"
	SeparateTaintEvictionController                featuregate.Feature = "SeparateTaintEvictionController"
	SidecarContainers                              featuregate.Feature = "SidecarContainers"
	StorageCapacityScoring                         featuregate.Feature = "StorageCapacityScoring"
	TaintTolerationComparisonOperators             featuregate.Feature = "TaintTolerationComparisonOperators"
	VolumeAttributesClass                          featuregate.Feature = "VolumeAttributesClass"
	VolumeLimitScaling                             featuregate.Feature = "VolumeLimitScaling"

	// AllAlpha and AllBeta set every gate of their stage that is not set by its own name.
	AllAlpha featuregate.Feature = "AllAlpha"
	AllBeta  featuregate.Feature = "AllBeta"
)

// Stage is the maturity of a gate. Unlike featuregate's own type it can be named, and GA is spelled out.
type Stage string

// The stages, spelled as kube-scheduler's help does.
const (
	Alpha      Stage = "ALPHA"
	Beta       Stage = "BETA"
	GA         Stage = "GA"
	Deprecated Stage = "DEPRECATED"
)

// gate is one row of a release's table: the state of a gate when it is not set.
type gate struct {
	name     featuregate.Feature
	stage    Stage
	on       bool // the default
	locked   bool // may not be set to anything but the default
	requires []featuregate.Feature
	// withoutOlder says that the gate is on by default where the minimum compatibility version is the release itself.
	withoutOlder bool
	use          use
}

// use is what Orrery does with a gate.
type use uint8

const (
	// foreign gates are of other components, or without effect on a decision. They are accepted, since all components are often started with one
	// list of gates.
	foreign use = iota
	// modelled gates are read.
	modelled
	// unmodelled gates change decisions in a way that Orrery does not follow, so they are refused.
	unmodelled
)

// modelledGates are the constants above.
var modelledGates = []featuregate.Feature{
	CSIMigrationPortworx, ClearingNominatedNodeNameAfterBinding, ComponentFlagz, ComponentStatusz, ContextualLogging, CoordinatedLeaderElection,
	DRAAdminAccess, DRAConsumableCapacity, DRADeviceBindingConditions, DRADeviceTaintRules, DRADeviceTaints, DRAExtendedResource, DRAPartitionableDevices,
	DRAPrioritizedList, DRAResourceClaimDeviceStatus, DRASchedulerFilterTimeout, DynamicResourceAllocation, GangScheduling, GenericWorkload,
	InPlacePodLevelResourcesVerticalScaling, InPlacePodVerticalScaling, MatchLabelKeysInPodAffinity, MatchLabelKeysInPodTopologySpread,
	MatchLabelKeysInPodTopologySpreadSelectorMerge, MutableCSINodeAllocatableCount, NodeDeclaredFeatures, NodeInclusionPolicyInPodTopologySpread,
	NominatedNodeNameForExpectation, OpportunisticBatching, PodLevelResources, PodObservedGenerationTracking, PodSchedulingReadiness,
	SchedulerAsyncAPICalls, SchedulerAsyncPreemption, SchedulerPopFromBackoffQ, SchedulerQueueingHints, SeparateTaintEvictionController,
	SidecarContainers, StorageCapacityScoring, TaintTolerationComparisonOperators, VolumeAttributesClass, VolumeLimitScaling, AllAlpha, AllBeta,
}

// unmodelled136 are gates that Kubernetes 1.36 reads for scheduling and Orrery does not model: gangs by PodGroup objects, and lists and amounts
// of devices. All are off by default.
var unmodelled136 = []featuregate.Feature{
	GangScheduling, GenericWorkload, "DRAListTypeAttributes", "DRANodeAllocatableResources", "DRAWorkloadResourceClaims",
	"TopologyAwareWorkloadScheduling", "WorkloadAwarePreemption",
}

// unmodelled137 are those of Kubernetes 1.37, also off by default.
var unmodelled137 = []featuregate.Feature{
	GenericWorkload, "CompositePodGroup", "DRADerivedAttributes", "DRADeviceCompatibilityGroups", "DRAFractionalCapacityRange", "DRAListTypeAttributes",
	"DRANodeAllocatableResources", "DRAOptionalNodeOperations", "DRAWorkloadResourceClaims", "InPlacePodVerticalScalingSchedulerPreemption",
	"PodGroupPreemptionPolicy", "TopologyAwareWorkloadScheduling", "VolumeBindMountOptions",
}
