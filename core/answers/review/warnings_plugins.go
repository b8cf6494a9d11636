package review

import (
	"fmt"
	"slices"
	"strings"

	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/spelling"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// eachList calls for every list of plugins in the file, with its path.
func (s *subject) eachList(call func(profile *framework.Profile, path string, point config.ExtensionPoint)) {
	for i, p := range s.written.Profiles {
		if p.Plugins == nil {
			continue
		}
		made := s.engine.Profile(s.config.Profiles[i].SchedulerName)
		for _, point := range config.PluginLists(p.Plugins) {
			call(made, fmt.Sprintf("profiles[%d].plugins.%s", i, point.Name), point)
		}
	}
}

// weights warns of weights that are not those that count.
func weights(s *subject) []Finding {
	var found []Finding
	s.eachList(func(made *framework.Profile, path string, point config.ExtensionPoint) {
		for i, e := range point.Set.Enabled {
			at := fmt.Sprintf("%s.enabled[%d].weight", path, i)
			plugin, _ := made.Plugin(e.Name)
			_, scores := plugin.(fwk.ScorePlugin)
			counts := made.Weight(e.Name)
			switch {
			case e.Weight == nil:
			case !scores:
				found = append(found, s.at(at, "%s does not score: its weight has no effect", e.Name))
			case point.Name != multiPoint && point.Name != "score":
				found = append(found, s.at(at, "a weight has an effect at score and multiPoint only: that of %s is %d", e.Name, counts))
			case *e.Weight == 0 && counts == 1:
				found = append(found, s.at(at, "a weight of 0 counts as 1: to switch the scores of %s off, disable it at score", e.Name))
			case int64(*e.Weight) != counts:
				found = append(found, s.at(at, "%s is enabled again at score, and its weight there counts: %d", e.Name, counts))
			}
		}
	})
	return found
}

const multiPoint = "multiPoint"

// disabled warns of plugins that are disabled where they are not.
func disabled(s *subject) []Finding {
	usual := s.usual.Profile(s.usual.Profiles()[0])
	var found []Finding
	s.eachList(func(made *framework.Profile, path string, point config.ExtensionPoint) {
		there := names(config.DefaultPlugins(s.config.Features).MultiPoint)
		if point.Name != multiPoint {
			there = append(usual.Enabled(capital(point.Name)), s.addedToAll(made)...)
		}
		for i, e := range point.Set.Disabled {
			if e.Name == "*" || slices.Contains(there, e.Name) {
				continue
			}
			text := fmt.Sprintf("%s is not enabled here by default: there is nothing to disable", e.Name)
			if likely := spelling.Nearest(e.Name, there, 1); len(likely) > 0 {
				text += ". Is it " + likely[0] + "?"
			}
			found = append(found, s.at(fmt.Sprintf("%s.disabled[%d]", path, i), "%s", text))
		}
	})
	return found
}

// addedToAll returns the plugins that a profile enables at all extension points.
func (s *subject) addedToAll(made *framework.Profile) []string {
	for i := range s.config.Profiles {
		if p := s.config.Profiles[i]; p.SchedulerName == made.ProfileName() {
			return names(p.Plugins.MultiPoint)
		}
	}
	return nil
}

func names(set configv1.PluginSet) []string {
	var list []string
	for _, p := range set.Enabled {
		list = append(list, p.Name)
	}
	return list
}

func capital(point string) framework.Point {
	return framework.Point(strings.ToUpper(point[:1]) + point[1:])
}

// unusedArgs warns of args for a plugin that the profile does not have.
func unusedArgs(s *subject) []Finding {
	var found []Finding
	for i, p := range s.written.Profiles {
		made := s.engine.Profile(s.config.Profiles[i].SchedulerName)
		for j, pc := range p.PluginConfig {
			if _, has := made.Plugin(pc.Name); !has {
				found = append(found, s.at(fmt.Sprintf("profiles[%d].pluginConfig[%d]", i, j), "the profile does not enable %s: its args have no effect", pc.Name))
			}
		}
	}
	return found
}
