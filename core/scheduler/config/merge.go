package config

import (
	"slices"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/release"
)

// Names of kube-scheduler's in-tree plugins.
const (
	SchedulingGates                 = "SchedulingGates"
	PrioritySort                    = "PrioritySort"
	NodeUnschedulable               = "NodeUnschedulable"
	NodeName                        = "NodeName"
	TaintToleration                 = "TaintToleration"
	NodeAffinity                    = "NodeAffinity"
	NodePorts                       = "NodePorts"
	NodeResourcesFit                = "NodeResourcesFit"
	VolumeRestrictions              = "VolumeRestrictions"
	NodeVolumeLimits                = "NodeVolumeLimits"
	VolumeBinding                   = "VolumeBinding"
	VolumeZone                      = "VolumeZone"
	PodTopologySpread               = "PodTopologySpread"
	InterPodAffinity                = "InterPodAffinity"
	DynamicResources                = "DynamicResources"
	DefaultPreemption               = "DefaultPreemption"
	NodeResourcesBalancedAllocation = "NodeResourcesBalancedAllocation"
	ImageLocality                   = "ImageLocality"
	DefaultBinder                   = "DefaultBinder"
	NodeDeclaredFeaturesPlugin      = "NodeDeclaredFeatures"
	GangSchedulingPlugin            = "GangScheduling"
)

// DefaultPlugins is the set a profile starts from. All of it is MultiPoint: each plugin serves every extension point
// it implements.
func DefaultPlugins(features Features) *configv1.Plugins {
	weighs := func(name string, weight int32) configv1.Plugin {
		return configv1.Plugin{Name: name, Weight: &weight}
	}
	first, second := NodeUnschedulable, NodeName
	if features.Has(release.NodeNameRestricts) {
		first, second = second, first
	}
	enabled := []configv1.Plugin{
		{Name: SchedulingGates},
		{Name: PrioritySort},
		{Name: first},
		{Name: second},
		weighs(TaintToleration, 3),
		weighs(NodeAffinity, 2),
		{Name: NodePorts},
		weighs(NodeResourcesFit, 1),
		{Name: VolumeRestrictions},
		{Name: NodeVolumeLimits},
		{Name: VolumeBinding},
		{Name: VolumeZone},
		weighs(PodTopologySpread, 2),
		weighs(InterPodAffinity, 2),
		// Before DefaultPreemption: freeing an idle claim hurts less than evicting a pod.
		weighs(DynamicResources, 2),
		{Name: DefaultPreemption},
		weighs(NodeResourcesBalancedAllocation, 1),
		weighs(ImageLocality, 1),
		{Name: DefaultBinder},
	}
	if features.Enabled(NodeDeclaredFeatures) {
		enabled = append(enabled, configv1.Plugin{Name: NodeDeclaredFeaturesPlugin})
	}
	if features.Enabled(GangScheduling) {
		enabled = append(enabled, configv1.Plugin{Name: GangSchedulingPlugin})
	}
	return &configv1.Plugins{MultiPoint: configv1.PluginSet{Enabled: enabled}}
}

// ExtensionPoint is an extension point with the plugins that a profile lists for it.
type ExtensionPoint struct {
	Name string // as the configuration spells it
	Set  *configv1.PluginSet
}

// ExtensionPoints returns them in the order of a scheduling attempt, without MultiPoint.
func ExtensionPoints(p *configv1.Plugins) []ExtensionPoint {
	return []ExtensionPoint{
		{"preEnqueue", &p.PreEnqueue},
		{"queueSort", &p.QueueSort},
		{"preFilter", &p.PreFilter},
		{"filter", &p.Filter},
		{"postFilter", &p.PostFilter},
		{"preScore", &p.PreScore},
		{"score", &p.Score},
		{"reserve", &p.Reserve},
		{"permit", &p.Permit},
		{"preBind", &p.PreBind},
		{"bind", &p.Bind},
		{"postBind", &p.PostBind},
	}
}

// EnabledPlugins are the plugins enabled at any extension point or at MultiPoint, sorted, each once.
func EnabledPlugins(p *configv1.Plugins) []string {
	var names []string
	for _, point := range PluginLists(p) {
		for _, plugin := range point.Set.Enabled {
			names = append(names, plugin.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// PluginLists returns MultiPoint and the extension points.
func PluginLists(p *configv1.Plugins) []ExtensionPoint {
	return append([]ExtensionPoint{{"multiPoint", &p.MultiPoint}}, ExtensionPoints(p)...)
}

// mergePlugins merges a profile's plugins into the default ones, point by point, and returns base.
func mergePlugins(base, own *configv1.Plugins) *configv1.Plugins {
	if own == nil {
		return base
	}
	owns := PluginLists(own)
	for i, point := range PluginLists(base) {
		*point.Set = mergeSet(*point.Set, *owns[i].Set)
	}
	return base
}

// mergeSet keeps the base plugins that are not disabled, at their places and with the own entry where there is one
// of the same name; the other own entries follow. To disable and enable a plugin thus moves it to the end.
func mergeSet(base, own configv1.PluginSet) configv1.PluginSet {
	var merged configv1.PluginSet
	for _, plugin := range slices.Concat(own.Disabled, base.Disabled) {
		merged.Disabled = append(merged.Disabled, configv1.Plugin{Name: plugin.Name})
	}
	if disables(merged, "*") {
		base.Enabled = nil
	}
	inPlace := map[int]bool{} // own entries that stand at a base plugin's place
	for _, plugin := range base.Enabled {
		if disables(merged, plugin.Name) {
			continue
		}
		if i := slices.IndexFunc(own.Enabled, func(p configv1.Plugin) bool { return p.Name == plugin.Name }); i >= 0 {
			plugin = own.Enabled[i]
			inPlace[i] = true
		}
		merged.Enabled = append(merged.Enabled, plugin)
	}
	for i, plugin := range own.Enabled {
		if !inPlace[i] {
			merged.Enabled = append(merged.Enabled, plugin)
		}
	}
	return merged
}

func disables(set configv1.PluginSet, name string) bool {
	return slices.ContainsFunc(set.Disabled, func(p configv1.Plugin) bool { return p.Name == name })
}
