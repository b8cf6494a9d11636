package framework

import (
	"fmt"

	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// entry is one plugin at one extension point, under the name it gives itself.
type entry[P fwk.Plugin] struct {
	PluginCount
	plugin P
	weight int64 // of a Score plugin

	position      int // among the Filter plugins
	filterReuse   filterReuse
	preScoreReuse preScoreReuse
	scoreReuse    scoreReuse
}

// extensionPoints are the plugins of a profile at each extension point, in the order in which they are called.
type extensionPoints struct {
	preEnqueue []*entry[fwk.PreEnqueuePlugin]
	queueSort  []*entry[fwk.QueueSortPlugin]
	preFilter  []*entry[fwk.PreFilterPlugin]
	filter     []*entry[fwk.FilterPlugin]
	postFilter []*entry[fwk.PostFilterPlugin]
	preScore   []*entry[fwk.PreScorePlugin]
	score      []*entry[fwk.ScorePlugin]
	reserve    []*entry[fwk.ReservePlugin]
	permit     []*entry[fwk.PermitPlugin]
	preBind    []*entry[fwk.PreBindPlugin]
	bind       []*entry[fwk.BindPlugin]
	postBind   []*entry[fwk.PostBindPlugin]

	counts []*PluginCount // of all of them
}

// extensionPoint is one extension point while a profile is being built.
type extensionPoint interface {
	enabled() []configv1.Plugin
	// check returns the plugins that are enabled for this point by name and cannot be.
	check(made map[string]fwk.Plugin) []Mistake
	// expand lists the plugins of this point, including MultiPoint's. The point has to be right in itself.
	expand(made map[string]fwk.Plugin, multiPoint []configv1.Plugin) []Mistake
}

// all pairs each extension point with its part of the configuration. The order decides which of several mistakes in a
// configuration comes first, and is kube-scheduler's.
func (s *extensionPoints) all(c *configv1.Plugins) []extensionPoint {
	return []extensionPoint{
		pointOf[fwk.PreFilterPlugin]{PreFilter, c.PreFilter, &s.preFilter},
		pointOf[fwk.FilterPlugin]{Filter, c.Filter, &s.filter},
		pointOf[fwk.PostFilterPlugin]{PostFilter, c.PostFilter, &s.postFilter},
		pointOf[fwk.ReservePlugin]{Reserve, c.Reserve, &s.reserve},
		pointOf[fwk.PreScorePlugin]{PreScore, c.PreScore, &s.preScore},
		pointOf[fwk.ScorePlugin]{Score, c.Score, &s.score},
		pointOf[fwk.PreBindPlugin]{PreBind, c.PreBind, &s.preBind},
		pointOf[fwk.BindPlugin]{Bind, c.Bind, &s.bind},
		pointOf[fwk.PostBindPlugin]{PostBind, c.PostBind, &s.postBind},
		pointOf[fwk.PermitPlugin]{Permit, c.Permit, &s.permit},
		pointOf[fwk.PreEnqueuePlugin]{PreEnqueue, c.PreEnqueue, &s.preEnqueue},
		pointOf[fwk.QueueSortPlugin]{QueueSort, c.QueueSort, &s.queueSort},
	}
}

type pointOf[P fwk.Plugin] struct {
	point   Point
	set     configv1.PluginSet
	entries *[]*entry[P]
}

func (s pointOf[P]) enabled() []configv1.Plugin { return s.set.Enabled }

func (s pointOf[P]) check(made map[string]fwk.Plugin) []Mistake {
	var mistakes []Mistake
	seen := map[string]bool{}
	for _, e := range s.set.Enabled {
		plugin, exists := made[e.Name]
		_, fits := plugin.(P)
		switch {
		case !exists:
			mistakes = append(mistakes, s.unknown(e.Name))
		case !fits:
			mistakes = append(mistakes, mistakef(e.Name, s.point, "plugin %q does not extend %sPlugin plugin", e.Name, s.point))
		case seen[e.Name]:
			mistakes = append(mistakes, s.repeated(e.Name))
		}
		seen[e.Name] = true
	}
	return mistakes
}

func (s pointOf[P]) unknown(plugin string) Mistake {
	return mistakef(plugin, s.point, "%sPlugin %q does not exist", s.point, plugin)
}

func (s pointOf[P]) repeated(plugin string) Mistake {
	return mistakef(plugin, s.point, "plugin %q already registered as \"%sPlugin\"", plugin, s.point)
}

// expand lists first the plugins that both the point and MultiPoint enable, in the point's order, then those that only
// MultiPoint enables, then those that only the point enables. So a plugin that is named at the point keeps its place and weight there
// although MultiPoint has it, too, as with the default plugins before MultiPoint (KEP-2891, kubernetes PR 99582).
func (s pointOf[P]) expand(made map[string]fwk.Plugin, multiPoint []configv1.Plugin) []Mistake {
	var mistakes []Mistake
	own, off := names(s.set.Enabled), names(s.set.Disabled)
	if off["*"] {
		multiPoint = nil
	}
	overridden, added := map[string]bool{}, map[string]bool{}
	var middle []*entry[P]
	for _, e := range multiPoint {
		plugin, exists := made[e.Name]
		fitting, fits := plugin.(P)
		switch {
		case !exists:
			mistakes = append(mistakes, s.unknown(e.Name))
		case !fits || off[e.Name]:
		case own[e.Name]:
			overridden[e.Name] = true
		case added[e.Name]:
			mistakes = append(mistakes, s.repeated(e.Name))
		default:
			added[e.Name] = true
			middle = append(middle, newEntry(s.point, fitting))
		}
	}
	var first, last []*entry[P]
	for _, e := range s.set.Enabled {
		if overridden[e.Name] {
			first = append(first, newEntry(s.point, made[e.Name].(P)))
		} else {
			last = append(last, newEntry(s.point, made[e.Name].(P)))
		}
	}
	*s.entries = append(append(first, middle...), last...)
	return mistakes
}

func newEntry[P fwk.Plugin](point Point, plugin P) *entry[P] {
	return &entry[P]{PluginCount: PluginCount{Point: point, Plugin: plugin.Name()}, plugin: plugin}
}

func names(plugins []configv1.Plugin) map[string]bool {
	set := make(map[string]bool, len(plugins))
	for _, p := range plugins {
		set[p.Name] = true
	}
	return set
}

// scoreWeights gives every Score plugin its weight. The Score list's own weights come before MultiPoint's, and a weight
// of zero counts as one.
func scoreWeights(made map[string]fwk.Plugin, c *configv1.Plugins) (map[string]int64, error) {
	weights := map[string]int64{}
	var total int64
	for _, list := range [][]configv1.Plugin{c.Score.Enabled, c.MultiPoint.Enabled} {
		for _, e := range list {
			if _, scores := made[e.Name].(fwk.ScorePlugin); !scores {
				continue
			}
			if _, known := weights[e.Name]; known {
				continue
			}
			weight := int64(1)
			if e.Weight != nil && *e.Weight != 0 {
				weight = int64(*e.Weight)
			}
			if weight*fwk.MaxScore > fwk.MaxTotalScore-total {
				return nil, fmt.Errorf("total score of Score plugins could overflow")
			}
			total += weight * fwk.MaxScore
			weights[e.Name] = weight
		}
	}
	return weights, nil
}

func plugins[P fwk.Plugin](slots []*entry[P]) []P {
	list := make([]P, len(slots))
	for i, s := range slots {
		list[i] = s.plugin
	}
	return list
}
