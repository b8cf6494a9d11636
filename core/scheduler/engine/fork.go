package engine

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// Fork returns an independent copy of the engine: inputs to one do not affect the other, and the same inputs give the
// same decisions. Objects are shared because they are immutable, and nodes are copied on write, so a fork is cheap
// enough to answer one question.
//
// The fork has new plugins; those with state copy it, see framework.Forker. The fork also has the effects that were not
// yet taken and waits for the same outcomes: its suspended scheduling cycle, if there is one, for the same answers.
func (e *Engine) Fork() (*Engine, error) { return e.forkWhole((*framework.Profile).ForkFrom) }

// ForkToKeep is Fork without what the plugins can compute again, so that a fork that is kept for later takes less memory.
func (e *Engine) ForkToKeep() (*Engine, error) {
	return e.forkWhole((*framework.Profile).ForkStateFrom)
}

// forkProfile copies the state of a profile's plugins from that of the original engine.
type forkProfile func(p, old *framework.Profile) error

func (e *Engine) forkWhole(forkPlugins forkProfile) (*Engine, error) {
	f, err := e.fork((*queue.Queue).Fork, (*cache.Snapshot).Fork, forkPlugins)
	if err != nil {
		return nil, err
	}
	f.decisions, f.journal, f.queueDepths = e.decisions.fork(), e.journal.Fork(), e.queueDepths
	f.problems, f.refusals, f.lastSearch = slices.Clone(e.problems), slices.Clone(e.refusals), e.forkLastSearch()
	if e.suspended != nil {
		f.forkSuspended(e.suspended)
	}
	return f, nil
}

// forkForExplain returns a fork for explaining one pod: it has no history, and its queue has only the nominated pods.
func (e *Engine) forkForExplain() (*Engine, error) {
	f, err := e.fork((*queue.Queue).ForkNominated, (*cache.Snapshot).Fork, (*framework.Profile).ForkFrom)
	if err != nil {
		return nil, err
	}
	f.decisions, f.journal = newDecisionLog(e.options.DecisionLogSize), queue.NewJournal()
	return f, nil
}

// fork copies the state that decisions depend on.
func (e *Engine) fork(forkQueue func(*queue.Queue, queue.Options) *queue.Queue, forkSnapshot func(*cache.Snapshot) *cache.Snapshot, forkPlugins forkProfile) (*Engine, error) {
	f := &Engine{
		options: e.options, config: e.config, registry: e.registry, extenders: e.extenders, percentage: e.percentage, gates: e.gates, features: e.features,
		watches: e.watches,
		start:   e.start, now: e.now, store: e.store.Fork(), cache: e.cache.Fork(), snapshot: forkSnapshot(e.snapshot),
		waiting: e.waiting.Fork(), statuses: framework.NewNodeToStatus(0), ctx: e.ctx, stopwatch: e.stopwatch,
		startIndex: e.startIndex, bindings: make(map[types.UID]*binding, len(e.bindings)),
		pending: maps.Clone(e.pending), pluginEffects: maps.Clone(e.pluginEffects),
		objectWaits: e.objectWaits.fork(),
		effects:     slices.Clone(e.effects), lastEffect: e.lastEffect,
		lastSeq: e.lastSeq, counters: e.counters, digest: e.digest, panics: maps.Clone(e.panics),
		posted: newPosted(),
	}
	f.options.Listener, f.options.OnTiming = nil, nil
	f.options.Client, f.options.KubeConfig = nil, nil // a fork changes no cluster
	f.volumes, f.devices, f.gangs = e.volumes.Fork(f.store), e.devices.Fork(f.store), e.gangs.Fork(f.store)
	f.memory = &memoryPreemption{engine: f}
	rng := *e.rng
	f.rng = &rng
	if err := f.makeProfiles(); err != nil {
		return nil, fmt.Errorf("forking the engine: %w", err)
	}
	for name, profile := range f.profiles {
		if err := forkPlugins(profile, e.profiles[name]); err != nil {
			return nil, fmt.Errorf("forking the engine: %w", err)
		}
	}
	options, err := f.queueOptions()
	if err != nil {
		return nil, fmt.Errorf("forking the engine: %w", err)
	}
	f.queue = forkQueue(e.queue, options)
	f.batches, f.batchCounters = map[string]*batch{}, map[string]*BatchCounters{}
	for name, b := range e.batches {
		twin := *b
		twin.sorted, twin.raw = slices.Clone(b.sorted), b.raw.Clone()
		f.batches[name] = &twin
	}
	for name, count := range e.batchCounters {
		f.batchCounters[name] = count.clone()
	}
	f.forkBindings(e)
	f.publishNominations()
	return f, nil
}

// forkBindings copies the bindings in flight. In-flight pods are shared with the fork's queue, and plugin calls not yet
// taken are made again, for the fork's plugins.
func (e *Engine) forkBindings(from *Engine) {
	inFlight := map[types.UID]*queue.Pod{}
	for _, p := range e.queue.InFlight() {
		inFlight[p.Pod().UID] = p
	}
	for uid, b := range from.bindings {
		twin := b.fork(e)
		if popped := inFlight[uid]; popped != nil && b.stage == waitingForPermit {
			twin.popped = popped
		}
		e.bindings[uid] = twin
	}
	for i, effect := range e.effects {
		if run, ok := e.Run(effect.ID); ok {
			e.effects[i].Action = run
		}
	}
}

// Run returns the plugin call that a binding waits for under an effect's ID. A world that is forked with its engine
// replaces its outstanding calls with those of the engine's fork.
func (e *Engine) Run(id world.EffectID) (world.RunPlugin, bool) {
	b := e.bindings[e.pending[id]]
	if b == nil || b.effect != id || b.stepwise() != nil || b.callsExtender() {
		return world.RunPlugin{}, false
	}
	if b.stage == bindingNow {
		if _, named := b.profile.BindPlugins()[b.next].(framework.Binder); named {
			return world.RunPlugin{}, false
		}
	}
	return b.runCurrentPlugin(), true
}

func (b *binding) fork(into *Engine) *binding {
	twin := *b
	twin.popped, twin.beside = b.popped.Clone(), b.beside.clone()
	twin.profile = into.profiles[b.profile.ProfileName()]
	twin.state, twin.lent, twin.memory = cloneState(b.state), nil, nil
	if b.lent != nil && b.lent.returned.Load() {
		twin.lent = &lentState{state: cloneState(b.lent.state)}
		twin.lent.returned.Store(true)
	}
	return &twin
}

// cloneState returns a clone of a state with its own PodsToActivate, which clones otherwise share.
func cloneState(state *framework.CycleState) *framework.CycleState {
	clone := state.Clone().(*framework.CycleState)
	if toActivate := podsToActivate(state); toActivate != nil {
		clone.Write(framework.PodsToActivateKey, toActivate)
	}
	return clone
}

// podsToActivate copies the pods that plugins requested to activate; nil if a plugin deleted the key.
func podsToActivate(state *framework.CycleState) *framework.PodsToActivate {
	data, err := state.Read(framework.PodsToActivateKey)
	if err != nil {
		return nil
	}
	toActivate, ok := data.(*framework.PodsToActivate)
	if !ok {
		return nil
	}
	return &framework.PodsToActivate{Map: maps.Clone(toActivate.Map)}
}
