package config_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/config"
)

// The last value that is allowed and the first that is not, for each range.
// Shows CONF-04, CONF-05, CONF-08, PERF-01, PERF-10 and B-6.
// The last value that is allowed and the first that is not, for each range. Shows PACK-06.
func TestValidate_RangeEdges(t *testing.T) {
	for _, tt := range []struct {
		name, gates, good, bad string
		want                   string // what is said of bad
	}{
		{
			"parallelism", "", "parallelism: 1", "parallelism: 0",
			"parallelism: Invalid value: 0: should be an integer value greater than zero",
		},
		{
			"percentage of nodes, upper", "", "percentageOfNodesToScore: 100", "percentageOfNodesToScore: 101",
			"percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
		},
		{
			"percentage of nodes, lower", "", "percentageOfNodesToScore: 0", "percentageOfNodesToScore: -1",
			"percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]",
		},
		{
			"first back-off", "", "podInitialBackoffSeconds: 1", "podInitialBackoffSeconds: 0",
			"podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
		},
		{
			"longest back-off", "", "podMaxBackoffSeconds: 1", "podMaxBackoffSeconds: 0",
			"podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal to PodInitialBackoffSeconds",
		},
		{
			"lease", "", "leaderElection: {leaseDuration: 10001ms}", "leaderElection: {leaseDuration: 10s}",
			"leaderElection.leaseDuration: Invalid value: \"10s\": must be greater than `RenewDeadline`",
		},
		{
			"lease without election", "", "leaderElection: {leaderElect: false, resourceLock: x, leaseDuration: 1s}", "leaderElection: {resourceLock: x}",
			`leaderElection.resourceLock: Invalid value: "x": resourceLock value must be "leases"`,
		},
		{
			"burst", "", "clientConnection: {burst: 1, qps: -1}", "clientConnection: {burst: -1}",
			"clientConnection.burst: Invalid value: -1: must be non-negative",
		},
		{
			"extender weight", "", "extenders: [{prioritizeVerb: p, weight: 1}, {weight: 0}]", "extenders: [{prioritizeVerb: p}]",
			"extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
		},
		{
			"binders", "", "extenders: [{bindVerb: b}, {}]", "extenders: [{bindVerb: b}, {bindVerb: b}]",
			`extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind`,
		},
		{
			"managed resource whose quota name is too long", "",
			"extenders: [{managedResources: [{name: " + long(244) + "/x}]}]", "extenders: [{managedResources: [{name: " + long(245) + "/x}]}]",
			`extenders[0].managedResources[0].name: Invalid value: "` + long(245) + `/x": is an invalid extended resource name`,
		},
		{
			"profile names", "", "profiles: [{schedulerName: a}, {schedulerName: b}]", "profiles: [{schedulerName: a}, {schedulerName: a}]",
			`profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"`,
		},
		{
			"profile without a name", "", "profiles: [{}]", `profiles: [{schedulerName: ""}]`,
			"profiles[0].schedulerName: Required value",
		},
		{
			"removed plugins are minded at specific points only", "", "profiles: [{plugins: {multiPoint: {enabled: [{name: EBSLimits}]}}}]", "profiles: [{plugins: {postBind: {enabled: [{name: EBSLimits}]}}}]",
			`profiles[0].plugins.postBind.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")`,
		},
		{
			"weights of the queue sort plugin", "", queueSorts("weight: 0"), queueSorts("weight: 1"),
			`profiles[1].plugins.queueSort: Invalid value: {"enabled":[{"name":"Age","weight":1}]}: must be the same for all profiles`,
		},
		{
			"preemption candidates, share", "", args("DefaultPreemption", "minCandidateNodesPercentage: 100"), args("DefaultPreemption", "minCandidateNodesPercentage: 101"),
			"profiles[0].pluginConfig[0].args.minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
		},
		{
			"preemption candidates, count", "", args("DefaultPreemption", "minCandidateNodesAbsolute: 0"), args("DefaultPreemption", "minCandidateNodesAbsolute: -1"),
			"profiles[0].pluginConfig[0].args.minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)",
		},
		{
			"weight of required affinity", "", args("InterPodAffinity", "hardPodAffinityWeight: 0"), args("InterPodAffinity", "hardPodAffinityWeight: -1"),
			"profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: -1: not in valid range [0, 100]",
		},
		{
			"resource weight", "", args("NodeResourcesFit", "scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 100}]}"),
			args("NodeResourcesFit", "scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: -1}]}"),
			"profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].weight: Invalid value: -1: resource weight of cpu not in valid range (0, 100]",
		},
		{
			"shape of the ratio", "", args("NodeResourcesFit", ratio("{utilization: 0, score: 10}, {utilization: 100, score: 0}")), args("NodeResourcesFit", ratio("")),
			"profiles[0].pluginConfig[0].args.scoringStrategy.shape: Required value: at least one point must be specified",
		},
		{
			"balanced resources", "", args("NodeResourcesBalancedAllocation", "resources: [{name: cpu}, {name: x, weight: 1}]"), args("NodeResourcesBalancedAllocation", "resources: [{name: cpu}, {name: cpu}]"),
			`profiles[0].pluginConfig[0].args.resources[1].name: Duplicate value: "cpu"`,
		},
		{
			"spreading by list", "", args("PodTopologySpread", "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]}"),
			args("PodTopologySpread", "{defaultingType: list}"),
			`profiles[0].pluginConfig[0].args.defaultingType: Unsupported value: "list": supported values: "System", "List"`,
		},
		{
			"volume binding timeout", "", args("VolumeBinding", "bindTimeoutSeconds: 0"), args("VolumeBinding", "bindTimeoutSeconds: -1"),
			"profiles[0].pluginConfig[0].args.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value",
		},
		{
			"an empty shape is the default one with the gate on, and one too many with it off", "StorageCapacityScoring=true", args("VolumeBinding", "shape: []"), args("VolumeBinding", "shape: [{utilization: -1}]"),
			"profiles[0].pluginConfig[0].args.shape[0].utilization: Invalid value: -1: not in valid range [0, 100]",
		},
		{
			"even an empty shape with the gate off", "", args("VolumeBinding", "bindTimeoutSeconds: 1"), args("VolumeBinding", "shape: []"),
			"profiles[0].pluginConfig[0].args.shape: Invalid value: []: unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring",
		},
		{
			"filter timeout", "", args("DynamicResources", "filterTimeout: 0s"), args("DynamicResources", "filterTimeout: -1ns"),
			`profiles[0].pluginConfig[0].args.filterTimeout: Invalid value: "-1ns": must be zero or positive`,
		},
		{
			"binding timeout", "DRADeviceBindingConditions=true", args("DynamicResources", "bindingTimeout: 1s"), args("DynamicResources", "bindingTimeout: 999999us"),
			`profiles[0].pluginConfig[0].args.bindingTimeout: Invalid value: "999.999ms": must be at least 1 second`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			features, err := config.ParseFeatureFlag(tt.gates)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := config.Load([]byte(head+tt.good), features); err != nil {
				t.Errorf("%s\n%v", tt.good, err)
			}
			_, err = config.Load([]byte(head+tt.bad), features)
			var bad *config.Error
			if !errors.As(err, &bad) {
				t.Fatalf("%s\nwas accepted: %v", tt.bad, err)
			}
			var got []string
			for _, one := range bad.List {
				got = append(got, one.Error())
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tt.bad, diff)
			}
		})
	}
}

// Args of plugins that are not in-tree are not validated, whatever they hold.
func TestValidate_ForeignArgs(t *testing.T) {
	for _, given := range []string{"{a: 1}", "[1]", "text", "~"} {
		if _, err := config.Load([]byte(head+"profiles: [{pluginConfig: [{name: Own, args: "+given+"}]}]"), config.Features{}); err != nil {
			t.Error(err)
		}
	}
}

func args(plugin, given string) string {
	if given[0] != '{' {
		given = "{" + given + "}"
	}
	return "profiles: [{pluginConfig: [{name: " + plugin + ", args: " + given + "}]}]"
}

func ratio(points string) string {
	return "scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [" + points + "]}}"
}

func queueSorts(second string) string {
	return "profiles: [{schedulerName: a, plugins: {queueSort: {enabled: [{name: Age}]}}}, {schedulerName: b, plugins: {queueSort: {enabled: [{name: Age, " + second + "}]}}}]"
}

// long is a DNS name of n characters.
func long(n int) string {
	name := make([]byte, n)
	for i := range name {
		name[i] = 'a'
	}
	return string(name)
}
