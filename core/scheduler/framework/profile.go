package framework

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/reuse"
	"orrery/core/world"
)

// Profile is one set of plugins under one scheduler name. It is not safe for concurrent use.
type Profile struct {
	fwk.PodNominator
	fwk.PodActivator

	name       string
	percentage *int32
	points     extensionPoints
	byName     map[string]fwk.Plugin
	order      []string // of made: as the configuration first names them
	enqueue    []fwk.Plugin
	weights    map[string]int64
	signers    []fwk.SignPlugin
	canSign    bool
	deps       Options
	onTiming   func(Timing) // nil unless there is a stopwatch too
	scoreTable scoreTable
	reuser     reuser
	results    *reuse.ResultStore
	lastCalls  []FilterCount // of FilterCallsSince

	// Lists that pods have in common: the Filter plugins without those that PreFilter skips, and the skipped plugins of two points.
	filterLists                    filterLists
	skippedScores, skippedPreBinds skippedLists
}

var (
	_ fwk.Handle       = (*Profile)(nil)
	_ Emitter          = (*Profile)(nil)
	_ MemoryPreemption = (*Profile)(nil)
	_ Rand             = (*Profile)(nil)
	_ ObjectChanges    = (*Profile)(nil)
	_ VolumeState      = (*Profile)(nil)
	_ NodeResults      = (*Profile)(nil)
)

// NewProfile makes the plugins that a configuration enables, and lists them by extension point.
func NewProfile(ctx context.Context, r Registry, c config.Profile, o Options) (*Profile, error) {
	p := &Profile{
		PodNominator: o.Nominator,
		PodActivator: o.Activator,
		name:         c.SchedulerName,
		percentage:   c.PercentageOfNodesToScore,
		byName:       map[string]fwk.Plugin{},
		deps:         o,
		results:      reuse.NewResultStore(resultLimit),
	}
	if o.Waiting == nil {
		p.deps.Waiting = NewWaitingPods()
	}
	if o.Stopwatch != nil {
		p.onTiming = o.OnTiming
	}
	if len(o.Extenders) > 0 {
		p.enqueue = append(p.enqueue, extenders{})
	}
	if c.Plugins == nil {
		return p, nil
	}
	problems := &ProfileError{Profile: c.SchedulerName}
	p.instantiate(ctx, r, c, problems)
	p.buildPoints(c, problems)
	if err := problems.err(); err != nil {
		return nil, err
	}
	p.findSigners()
	p.findLocals()
	return p, nil
}

// instantiate makes every enabled plugin that the registry knows. Unknown ones are reported by the extension points.
func (p *Profile) instantiate(ctx context.Context, r Registry, c config.Profile, problems *ProfileError) {
	needed := slices.Clone(c.Plugins.MultiPoint.Enabled)
	for _, s := range p.points.all(c.Plugins) {
		needed = append(needed, s.enabled()...)
	}
	for _, e := range needed {
		factory, known := r[e.Name]
		if _, done := p.byName[e.Name]; done || !known {
			continue
		}
		plugin, err := p.construct(ctx, e.Name, factory, c.Args[e.Name])
		if err != nil {
			problems.add(mistakef(e.Name, "", "initializing plugin %q: %w", e.Name, err))
			continue
		}
		p.byName[e.Name] = plugin
		p.order = append(p.order, e.Name)
		if canReject(plugin) {
			p.enqueue = append(p.enqueue, plugin)
		}
	}
}

// construct makes one plugin.
func (p *Profile) construct(ctx context.Context, name string, factory PluginFactory, args runtime.Object) (plugin fwk.Plugin, err error) {
	defer p.recoveredError(makingPlugin, name, nil, &err)
	var handle fwk.Handle = p
	if p.deps.HandleOf != nil {
		if handle, err = p.deps.HandleOf(name, p); err != nil {
			return nil, err
		}
	}
	if plugin, err = factory(ctx, args, handle); err == nil && plugin == nil {
		err = errors.New("its factory returned no plugin")
	}
	return plugin, err
}

// buildPoints lists the plugins by extension point and checks that the required points have some.
func (p *Profile) buildPoints(c config.Profile, problems *ProfileError) {
	broken := map[Point]bool{} // nothing more can be said of these
	var listed []extensionPoint
	for _, s := range p.points.all(c.Plugins) {
		found := s.check(p.byName)
		problems.add(found...)
		for _, m := range found {
			broken[m.Point] = true
		}
		if len(found) == 0 {
			listed = append(listed, s)
		}
	}
	for _, s := range listed {
		problems.add(s.expand(p.byName, c.Plugins.MultiPoint.Enabled)...)
	}
	p.points.listCounts()
	if slices.ContainsFunc(problems.Mistakes, func(m Mistake) bool { return p.byName[m.Plugin] == nil }) {
		return // the plugin that could not be made may be the one that is missed below
	}
	if n := len(p.points.queueSort); n != 1 && !broken[QueueSort] {
		problems.add(mistakef("", QueueSort, "only one queue sort plugin required for profile with scheduler name %q, but got %d", p.name, n))
	}
	if len(p.points.bind) == 0 && !broken[Bind] {
		problems.add(mistakef("", Bind, "at least one bind plugin is needed for profile with scheduler name %q", p.name))
	}
	if problems.err() == nil {
		p.weigh(c, problems)
	}
}

// weigh gives each Score plugin its weight.
func (p *Profile) weigh(c config.Profile, problems *ProfileError) {
	var err error
	if p.weights, err = scoreWeights(p.byName, c.Plugins); err != nil {
		problems.add(Mistake{"", Score, err})
		return
	}
	for _, s := range p.points.score {
		s.weight = p.weights[s.Plugin]
		if s.weight == 0 {
			problems.add(mistakef(s.Plugin, Score, "score plugin %q is not configured with weight", s.Plugin))
		}
	}
}

// canReject reports whether a plugin can reject a pod, so that its events can requeue one.
func canReject(plugin fwk.Plugin) bool {
	switch plugin.(type) {
	case fwk.PreEnqueuePlugin, fwk.PreFilterPlugin, fwk.FilterPlugin, fwk.ReservePlugin, fwk.PermitPlugin:
		return true
	}
	return false
}

// extenders stands for all extenders in the list of plugins that can reject a pod. It registers no events.
type extenders struct{}

func (extenders) Name() string { return ExtenderName }

// PercentageOfNodesToScore is the profile's own setting; nil means that the global one holds.
func (p *Profile) PercentageOfNodesToScore() *int32 { return p.percentage }

// PreEnqueuePlugins decide whether a pod may enter the queue.
func (p *Profile) PreEnqueuePlugins() []fwk.PreEnqueuePlugin {
	list := make([]fwk.PreEnqueuePlugin, len(p.points.preEnqueue))
	for i, s := range p.points.preEnqueue {
		list[i] = p.forQueue(s.plugin)
	}
	return list
}

// QueueSortFunc orders the queue. Pods over which the plugin panics are not ordered.
func (p *Profile) QueueSortFunc() fwk.LessFunc {
	s := p.points.queueSort[0]
	return func(a, b fwk.QueuedEntityInfo) (less bool) {
		defer func() {
			if value := recover(); value != nil {
				_ = p.panicked(QueueSort, s.Plugin, PodOf(a), value)
				less = false
			}
		}()
		return s.plugin.Less(a, b)
	}
}

// PodOf returns the pod that an entity of the queue is; nil if it is another.
func PodOf(entity fwk.QueuedEntityInfo) *v1.Pod {
	if queued, is := entity.(interface{ GetPodInfo() fwk.PodInfo }); is {
		return queued.GetPodInfo().GetPod()
	}
	return nil
}

// EnqueueExtensions lists the plugins that can reject a pod. Those that implement [fwk.EnqueueExtensions] register events;
// all events requeue the pods that the others reject. Extenders, if any, come first as one plugin named [ExtenderName].
// Their events are asked through [Profile.RecoverHints].
func (p *Profile) EnqueueExtensions() []fwk.Plugin { return p.enqueue }

// HasFilterPlugins reports whether there is any Filter plugin.
func (p *Profile) HasFilterPlugins() bool { return len(p.points.filter) > 0 }

// HasPostFilterPlugins reports whether there is any PostFilter plugin.
func (p *Profile) HasPostFilterPlugins() bool { return len(p.points.postFilter) > 0 }

// HasScorePlugins reports whether there is any Score plugin.
func (p *Profile) HasScorePlugins() bool { return len(p.points.score) > 0 }

// Plugin finds a plugin by the name it has in the configuration.
func (p *Profile) Plugin(name string) (fwk.Plugin, bool) {
	plugin, made := p.byName[name]
	return plugin, made
}

// Enabled lists the names of the plugins at an extension point, in the order in which they are called.
func (p *Profile) Enabled(point Point) []string {
	if owner, ok := calledWith[point]; ok {
		point = owner
	}
	var list []string
	for _, count := range p.points.counts {
		if count.Point == point {
			list = append(list, count.Plugin)
		}
	}
	return list
}

// calledWith names the point in whose list the plugins of another are.
var calledWith = map[Point]Point{
	PreFilterExtensionAdd: PreFilter, PreFilterExtensionRemove: PreFilter, ScoreExtensionNormalize: Score,
	Unreserve: Reserve, PreBindPreFlight: PreBind,
}

// Weight is the weight of a Score plugin; 0 if the plugin does not score.
func (p *Profile) Weight(plugin string) int64 { return p.weights[plugin] }

// ForkFrom copies the state of every [Forker], and the counts, from a profile of the same configuration.
func (p *Profile) ForkFrom(old *Profile) error {
	return p.forkFrom(old, func(Forker) bool { return true })
}

// ForkStateFrom is ForkFrom without what plugins can compute again; see [Forgetful].
func (p *Profile) ForkStateFrom(old *Profile) error {
	return p.forkFrom(old, func(plugin Forker) bool { return !forgets(plugin) })
}

func (p *Profile) forkFrom(old *Profile, copies func(Forker) bool) error {
	for _, name := range p.order {
		if forker, ok := p.byName[name].(Forker); ok && copies(forker) {
			if err := p.forkPlugin(name, forker, old.byName[name]); err != nil {
				return err
			}
		}
	}
	for i, count := range p.points.counts {
		*count = *old.points.counts[i]
	}
	return nil
}

func (p *Profile) forkPlugin(name string, forker Forker, old fwk.Plugin) (err error) {
	defer p.recoveredError(forkFrom, name, nil, &err)
	forker.ForkFrom(old)
	return nil
}

// EffectDone gives a plugin the outcome of an effect that it emitted.
func (p *Profile) EffectDone(plugin string, id world.EffectID, act world.Action, outcome world.Outcome) {
	if handler, ok := p.byName[plugin].(EffectHandler); ok {
		p.call(effectDone, plugin, nil, func() *fwk.Status {
			handler.EffectDone(id, act, outcome)
			return nil
		})
	}
}

// Close closes every plugin that can be closed.
func (p *Profile) Close() error {
	var errs []error
	for _, name := range p.order {
		if closer, ok := p.byName[name].(io.Closer); ok {
			if err := p.closePlugin(name, closer); err != nil {
				errs = append(errs, fmt.Errorf("%s failed to close: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (p *Profile) closePlugin(name string, closer io.Closer) (err error) {
	defer p.recoveredError(closing, name, nil, &err)
	return closer.Close()
}
