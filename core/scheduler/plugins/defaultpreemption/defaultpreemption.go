// Package defaultpreemption makes room for a pod that fits on no node by evicting pods of lower priority. core/scheduler/preempt
// decides and evicts; the plugin connects it to the extension points:
//
//	PostFilter   find victims ─► evict them ─► nominate the node
//	PreEnqueue   reject the preemptor until its last victim is terminating
//
// Inside Orrery, effects evict the victims. Hosted by another runtime, the plugin calls the API itself, one victim after the
// other, before PostFilter returns, and PreEnqueue accepts every pod.
package defaultpreemption

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/preempt"
	"orrery/core/scheduler/release"
	"orrery/core/world"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.DefaultPreemption

// DefaultPreemption is the plugin.
type DefaultPreemption struct {
	handle    fwk.Handle
	async     bool
	saysFound bool // the message of a success says what was found
	evaluator *preempt.Evaluator
	evictions *preempt.VictimEvictions // nil when another runtime hosts the plugin
}

var (
	_ fwk.PostFilterPlugin    = (*DefaultPreemption)(nil)
	_ fwk.PreEnqueuePlugin    = (*DefaultPreemption)(nil)
	_ fwk.EnqueueExtensions   = (*DefaultPreemption)(nil)
	_ framework.EffectHandler = (*DefaultPreemption)(nil)
	_ framework.StateCoder    = (*DefaultPreemption)(nil)
)

// New makes the plugin from its *configv1.DefaultPreemptionArgs.
func New(_ context.Context, args runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	a, ok := args.(*configv1.DefaultPreemptionArgs)
	if !ok {
		return nil, fmt.Errorf("got args of type %T, want *DefaultPreemptionArgs", args)
	}
	if err := config.ValidateDefaultPreemptionArgs(nil, a); err != nil {
		return nil, err
	}
	p := &DefaultPreemption{
		handle: h, async: features.Enabled(config.SchedulerAsyncPreemption), saysFound: features.Has(release.PreemptionReported),
		evaluator: preempt.NewEvaluator(h, preempt.Sample{
			Percent: int(*a.MinCandidateNodesPercentage), Min: int(*a.MinCandidateNodesAbsolute),
		}).Follow(features),
	}
	if emitter, ok := h.(framework.Emitter); ok {
		p.evictions = preempt.NewVictimEvictions(Name, h, emitter).Follow(features)
	}
	return p, nil
}

// Name is the plugin's name.
func (*DefaultPreemption) Name() string { return Name }

// PostFilter looks for a node where eviction makes room. The status' message goes into the pod's condition.
func (p *DefaultPreemption) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, m fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	result, status := p.preempt(ctx, state, pod, m)
	if message := status.Message(); message != "" {
		return result, fwk.NewStatus(status.Code(), "preemption: "+message)
	}
	return result, status
}

func (p *DefaultPreemption) preempt(ctx context.Context, state fwk.CycleState, pod *v1.Pod, m fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	preemptor, err := p.evaluator.Preemptor(pod)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if p.evictions != nil {
		preempt.FindingsIn(state).Progress(p.evictions, preemptor)
	}
	record, helpless, status := p.evaluator.Find(ctx, state, preemptor, m)
	if helpless {
		return nominate(""), status
	}
	if record == nil {
		return nil, status
	}
	state.Write(preempt.RecordKey, record)
	if p.evictions != nil {
		p.evictions.Begin(preemptor, record)
	} else if err := p.evictDirectly(ctx, preemptor, record); err != nil {
		return nil, fwk.AsStatus(err)
	}
	return nominate(record.Node), p.found(record)
}

// found is the status of a preemption.
func (p *DefaultPreemption) found(record *preempt.Record) *fwk.Status {
	if !p.saysFound {
		return nil
	}
	return fwk.NewStatus(fwk.Success, fmt.Sprintf("found a potential placement for pod on node %v, preempting %d victims", record.Node, len(record.Victims)))
}

func nominate(node string) *fwk.PostFilterResult {
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}}
}

var stillPreempting = fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
	"waiting for the preemption for this pod to be finished").WithPlugin(Name)

// PreEnqueue rejects a preemptor whose victims are being evicted: if it were tried now, it would preempt again.
func (p *DefaultPreemption) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if p.async && p.evictions != nil && p.evictions.IsRunningPreemption(pod.UID) {
		return stillPreempting
	}
	return nil
}

// EventsToRegister returns the event that a PreEnqueue plugin must have. Its hint is always QueueSkip: pods that wait for
// room are requeued by the plugins that rejected them.
func (p *DefaultPreemption) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	if !p.async {
		return nil, nil
	}
	return []fwk.ClusterEventWithHint{{
		Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete},
		QueueingHintFn: func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) {
			return fwk.QueueSkip, nil
		},
	}}, nil
}

// EffectDone advances a preemption.
func (p *DefaultPreemption) EffectDone(id world.EffectID, _ world.Action, out world.Outcome) {
	p.evictions.EffectDone(id, out)
}

// ForkFrom copies the preemptions in progress.
func (p *DefaultPreemption) ForkFrom(old fwk.Plugin) {
	p.evictions.ForkFrom(old.(*DefaultPreemption).evictions)
}

// CodeState codes the preemptions in progress.
func (p *DefaultPreemption) CodeState(c *codec.Coder) { p.evictions.CodeState(c) }
