package framework

import (
	"fmt"

	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// slot is one plugin at one extension point, under the name it gives itself.
type slot[P fwk.Plugin] struct {
	name   string
	plugin P
	weight int64 // of a Score plugin
	// calls and rejections count since the profile was made, or the one that it was forked from.
	calls, rejections uint64
}

// answered counts a call. A nil status is the most frequent one.
func (s *slot[P]) answered(status *fwk.Status) {
	s.calls++
	if status != nil && status.IsRejected() {
		s.rejections++
	}
}

// stages are the plugins of a profile at each extension point, in the order in which they are asked.
type stages struct {
	preEnqueue []*slot[fwk.PreEnqueuePlugin]
	queueSort  []*slot[fwk.QueueSortPlugin]
	preFilter  []*slot[fwk.PreFilterPlugin]
	filter     []*slot[fwk.FilterPlugin]
	postFilter []*slot[fwk.PostFilterPlugin]
	preScore   []*slot[fwk.PreScorePlugin]
	score      []*slot[fwk.ScorePlugin]
	reserve    []*slot[fwk.ReservePlugin]
	permit     []*slot[fwk.PermitPlugin]
	preBind    []*slot[fwk.PreBindPlugin]
	bind       []*slot[fwk.BindPlugin]
	postBind   []*slot[fwk.PostBindPlugin]
}

// stage is one extension point while a profile is being built.
type stage interface {
	enabled() []configv1.Plugin
	// check tells whether every plugin that is enabled for this point by name can be.
	check(made map[string]fwk.Plugin) error
	// fill lists the plugins of this point, MultiPoint's among them.
	fill(made map[string]fwk.Plugin, multiPoint []configv1.Plugin) error
}

// all pairs each extension point with its part of the configuration. The order decides which of several errors in a
// configuration is reported, and is kube-scheduler's.
func (s *stages) all(c *configv1.Plugins) []stage {
	return []stage{
		stageOf[fwk.PreFilterPlugin]{"PreFilterPlugin", c.PreFilter, &s.preFilter},
		stageOf[fwk.FilterPlugin]{"FilterPlugin", c.Filter, &s.filter},
		stageOf[fwk.PostFilterPlugin]{"PostFilterPlugin", c.PostFilter, &s.postFilter},
		stageOf[fwk.ReservePlugin]{"ReservePlugin", c.Reserve, &s.reserve},
		stageOf[fwk.PreScorePlugin]{"PreScorePlugin", c.PreScore, &s.preScore},
		stageOf[fwk.ScorePlugin]{"ScorePlugin", c.Score, &s.score},
		stageOf[fwk.PreBindPlugin]{"PreBindPlugin", c.PreBind, &s.preBind},
		stageOf[fwk.BindPlugin]{"BindPlugin", c.Bind, &s.bind},
		stageOf[fwk.PostBindPlugin]{"PostBindPlugin", c.PostBind, &s.postBind},
		stageOf[fwk.PermitPlugin]{"PermitPlugin", c.Permit, &s.permit},
		stageOf[fwk.PreEnqueuePlugin]{"PreEnqueuePlugin", c.PreEnqueue, &s.preEnqueue},
		stageOf[fwk.QueueSortPlugin]{"QueueSortPlugin", c.QueueSort, &s.queueSort},
	}
}

type stageOf[P fwk.Plugin] struct {
	kind string // the name of P, as messages have it
	set  configv1.PluginSet
	into *[]*slot[P]
}

func (s stageOf[P]) enabled() []configv1.Plugin { return s.set.Enabled }

func (s stageOf[P]) check(made map[string]fwk.Plugin) error {
	seen := map[string]bool{}
	for _, e := range s.set.Enabled {
		plugin, exists := made[e.Name]
		if !exists {
			return fmt.Errorf("%s %q does not exist", s.kind, e.Name)
		}
		if _, fits := plugin.(P); !fits {
			return fmt.Errorf("plugin %q does not extend %s plugin", e.Name, s.kind)
		}
		if seen[e.Name] {
			return fmt.Errorf("plugin %q already registered as %q", e.Name, s.kind)
		}
		seen[e.Name] = true
	}
	return nil
}

// fill puts first the plugins that the point names and MultiPoint names too (the point's settings and order hold),
// then those that only MultiPoint names, then the rest of those that the point names.
func (s stageOf[P]) fill(made map[string]fwk.Plugin, multiPoint []configv1.Plugin) error {
	own, off := names(s.set.Enabled), names(s.set.Disabled)
	if off["*"] {
		multiPoint = nil
	}
	overridden, added := map[string]bool{}, map[string]bool{}
	var middle []*slot[P]
	for _, e := range multiPoint {
		plugin, exists := made[e.Name]
		if !exists {
			return fmt.Errorf("%s %q does not exist", s.kind, e.Name)
		}
		fitting, fits := plugin.(P)
		switch {
		case !fits || off[e.Name]:
		case own[e.Name]:
			overridden[e.Name] = true
		case added[e.Name]:
			return fmt.Errorf("plugin %q already registered as %q", e.Name, s.kind)
		default:
			added[e.Name] = true
			middle = append(middle, newSlot(fitting))
		}
	}
	var first, last []*slot[P]
	for _, e := range s.set.Enabled {
		if overridden[e.Name] {
			first = append(first, newSlot(made[e.Name].(P)))
		} else {
			last = append(last, newSlot(made[e.Name].(P)))
		}
	}
	*s.into = append(append(first, middle...), last...)
	return nil
}

func newSlot[P fwk.Plugin](plugin P) *slot[P] { return &slot[P]{name: plugin.Name(), plugin: plugin} }

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
			if weight*fwk.MaxNodeScore > fwk.MaxTotalScore-total {
				return nil, fmt.Errorf("total score of Score plugins could overflow")
			}
			total += weight * fwk.MaxNodeScore
			weights[e.Name] = weight
		}
	}
	return weights, nil
}

func plugins[P fwk.Plugin](slots []*slot[P]) []P {
	list := make([]P, len(slots))
	for i, s := range slots {
		list[i] = s.plugin
	}
	return list
}

func slotNames[P fwk.Plugin](slots []*slot[P]) []string {
	list := make([]string, len(slots))
	for i, s := range slots {
		list[i] = s.name
	}
	return list
}
