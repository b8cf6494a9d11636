package play

import (
	"fmt"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/queue"
	"orrery/core/trace"
)

// HeaderOf is the header of a trace of an engine with these options.
func HeaderOf(o engine.Options) (trace.Header, error) {
	c := o.Config
	if c == nil {
		c = config.Default(config.DefaultFeatures())
	}
	text, err := c.YAML()
	if err != nil {
		return trace.Header{}, fmt.Errorf("recording the configuration: %w", err)
	}
	h := trace.Header{
		Start: o.Start, Base: trace.FromStart,
		Seed: o.Seed, TieBreak: uint8(o.TieBreak), Requeue: uint8(o.Requeue), MaxInUnschedulable: o.MaxInUnschedulable,
		Configuration: string(text), Features: map[string]bool{},
	}
	for _, gate := range c.Features.List() {
		if !gate.Foreign {
			h.Features[string(gate.Name)] = gate.Enabled
		}
	}
	return h, nil
}

// OptionsOf are the options of an engine that is to replay a trace.
func OptionsOf(h trace.Header) (engine.Options, error) {
	features, err := config.ParseFeatures(h.Features)
	if err != nil {
		return engine.Options{}, fmt.Errorf("reading the trace's feature gates: %w", err)
	}
	c := config.Default(features)
	if h.Configuration != "" {
		if c, err = config.LoadNamed("the trace's configuration", []byte(h.Configuration), features); err != nil {
			return engine.Options{}, err
		}
	}
	if h.TieBreak > uint8(engine.ByHeap) || h.Requeue > uint8(queue.MoveRequestCycle) {
		return engine.Options{}, fmt.Errorf("the trace was recorded with options (tie break %d, requeue %d) that this program does not know: use a newer one", h.TieBreak, h.Requeue)
	}
	return engine.Options{
		Config: c, Seed: h.Seed, TieBreak: engine.TieBreak(h.TieBreak), Requeue: queue.Rule(h.Requeue),
		MaxInUnschedulable: h.MaxInUnschedulable, Start: h.Start,
	}, nil
}

// decided is what a trace holds of a decision.
func decided(d *engine.Decision, digest engine.Digest) trace.Decision {
	t := trace.Decision{
		Seq: d.Seq, Pod: d.Pod, Attempt: d.Attempt, Verdict: trace.Verdict(d.Verdict),
		Node: d.Node, Nominated: d.Nominated, Digest: uint64(digest),
	}
	if d.Preemption != nil {
		t.Victims = len(d.Preemption.Victims)
	}
	return t
}
