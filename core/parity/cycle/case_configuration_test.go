package cycle

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"
)

// Pods have either scheduler name. There is not always a profile for the second.
const schedulerName, otherSchedulerName = "default-scheduler", "other-scheduler"

// configure draws the feature gates and the configuration.
func (g *generator) configure() {
	on := map[string]bool{}
	if g.often(taints, 10) {
		on["TaintTolerationComparisonOperators"] = true
	}
	if g.often(features, 10) {
		on["NodeDeclaredFeatures"] = true
		on["InPlacePodLevelResourcesVerticalScaling"] = g.oneIn(2)
	}
	if g.often(podLevel, 20) && g.oneIn(4) {
		on["PodLevelResources"] = false
		delete(on, "InPlacePodLevelResourcesVerticalScaling")
	}
	if g.oneIn(10) {
		on["SchedulerPopFromBackoffQ"] = false
	}
	if g.oneIn(6) {
		on["OpportunisticBatching"] = false
	}
	if g.about[claims] {
		on["VolumeAttributesClass"], on["StorageCapacityScoring"] = !g.oneIn(4), g.oneIn(3)
	}
	g.deviceGates(on)
	g.c.Gates = on

	c := &configv1.KubeSchedulerConfiguration{TypeMeta: metav1.TypeMeta{
		APIVersion: configv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration",
	}}
	c.Profiles = []configv1.KubeSchedulerProfile{{SchedulerName: ptr.To(schedulerName), Plugins: g.plugins(), PluginConfig: g.args()}}
	if g.oneIn(8) {
		c.Profiles = append(c.Profiles, configv1.KubeSchedulerProfile{
			SchedulerName: ptr.To(otherSchedulerName), Plugins: g.plugins(), PluginConfig: g.args(),
			PercentageOfNodesToScore: pick(g, nil, ptr.To[int32](0), ptr.To[int32](40)),
		})
	}
	if g.oneIn(6) {
		c.PodInitialBackoffSeconds, c.PodMaxBackoffSeconds = ptr.To(pick[int64](g, 1, 2)), ptr.To(pick[int64](g, 2, 60))
	}
	if g.oneIn(4) {
		c.PercentageOfNodesToScore = ptr.To(pick[int32](g, 1, 30, 70, 100))
	}
	g.c.Config = c
}

// plugins sometimes changes weights or disables plugins.
func (g *generator) plugins() *configv1.Plugins {
	if !g.oneIn(5) {
		return nil
	}
	p := &configv1.Plugins{}
	for _, name := range some(g, 3, "NodeResourcesFit", "ImageLocality", "TaintToleration", "PodTopologySpread", "InterPodAffinity", "NodeAffinity") {
		p.Score.Disabled = append(p.Score.Disabled, configv1.Plugin{Name: name})
		if !g.oneIn(4) {
			p.Score.Enabled = append(p.Score.Enabled, configv1.Plugin{Name: name, Weight: ptr.To(pick[int32](g, 1, 3, 50))})
		}
	}
	if g.oneIn(3) {
		for _, name := range some(g, 6, "NodeResourcesFit", "NodePorts", "TaintToleration", "PodTopologySpread", "InterPodAffinity", "NodeAffinity", "NodeName") {
			p.MultiPoint.Disabled = append(p.MultiPoint.Disabled, configv1.Plugin{Name: name})
			p.Score.Enabled = slices.DeleteFunc(p.Score.Enabled, func(e configv1.Plugin) bool { return e.Name == name })
		}
	}
	if g.oneIn(6) {
		p.PostFilter.Disabled = []configv1.Plugin{{Name: "*"}}
	}
	if g.oneIn(8) {
		p.Score = configv1.PluginSet{Disabled: []configv1.Plugin{{Name: "*"}}}
	}
	return p
}

func (g *generator) args() (list []configv1.PluginConfig) {
	add := func(name string, args runtime.Object) {
		raw, err := json.Marshal(args)
		if err != nil {
			panic(fmt.Sprintf("encoding the args of %s: %v", name, err))
		}
		list = append(list, configv1.PluginConfig{Name: name, Args: runtime.RawExtension{Raw: raw}})
	}
	if g.often(resources, 4) {
		add("NodeResourcesFit", g.fitArgs())
	}
	if g.often(resources, 8) {
		balanced := &configv1.NodeResourcesBalancedAllocationArgs{}
		for _, name := range g.scored() {
			balanced.Resources = append(balanced.Resources, configv1.ResourceSpec{Name: name, Weight: 1})
		}
		add("NodeResourcesBalancedAllocation", balanced)
	}
	if g.about[selectors] && g.oneIn(3) {
		add("NodeAffinity", &configv1.NodeAffinityArgs{AddedAffinity: g.addedAffinity()})
	}
	if g.often(podAffinity, 20) && g.oneIn(2) {
		add("InterPodAffinity", &configv1.InterPodAffinityArgs{
			HardPodAffinityWeight: ptr.To(pick[int32](g, 0, 1, 100)), IgnorePreferredTermsOfExistingPods: g.oneIn(2),
		})
	}
	if g.often(spread, 10) && g.oneIn(2) {
		add("PodTopologySpread", g.spreadArgs())
	}
	if g.about[preemption] && g.oneIn(4) {
		add("DefaultPreemption", &configv1.DefaultPreemptionArgs{
			MinCandidateNodesPercentage: ptr.To(pick[int32](g, 0, 10, 50)), MinCandidateNodesAbsolute: ptr.To(pick[int32](g, 1, 2)),
		})
	}
	return list
}

// scored draws the names of resources for a score.
func (g *generator) scored() []string {
	names := some(g, 2, "cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi")
	if len(names) == 0 {
		return []string{"cpu", "memory"}
	}
	return names
}

func (g *generator) fitArgs() *configv1.NodeResourcesFitArgs {
	strategy := &configv1.ScoringStrategy{Type: pick(g, configv1.LeastAllocated, configv1.MostAllocated, configv1.RequestedToCapacityRatio)}
	for _, name := range g.scored() {
		strategy.Resources = append(strategy.Resources, configv1.ResourceSpec{Name: name, Weight: pick[int64](g, 1, 1, 3, 100)})
	}
	if strategy.Type == configv1.RequestedToCapacityRatio {
		shape := []configv1.UtilizationShapePoint{{Utilization: int32(g.IntN(40)), Score: int32(g.IntN(11))}}
		for range g.IntN(3) {
			last := shape[len(shape)-1].Utilization
			shape = append(shape, configv1.UtilizationShapePoint{Utilization: last + 1 + int32(g.IntN(20)), Score: int32(g.IntN(11))})
		}
		strategy.RequestedToCapacityRatio = &configv1.RequestedToCapacityRatioParam{Shape: shape}
	}
	args := &configv1.NodeResourcesFitArgs{ScoringStrategy: strategy}
	if g.oneIn(3) {
		args.IgnoredResources = []string{"other.org/licence", "hugepages-2Mi"}
	}
	if g.oneIn(3) {
		args.IgnoredResourceGroups = []string{"example.com"}
	}
	return args
}

// addedAffinity draws a valid affinity; an invalid one would make the configuration invalid.
func (g *generator) addedAffinity() *v1.NodeAffinity {
	term := func() v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{
			Key: pick(g, nodeKeys...), Operator: v1.NodeSelectorOpNotIn, Values: []string{pick(g, "a", "b", "4")},
		}}}
	}
	a := &v1.NodeAffinity{}
	if g.oneIn(2) {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term()}}
	}
	if g.oneIn(2) || a.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		a.PreferredDuringSchedulingIgnoredDuringExecution = []v1.PreferredSchedulingTerm{{Weight: pick[int32](g, 1, 100), Preference: term()}}
	}
	return a
}

func (g *generator) spreadArgs() *configv1.PodTopologySpreadArgs {
	if g.oneIn(3) {
		return &configv1.PodTopologySpreadArgs{DefaultingType: configv1.SystemDefaulting}
	}
	args := &configv1.PodTopologySpreadArgs{DefaultingType: configv1.ListDefaulting}
	for _, key := range some(g, 2, topologyKeys...) {
		args.DefaultConstraints = append(args.DefaultConstraints, v1.TopologySpreadConstraint{
			MaxSkew: int32(1 + g.IntN(2)), TopologyKey: key, WhenUnsatisfiable: pick(g, v1.DoNotSchedule, v1.ScheduleAnyway),
		})
	}
	return args
}
