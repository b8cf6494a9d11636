package play

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/trace"
)

// HeaderOf returns the header of a trace of an engine with these options.
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
		Start: o.Start, Origin: trace.FromStart,
		Seed: o.Seed, Shadow: o.Shadow, ExtendersUnasked: o.ExtendersUnasked, PodMaxInUnschedulablePodsDuration: metav1.Duration{Duration: o.PodMaxInUnschedulablePodsDuration},
		Kubernetes: c.Features.Release(), Configuration: string(text), FeatureGates: map[string]bool{},
	}
	if o.TieBreak != engine.BySeed {
		h.TieBreak = tieBreaks[o.TieBreak]
	}
	if o.RequeueRule != queue.QueueingHints {
		h.RequeueRule = o.RequeueRule.String()
	}
	for _, gate := range c.Features.List() {
		if !gate.Foreign {
			h.FeatureGates[string(gate.Name)] = gate.Enabled
		}
	}
	return h, nil
}

var (
	tieBreaks    = [...]string{engine.BySeed: "seed", engine.ByHeap: "heap"}
	requeueRules = [...]string{queue.QueueingHints: queue.QueueingHints.String(), queue.MoveRequestCycle: queue.MoveRequestCycle.String()}
)

// OptionsOf returns the options of an engine that replays a trace.
func OptionsOf(h trace.Header) (engine.Options, error) {
	features, err := config.ParseFeaturesOf(h.Kubernetes, h.FeatureGates)
	if err != nil {
		return engine.Options{}, fmt.Errorf("reading the trace's feature gates: %w", err)
	}
	c := config.Default(features)
	if h.Configuration != "" {
		if c, err = config.LoadNamed("the trace's configuration", []byte(h.Configuration), features); err != nil {
			return engine.Options{}, err
		}
	}
	tieBreak := slices.Index(tieBreaks[:], cmp.Or(h.TieBreak, tieBreaks[engine.BySeed]))
	rule := slices.Index(requeueRules[:], cmp.Or(h.RequeueRule, requeueRules[queue.QueueingHints]))
	if tieBreak < 0 || rule < 0 {
		return engine.Options{}, fmt.Errorf("the trace was recorded with options (tie break %q, requeue rule %q) that this program does not know: use a newer one", h.TieBreak, h.RequeueRule)
	}
	return engine.Options{
		Config: c, Seed: h.Seed, Shadow: h.Shadow, ExtendersUnasked: h.ExtendersUnasked, TieBreak: engine.TieBreak(tieBreak), RequeueRule: queue.RequeueRule(rule),
		PodMaxInUnschedulablePodsDuration: h.PodMaxInUnschedulablePodsDuration.Duration, Start: h.Start,
	}, nil
}

// traceDecision converts an engine's decision to a trace's.
func traceDecision(d *engine.Decision, digest engine.Digest) trace.Decision {
	t := trace.Decision{
		Seq: d.Seq, Pod: d.Pod, Attempt: d.Attempt, Verdict: trace.Verdict(d.Verdict),
		Node: d.Node, Nominated: d.Nominated, Digest: uint64(digest),
	}
	if d.Preemption != nil {
		t.Victims = len(d.Preemption.Victims)
	}
	return t
}
