package review

import (
	"fmt"

	"k8s.io/component-base/featuregate"

	"orrery/core/scheduler/config"
)

// gatePlugins are the plugins without which a gate has no effect.
var gatePlugins = map[featuregate.Feature]string{
	config.DynamicResourceAllocation: config.DynamicResources,
	config.GangScheduling:            config.GangSchedulingPlugin,
	config.NodeDeclaredFeatures:      config.NodeDeclaredFeaturesPlugin,
	config.StorageCapacityScoring:    config.VolumeBinding,
	config.VolumeAttributesClass:     config.VolumeBinding,
}

// gates warns of gates that are on without the plugin that reads them, and of changed ones that nothing here reads.
func gates(s *subject) []Finding {
	var found []Finding
	for _, text := range IdleGates(s.config.Features) {
		found = append(found, Finding{Text: text})
	}
	for _, gate := range s.config.Features.List() {
		if plugin, needs := gatePlugins[gate.Name]; needs && gate.Enabled && !s.anyProfileHas(plugin) {
			found = append(found, Finding{Text: fmt.Sprintf("feature gate %s is on, and no profile enables its plugin %s", gate.Name, plugin)})
		}
	}
	return found
}

// idleGates are gates of scheduling that have no effect on Orrery, with the reason.
var idleGates = map[featuregate.Feature]string{
	config.ClearingNominatedNodeNameAfterBinding:          "it is the API server's",
	config.MatchLabelKeysInPodTopologySpreadSelectorMerge: "it is the API server's",
	config.MutableCSINodeAllocatableCount:                 "it is the API server's and the kubelets'",
	config.SchedulerAsyncAPICalls:                         "no cycle waits for a call, with it or without, and only metrics are added",
}

// loggingGates are not of scheduling, and still have an effect.
var loggingGates = map[featuregate.Feature]bool{"LoggingAlphaOptions": true, "LoggingBetaOptions": true}

// IdleGates says of each gate that is not at its default if that has no effect.
func IdleGates(features config.Features) []string {
	var texts []string
	for _, gate := range features.List() {
		if gate.Enabled == gate.Default {
			continue
		}
		if why := idleGates[gate.Name]; why != "" {
			texts = append(texts, fmt.Sprintf("feature gate %s changes nothing here: %s", gate.Name, why))
		} else if gate.Foreign && !loggingGates[gate.Name] {
			texts = append(texts, fmt.Sprintf("feature gate %s is of another component: it changes nothing here", gate.Name))
		}
	}
	return texts
}

func (s *subject) anyProfileHas(plugin string) bool {
	for _, name := range s.engine.Profiles() {
		if _, has := s.engine.Profile(name).Plugin(plugin); has {
			return true
		}
	}
	return false
}
