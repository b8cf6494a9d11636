package engine

import (
	"errors"
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// ErrUnsettled is why a state cannot be written now, but soon: when the extenders that a scheduling cycle waits for have answered,
// or when what plugins posted was carried out.
var ErrUnsettled = errors.New("the engine is in the middle of something; its state can be written after the next input or decision")

// Settled reports whether the engine is in the middle of nothing, so that its state can be written.
func (e *Engine) Settled() bool {
	return e.suspended == nil && !e.posted.some.Load() && len(e.objectWaits.ended) == 0
}

// State returns what the engine holds, to go on with in another engine with the same options. The histories are not in it: the
// decisions in the log, the transitions of pods, the problems and the last search. The engine stays as it is. Like every method of an
// engine it is called between inputs; a fork's state can be written elsewhere, on a goroutine of its own.
func (e *Engine) State() (codec.State, error) {
	if !e.Settled() {
		return codec.State{}, fmt.Errorf("writing the engine's state: %w", ErrUnsettled)
	}
	state, err := codec.Write(e.codeState)
	if err != nil {
		return codec.State{}, fmt.Errorf("writing the engine's state: %w", err)
	}
	return state, nil
}

// Restore reads the state of another engine into this one, which has the same options and has had no input. After an error the engine
// is of no use.
func (e *Engine) Restore(s codec.State) error {
	if e.counters.Inputs > 0 {
		return errors.New("restoring an engine's state: the engine has had inputs of its own")
	}
	if err := codec.Read(s, e.codeState); err != nil {
		return fmt.Errorf("restoring an engine's state: %w", err)
	}
	if err := e.Check(); err != nil {
		return fmt.Errorf("restoring an engine's state, which contradicts itself: %w", err)
	}
	e.publishNominations()
	return nil
}

// codeState codes the store first, since the others refer to its objects, and the queue before the bindings, whose pods it has.
func (e *Engine) codeState(c *codec.Coder) {
	e.codeCounters(c)
	e.store.CodeState(c)
	e.volumes.CodeState(c)
	e.devices.CodeState(c)
	e.gangs.CodeState(c)
	e.cache.CodeState(c)
	e.snapshot.CodeState(c, e.cache)
	e.queue.CodeState(c)
	e.queueDepths.CodeState(c)
	e.waiting.CodeState(c)
	for _, name := range e.profileNames {
		e.profiles[name].CodeState(c)
	}
	e.codeBindings(c)
	e.objectWaits.codeState(c)
	e.codeEffects(c)
	e.codeBatches(c)
	if c.Reading() && c.OK() {
		e.checkWaits(c)
		e.checkTimers(c)
	}
}

// codeCounters codes what an engine counts, and its random source.
func (e *Engine) codeCounters(c *codec.Coder) {
	c.Time(&e.start)
	c.Time(&e.now)
	c.Check(e.now.Sub(e.start) >= 0 && e.now.Sub(e.start) <= maxRunTime, "the engine runs from %v to %v", e.start, e.now)
	source := ""
	if !c.Reading() {
		encoded, err := e.rng.MarshalBinary()
		if err != nil {
			c.Fail(err)
			return
		}
		source = string(encoded)
	}
	if codec.Text(c, &source); c.Reading() && c.OK() {
		if err := e.rng.UnmarshalBinary([]byte(source)); err != nil {
			c.Fail(err)
		}
	}
	c.Count(&e.startIndex)
	codec.Uint(c, &e.lastEffect)
	codec.Uint(c, &e.lastSeq)
	codec.Uint(c, &e.digest)
	for _, count := range []*uint64{&e.counters.Bound, &e.counters.BindingsFailed, &e.counters.Inputs, &e.counters.Refused, &e.counters.Problems} {
		codec.Uint(c, count)
	}
	for i := range e.counters.Decisions {
		codec.Uint(c, &e.counters.Decisions[i])
	}
}

// codeEffects codes the effects that were not taken yet, and those whose outcomes plugins wait for.
func (e *Engine) codeEffects(c *codec.Coder) {
	codec.Slice(c, &e.effects, func(effect *world.Effect) {
		codec.Uint(c, &effect.ID)
		c.Time(&effect.At)
		c.Action(&effect.Action)
	})
	codec.Map(c, &e.pluginEffects, func(id *world.EffectID, asked *pluginEffect) {
		codec.Uint(c, id)
		codec.Text(c, &asked.profile)
		codec.Text(c, &asked.plugin)
		c.Action(&asked.act)
		c.Check(e.profiles[asked.profile] != nil, "effect %d is of profile %q, which there is not", *id, asked.profile)
	})
}

// codeBatches codes the scores that are kept for the next pod, and how often they were used.
func (e *Engine) codeBatches(c *codec.Coder) {
	codec.Map(c, &e.batches, func(profile *string, b **batch) {
		codec.Text(c, profile)
		if c.Reading() {
			*b = &batch{}
		}
		signature := string((*b).signature)
		if codec.Text(c, &signature); c.Reading() && signature != "" {
			(*b).signature = fwk.PodSignature(signature)
		}
		codec.Slice(c, &(*b).sorted, func(s *fwk.NodePluginScores) {
			codec.Text(c, &s.Name)
			codec.Int(c, &s.TotalScore)
			if e.features.rescores {
				e.codeRawScores(c, *profile, &(*b).raw, s)
			}
		})
		c.Time(&(*b).made)
		codec.Int(c, &(*b).cycle)
		codec.Text(c, &(*b).chosen)
	})
	codec.Map(c, &e.batchCounters, func(profile *string, count **BatchCounters) {
		codec.Text(c, profile)
		if c.Reading() {
			*count = &BatchCounters{Flushed: map[FlushReason]uint64{}}
		}
		codec.Uint(c, &(*count).NoHint)
		codec.Uint(c, &(*count).HintUsed)
		codec.Uint(c, &(*count).HintNotUsed)
		if e.features.rescores {
			codec.Uint(c, &(*count).Rescored)
		}
		codec.Map(c, &(*count).Flushed, func(reason *FlushReason, n *uint64) {
			codec.Text(c, reason)
			codec.Uint(c, n)
		})
	})
	codec.MapBy(c, &e.panics, compareSources, func(source *PanicSource, n *uint64) {
		codec.Text(c, &source.Plugin)
		codec.Text(c, &source.Point)
		codec.Uint(c, n)
	})
}

// codeRawScores codes the row of a node. Rows are written in the order of the nodes, so that a node is read with the last row.
func (e *Engine) codeRawScores(c *codec.Coder, profile string, raw *framework.RawScores, s *fwk.NodePluginScores) {
	var row []int64
	if !c.Reading() {
		row = raw.Row(s.Randomizer)
	}
	codec.Slice(c, &row, func(score *int64) { codec.Int(c, score) })
	if !c.Reading() {
		return
	}
	p := e.profiles[profile]
	c.Check(p != nil && len(row) == len(p.Enabled(framework.Score)), "the batch of profile %q has %d scores of node %q", profile, len(row), s.Name)
	if c.OK() {
		s.Randomizer = raw.Rows()
		raw.Append(row)
	}
}
