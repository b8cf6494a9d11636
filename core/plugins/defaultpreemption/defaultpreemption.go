// Package defaultpreemption makes room for a pod that fits nowhere, at the cost of pods of lower priority. The decision
// and the carrying out are in core/preempt; the plugin ties them to the extension points:
//
//	PostFilter   find victims ─► have them leave ─► nominate the node
//	PreEnqueue   hold the preemptor back until its last victim is leaving
//
// Inside Orrery the victims leave by effects. Hosted by another runtime, the plugin calls the API itself, one victim
// after the other, before PostFilter returns; nothing is held back then.
package defaultpreemption

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/preempt"
	"orrery/core/world"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "DefaultPreemption"

// Preemption is the plugin.
type Preemption struct {
	handle     fwk.Handle
	async      bool
	evaluator  *preempt.Evaluator
	departures *preempt.Departures // nil when another runtime hosts the plugin
}

var (
	_ fwk.PostFilterPlugin  = (*Preemption)(nil)
	_ fwk.PreEnqueuePlugin  = (*Preemption)(nil)
	_ fwk.EnqueueExtensions = (*Preemption)(nil)
	_ framework.Outcomes    = (*Preemption)(nil)
	_ framework.Forker      = (*Preemption)(nil)
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
	p := &Preemption{
		handle: h, async: features.Enabled(config.SchedulerAsyncPreemption),
		evaluator: preempt.NewEvaluator(h, preempt.Sample{
			Percent: int(*a.MinCandidateNodesPercentage), Least: int(*a.MinCandidateNodesAbsolute),
		}),
	}
	if actor, ok := h.(framework.Actor); ok {
		p.departures = preempt.NewDepartures(Name, h, actor)
	}
	return p, nil
}

// Name is the plugin's name.
func (*Preemption) Name() string { return Name }

// PostFilter looks for a node where room can be made. The status' message goes into the pod's condition.
func (p *Preemption) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, m fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	result, status := p.preempt(ctx, state, pod, m)
	if message := status.Message(); message != "" {
		return result, fwk.NewStatus(status.Code(), "preemption: "+message)
	}
	return result, status
}

func (p *Preemption) preempt(ctx context.Context, state fwk.CycleState, pod *v1.Pod, m fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	preemptor, err := p.evaluator.Preemptor(pod)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	record, helpless, status := p.evaluator.Find(ctx, state, preemptor, m)
	if helpless {
		return nominate(""), status
	}
	if record == nil {
		return nil, status
	}
	state.Write(preempt.RecordKey, record)
	if p.departures != nil {
		p.departures.Begin(preemptor, record)
	} else if err := p.evictDirectly(ctx, preemptor, record); err != nil {
		return nil, fwk.AsStatus(err)
	}
	return nominate(record.Node), nil
}

func nominate(node string) *fwk.PostFilterResult {
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}}
}

var stillPreempting = fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
	"waiting for the preemption for this pod to be finished").WithPlugin(Name)

// PreEnqueue holds a preemptor back whose victims are being asked to leave: tried before, it would preempt again.
func (p *Preemption) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if p.async && p.departures != nil && p.departures.Running(pod.UID) {
		return stillPreempting
	}
	return nil
}

// EventsToRegister names the event that a gate needs to have. Its hint never says yes: those who wait for the room
// that a deleted pod leaves are told by the plugins that rejected them.
func (p *Preemption) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
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

// Ended moves a preemption on.
func (p *Preemption) Ended(id world.EffectID, _ world.Act, out world.Outcome) {
	p.departures.Ended(id, out)
}

// ForkFrom takes over the preemptions under way.
func (p *Preemption) ForkFrom(old fwk.Plugin) { p.departures.ForkFrom(old.(*Preemption).departures) }
