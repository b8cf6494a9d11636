package config

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/release"
)

// groupSets are the sets of plugins for groups of pods, of which none is modelled, with the rule of the releases that have them.
var groupSets = []struct {
	name string
	rule release.Rule
	of   func(*configv1.Plugins) configv1.PluginSet
}{
	{"placementGenerate", release.PlacementsConfigured, func(p *configv1.Plugins) configv1.PluginSet { return p.PlacementGenerate }},
	{"placementScore", release.PlacementsConfigured, func(p *configv1.Plugins) configv1.PluginSet { return p.PlacementScore }},
	{"podGroupPostFilter", release.GroupPostFiltersConfigured, func(p *configv1.Plugins) configv1.PluginSet { return p.PodGroupPostFilter }},
}

// refuseGroupSets refuses plugins that would do nothing: as an unknown field where the release does not know it, and else as what is not modelled.
func refuseGroupSets(profiles []configv1.KubeSchedulerProfile, features Features) (errs field.ErrorList) {
	for i := range profiles {
		plugins := profiles[i].Plugins
		if plugins == nil {
			continue
		}
		for _, set := range groupSets {
			listed := set.of(plugins)
			if len(listed.Enabled)+len(listed.Disabled) == 0 {
				continue
			}
			path := field.NewPath("profiles").Index(i).Child("plugins", set.name)
			detail := "plugins for groups of pods are not modelled: leave them out"
			if !features.Has(set.rule) {
				detail = fmt.Sprintf("unknown field %q", path)
			}
			errs = append(errs, &field.Error{Type: field.ErrorTypeForbidden, Field: path.String(), Detail: detail})
		}
	}
	return errs
}

// withoutGroupSets is a configuration to be printed without the empty sets, which a file for an earlier release may not have.
func withoutGroupSets(written *configv1.KubeSchedulerConfiguration) (any, error) {
	text, err := json.Marshal(written)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	profiles, _ := tree["profiles"].([]any)
	for _, profile := range profiles {
		plugins, _ := profile.(map[string]any)["plugins"].(map[string]any)
		for _, set := range groupSets {
			delete(plugins, set.name)
		}
	}
	return tree, nil
}
