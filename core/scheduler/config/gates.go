package config

import (
	"cmp"
	"slices"

	"k8s.io/component-base/featuregate"
)

// The feature gates that Orrery reads: those of Kubernetes 1.35 for scheduling, the objects that a scheduler reads and
// writes, evictions by taints and devices, and leader election.
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

// gate is one row of the table: the state of a gate in Kubernetes 1.35 when it is not set.
type gate struct {
	name     featuregate.Feature
	stage    Stage
	on       bool // the default
	locked   bool // may not be set to anything but the default
	requires []featuregate.Feature
	foreign  bool // of other components
}

// gates is sorted by name; a gate's position is its bit in Features.
var gates = sorted(schedulerGates, foreignGates)

func sorted(ours, others []gate) []gate {
	all := slices.Clone(ours)
	for _, g := range others {
		g.foreign = true
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b gate) int { return cmp.Compare(a.name, b.name) })
	return all
}

var schedulerGates = []gate{
	{name: AllAlpha, stage: Alpha},
	{name: AllBeta, stage: Beta},
	{name: CSIMigrationPortworx, stage: GA, on: true, locked: true},
	{name: ClearingNominatedNodeNameAfterBinding, stage: Beta, on: true},
	{name: ComponentFlagz, stage: Alpha},
	{name: ComponentStatusz, stage: Alpha},
	{name: ContextualLogging, stage: Beta, on: true},
	{name: CoordinatedLeaderElection, stage: Beta},
	{name: DRAAdminAccess, stage: Beta, on: true, requires: []featuregate.Feature{DynamicResourceAllocation}},
	{name: DRAConsumableCapacity, stage: Alpha, requires: []featuregate.Feature{DynamicResourceAllocation}},
	{name: DRADeviceBindingConditions, stage: Alpha, requires: []featuregate.Feature{DRAResourceClaimDeviceStatus, DynamicResourceAllocation}},
	{name: DRADeviceTaintRules, stage: Alpha, requires: []featuregate.Feature{DRADeviceTaints}},
	{name: DRADeviceTaints, stage: Alpha, requires: []featuregate.Feature{DynamicResourceAllocation}},
	{name: DRAExtendedResource, stage: Alpha, requires: []featuregate.Feature{DynamicResourceAllocation}},
	{name: DRAPartitionableDevices, stage: Alpha, requires: []featuregate.Feature{DynamicResourceAllocation}},
	{name: DRAPrioritizedList, stage: Beta, on: true, requires: []featuregate.Feature{DynamicResourceAllocation}},
	{name: DRAResourceClaimDeviceStatus, stage: Beta, on: true},
	{name: DRASchedulerFilterTimeout, stage: Beta, on: true, requires: []featuregate.Feature{DynamicResourceAllocation}},
	{name: DynamicResourceAllocation, stage: GA, on: true, locked: true},
	{name: GangScheduling, stage: Alpha, requires: []featuregate.Feature{GenericWorkload}},
	{name: GenericWorkload, stage: Alpha},
	{name: InPlacePodLevelResourcesVerticalScaling, stage: Alpha, requires: []featuregate.Feature{InPlacePodVerticalScaling, NodeDeclaredFeatures, PodLevelResources}},
	{name: InPlacePodVerticalScaling, stage: GA, on: true, locked: true},
	{name: MatchLabelKeysInPodAffinity, stage: GA, on: true, locked: true},
	{name: MatchLabelKeysInPodTopologySpread, stage: Beta, on: true},
	{name: MatchLabelKeysInPodTopologySpreadSelectorMerge, stage: Beta, on: true, requires: []featuregate.Feature{MatchLabelKeysInPodTopologySpread}},
	{name: MutableCSINodeAllocatableCount, stage: Beta, on: true},
	{name: NodeDeclaredFeatures, stage: Alpha},
	{name: NodeInclusionPolicyInPodTopologySpread, stage: GA, on: true, locked: true},
	{name: NominatedNodeNameForExpectation, stage: Beta, on: true},
	{name: OpportunisticBatching, stage: Beta, on: true},
	{name: PodLevelResources, stage: Beta, on: true},
	{name: PodObservedGenerationTracking, stage: GA, on: true, locked: true},
	{name: PodSchedulingReadiness, stage: GA, on: true, locked: true},
	{name: SchedulerAsyncAPICalls, stage: Beta},
	{name: SchedulerAsyncPreemption, stage: Beta, on: true},
	{name: SchedulerPopFromBackoffQ, stage: Beta, on: true},
	{name: SchedulerQueueingHints, stage: GA, on: true, locked: true},
	{name: SeparateTaintEvictionController, stage: GA, on: true, locked: true},
	{name: SidecarContainers, stage: GA, on: true, locked: true},
	{name: StorageCapacityScoring, stage: Alpha},
	{name: TaintTolerationComparisonOperators, stage: Alpha},
	{name: VolumeAttributesClass, stage: GA, on: true},
	{name: VolumeLimitScaling, stage: Alpha},
}
