package engine

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/framework"
	"orrery/core/queue"
	"orrery/core/world"
)

// Fork is an independent copy of the engine, at this very point: what either is told from now on, the other never
// hears of. Given the same inputs, both go the same way. Objects are shared, as nobody changes them, and nodes are
// copied only when one side changes them, so a fork is cheap enough for a question.
//
// The plugins of the fork are new ones; those with a memory take it over, see framework.Forker. Effects that have not
// been handed over yet are the fork's too, and so are the outcomes it waits for.
func (e *Engine) Fork() (*Engine, error) {
	f, err := e.fork((*queue.Queue).Fork)
	if err != nil {
		return nil, err
	}
	f.decisions, f.journal, f.tide = e.decisions.fork(), e.journal.Fork(), e.tide
	f.problems, f.searched = e.problems.fork(), e.forkSearched()
	return f, nil
}

// forkToAsk is a fork that serves to answer one question about one pod: it has no past, and of the pods that wait only
// those that others make room for.
func (e *Engine) forkToAsk() (*Engine, error) {
	f, err := e.fork((*queue.Queue).ForkNominated)
	if err != nil {
		return nil, err
	}
	f.decisions, f.journal = newDecisionLog(e.options.Decisions), queue.NewJournal()
	return f, nil
}

// fork copies what decisions depend on.
func (e *Engine) fork(forkQueue func(*queue.Queue, queue.Options) *queue.Queue) (*Engine, error) {
	f := &Engine{
		options: e.options, config: e.config, registry: e.registry, percentage: e.percentage, gates: e.gates,
		registered: e.registered,
		now:        e.now, store: e.store.Fork(), cache: e.cache.Fork(), snapshot: e.snapshot.Fork(),
		waiting: e.waiting.Fork(), statuses: framework.NewNodeToStatus(0), ctx: e.ctx, stopwatch: e.stopwatch,
		startIndex: e.startIndex, bindings: make(map[types.UID]*binding, len(e.bindings)),
		pending: maps.Clone(e.pending), asked: maps.Clone(e.asked),
		effects: slices.Clone(e.effects), lastEffect: e.lastEffect,
		lastSeq: e.lastSeq, tally: e.tally, digest: e.digest,
	}
	f.options.Listener, f.options.Observer = nil, nil
	chance := *e.chance
	f.chance = &chance
	if err := f.makeProfiles(); err != nil {
		return nil, fmt.Errorf("forking the engine: %w", err)
	}
	for name, profile := range f.profiles {
		profile.ForkFrom(e.profiles[name])
	}
	options, err := f.queueOptions()
	if err != nil {
		return nil, fmt.Errorf("forking the engine: %w", err)
	}
	f.queue = forkQueue(e.queue, options)
	f.batches, f.batching = map[string]*batch{}, map[string]*Batching{}
	for name, b := range e.batches {
		twin := *b
		twin.rest = slices.Clone(b.rest)
		f.batches[name] = &twin
	}
	for name, count := range e.batching {
		f.batching[name] = &Batching{count.NoHint, count.HintUsed, count.HintNotUsed, maps.Clone(count.Flushed)}
	}
	f.forkBindings(e)
	return f, nil
}

// forkBindings copies the bindings under way. Pods that are still in flight are the queue's, and calls that nobody has
// taken over yet are made anew, as they would be of the original's plugins.
func (e *Engine) forkBindings(from *Engine) {
	flying := map[types.UID]*queue.Pod{}
	for _, p := range e.queue.InFlight() {
		flying[p.Pod().UID] = p
	}
	for uid, b := range from.bindings {
		twin := b.fork(e)
		if popped := flying[uid]; popped != nil && b.stage == waitingForPermit {
			twin.popped = popped
		}
		e.bindings[uid] = twin
	}
	for i, effect := range e.effects {
		if run, ok := e.Run(effect.ID); ok {
			e.effects[i].Act = run
		}
	}
}

// Run is the plugin call that a binding waits for under the number of an effect. A world that is forked together with
// its engine exchanges the calls it still has to make for those of the engine's fork.
func (e *Engine) Run(id world.EffectID) (world.Run, bool) {
	b := e.bindings[e.pending[id]]
	if b == nil || b.effect != id {
		return world.Run{}, false
	}
	if b.stage == bindingNow {
		if _, named := b.profile.BindPlugins()[b.next].(framework.Binder); named {
			return world.Run{}, false
		}
	}
	return b.run(), true
}

func (b *binding) fork(into *Engine) *binding {
	twin := *b
	twin.popped = b.popped.Clone()
	twin.profile = into.profiles[b.profile.ProfileName()]
	twin.state, twin.lent = copyOf(b.state), nil
	if b.lent != nil && b.lent.returned.Load() {
		twin.lent = &loan{state: copyOf(b.lent.state)}
		twin.lent.returned.Store(true)
	}
	return &twin
}

// copyOf is a copy of a state with wishes of its own, which clones of a state share.
func copyOf(state *framework.CycleState) *framework.CycleState {
	clone := state.Clone().(*framework.CycleState)
	if data, err := state.Read(framework.PodsToActivateKey); err == nil {
		if wished, ok := data.(*framework.PodsToActivate); ok {
			clone.Write(framework.PodsToActivateKey, &framework.PodsToActivate{Map: maps.Clone(wished.Map)})
		}
	}
	return clone
}
