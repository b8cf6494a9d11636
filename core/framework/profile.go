package framework

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
)

// Profile is one set of plugins under one scheduler name. It is not safe for concurrent use.
type Profile struct {
	fwk.PodNominator
	fwk.PodActivator

	name       string
	percentage *int32
	stages     stages
	made       map[string]fwk.Plugin
	order      []string // of made: as the configuration first names them
	enqueue    []fwk.Plugin
	weights    map[string]int64
	signers    []fwk.SignPlugin
	signs      bool
	around     Options
	observer   Observer // nil unless there is a stopwatch too
	sheet      scoreSheet
}

var (
	_ fwk.Handle = (*Profile)(nil)
	_ Actor      = (*Profile)(nil)
	_ Dice       = (*Profile)(nil)
	_ Dice       = (*Profile)(nil)
)

// NewProfile makes the plugins that a configuration names, and only those, and lists them by extension point.
func NewProfile(ctx context.Context, r Registry, c config.Profile, o Options) (*Profile, error) {
	p := &Profile{
		PodNominator: o.Nominator,
		PodActivator: o.Activator,
		name:         c.SchedulerName,
		percentage:   c.PercentageOfNodesToScore,
		made:         map[string]fwk.Plugin{},
		around:       o,
	}
	if o.Waiting == nil {
		p.around.Waiting = NewWaitingPods()
	}
	if o.Stopwatch != nil {
		p.observer = o.Observer
	}
	if len(o.Extenders) > 0 {
		p.enqueue = append(p.enqueue, extenders{})
	}
	if c.Plugins == nil {
		return p, nil
	}
	if err := p.make(ctx, r, c); err != nil {
		return nil, err
	}
	if err := p.arrange(c); err != nil {
		return nil, err
	}
	p.findSigners()
	return p, nil
}

// make makes every plugin that is enabled anywhere and known to the registry. That one is unknown is found out where
// it is missed, which says more.
func (p *Profile) make(ctx context.Context, r Registry, c config.Profile) error {
	needed := slices.Clone(c.Plugins.MultiPoint.Enabled)
	for _, s := range p.stages.all(c.Plugins) {
		needed = append(needed, s.enabled()...)
	}
	for _, e := range needed {
		factory, known := r[e.Name]
		if _, done := p.made[e.Name]; done || !known {
			continue
		}
		plugin, err := factory(ctx, c.Args[e.Name], p)
		if err == nil && plugin == nil {
			err = errors.New("its factory returned no plugin")
		}
		if err != nil {
			return fmt.Errorf("initializing plugin %q: %w", e.Name, err)
		}
		p.made[e.Name] = plugin
		p.order = append(p.order, e.Name)
		if canReject(plugin) {
			p.enqueue = append(p.enqueue, plugin)
		}
	}
	return nil
}

// arrange lists the plugins by extension point and checks that the lists make a scheduler.
func (p *Profile) arrange(c config.Profile) error {
	all := p.stages.all(c.Plugins)
	for _, s := range all {
		if err := s.check(p.made); err != nil {
			return err
		}
	}
	for _, s := range all {
		if err := s.fill(p.made, c.Plugins.MultiPoint.Enabled); err != nil {
			return err
		}
	}
	if n := len(p.stages.queueSort); n != 1 {
		return fmt.Errorf("only one queue sort plugin required for profile with scheduler name %q, but got %d", p.name, n)
	}
	if len(p.stages.bind) == 0 {
		return fmt.Errorf("at least one bind plugin is needed for profile with scheduler name %q", p.name)
	}
	var err error
	if p.weights, err = scoreWeights(p.made, c.Plugins); err != nil {
		return err
	}
	for _, s := range p.stages.score {
		s.weight = p.weights[s.name]
		if s.weight == 0 {
			return fmt.Errorf("score plugin %q is not configured with weight", s.name)
		}
	}
	return nil
}

// canReject tells whether a plugin has a say in whether a pod is schedulable, so that events may bring a pod back to it.
func canReject(plugin fwk.Plugin) bool {
	switch plugin.(type) {
	case fwk.PreEnqueuePlugin, fwk.PreFilterPlugin, fwk.FilterPlugin, fwk.ReservePlugin, fwk.PermitPlugin:
		return true
	}
	return false
}

// extenders stands for all extenders in the list of those that may reject a pod. It names no events.
type extenders struct{}

func (extenders) Name() string { return ExtenderName }

// PercentageOfNodesToScore is the profile's own setting; nil means that the global one holds.
func (p *Profile) PercentageOfNodesToScore() *int32 { return p.percentage }

// PreEnqueuePlugins decide whether a pod may enter the queue.
func (p *Profile) PreEnqueuePlugins() []fwk.PreEnqueuePlugin { return plugins(p.stages.preEnqueue) }

// QueueSortFunc orders the queue.
func (p *Profile) QueueSortFunc() fwk.LessFunc { return p.stages.queueSort[0].plugin.Less }

// EnqueueExtensions lists the plugins that may reject a pod, which makes their events worth listening to. Those that
// implement [fwk.EnqueueExtensions] name the events; for the others all events have to do. Extenders, if there are
// any, come first as one plugin of the name [ExtenderName].
func (p *Profile) EnqueueExtensions() []fwk.Plugin { return p.enqueue }

// HasFilterPlugins tells whether any plugin filters nodes.
func (p *Profile) HasFilterPlugins() bool { return len(p.stages.filter) > 0 }

// HasPostFilterPlugins tells whether there is any plugin to ask when no node will do.
func (p *Profile) HasPostFilterPlugins() bool { return len(p.stages.postFilter) > 0 }

// HasScorePlugins tells whether any plugin scores nodes.
func (p *Profile) HasScorePlugins() bool { return len(p.stages.score) > 0 }

// Plugin finds a plugin by the name it has in the configuration.
func (p *Profile) Plugin(name string) (fwk.Plugin, bool) {
	plugin, made := p.made[name]
	return plugin, made
}

// Enabled lists the names of the plugins at an extension point, in the order in which they are asked.
func (p *Profile) Enabled(point Point) []string {
	s := &p.stages
	switch point {
	case PreEnqueue:
		return slotNames(s.preEnqueue)
	case QueueSort:
		return slotNames(s.queueSort)
	case PreFilter, PreFilterExtensionAdd, PreFilterExtensionRemove:
		return slotNames(s.preFilter)
	case Filter:
		return slotNames(s.filter)
	case PostFilter:
		return slotNames(s.postFilter)
	case PreScore:
		return slotNames(s.preScore)
	case Score, ScoreExtensionNormalize:
		return slotNames(s.score)
	case Reserve, Unreserve:
		return slotNames(s.reserve)
	case Permit:
		return slotNames(s.permit)
	case PreBind, PreBindPreFlight:
		return slotNames(s.preBind)
	case Bind:
		return slotNames(s.bind)
	case PostBind:
		return slotNames(s.postBind)
	}
	return nil
}

// Weight is what the scores of a plugin are multiplied by; 0 if it does not score.
func (p *Profile) Weight(plugin string) int64 { return p.weights[plugin] }

// Evaluations lists how often each PreFilter, Filter, PreScore and Score plugin has been called.
func (p *Profile) Evaluations() []Evaluations {
	list := evaluations(nil, PreFilter, p.stages.preFilter)
	list = evaluations(list, Filter, p.stages.filter)
	list = evaluations(list, PreScore, p.stages.preScore)
	return evaluations(list, Score, p.stages.score)
}

func evaluations[P fwk.Plugin](list []Evaluations, point Point, slots []*slot[P]) []Evaluations {
	for _, s := range slots {
		list = append(list, Evaluations{Point: point, Plugin: s.name, Calls: s.calls})
	}
	return list
}

// ForkFrom gives every plugin that is a [Forker] what its original in another profile remembers, and goes on counting
// where the other stands. The two profiles were made from the same configuration.
func (p *Profile) ForkFrom(old *Profile) {
	for _, name := range p.order {
		if forker, ok := p.made[name].(Forker); ok {
			forker.ForkFrom(old.made[name])
		}
	}
	p.stages.countOn(&old.stages)
}

// Close closes every plugin that can be closed.
func (p *Profile) Close() error {
	var errs []error
	for _, name := range p.order {
		if closer, ok := p.made[name].(io.Closer); ok {
			if err := closer.Close(); err != nil {
				errs = append(errs, fmt.Errorf("%s failed to close: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}
