package framework

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// preEnqueue is a PreEnqueue plugin for the queue, which calls it.
type preEnqueue struct {
	fwk.PreEnqueuePlugin
	profile *Profile
}

func (e preEnqueue) PreEnqueue(ctx context.Context, pod *v1.Pod) (status *fwk.Status) {
	defer e.profile.recovered(PreEnqueue, e.Name(), pod, &status)
	return e.PreEnqueuePlugin.PreEnqueue(ctx, pod)
}

// forQueue returns a PreEnqueue plugin as the queue calls it.
func (p *Profile) forQueue(plugin fwk.PreEnqueuePlugin) fwk.PreEnqueuePlugin {
	guarded := preEnqueue{plugin, p}
	if gate, is := plugin.(GroupGate); is {
		return groupGate{guarded, gate}
	}
	return guarded
}

// groupGate is a preEnqueue of a GroupGate.
type groupGate struct {
	preEnqueue
	gate GroupGate
}

// GateGroup returns the group that the plugin says; none if it panics.
func (g groupGate) GateGroup(pod *v1.Pod) (group any) {
	var status *fwk.Status
	defer g.profile.recovered(PreEnqueue, g.Name(), pod, &status)
	return g.gate.GateGroup(pod)
}

// RecoverHints is a plugin's registration of events for the queue, which calls the hints. A panic of a hint is its error: the
// event counts as one that helps.
func (p *Profile) RecoverHints(extension fwk.EnqueueExtensions) fwk.EnqueueExtensions {
	return recoveredHints{extension, p}
}

type recoveredHints struct {
	fwk.EnqueueExtensions
	profile *Profile
}

// EventsToRegister returns the plugin's events.
func (r recoveredHints) EventsToRegister(ctx context.Context) (events []fwk.ClusterEventWithHint, err error) {
	defer r.profile.recoveredError(eventsToRegister, r.Name(), nil, &err)
	events, err = r.EnqueueExtensions.EventsToRegister(ctx)
	events = slices.Clone(events)
	for i := range events {
		if hint := events[i].QueueingHintFn; hint != nil {
			events[i].QueueingHintFn = r.recovering(hint)
		}
	}
	return events, err
}

func (r recoveredHints) recovering(hint fwk.QueueingHintFn) fwk.QueueingHintFn {
	plugin := r.Name()
	return func(logger klog.Logger, pod *v1.Pod, was, is any) (verdict fwk.QueueingHint, err error) {
		defer r.profile.recoveredError(queueingHint, plugin, pod, &err)
		return hint(logger, pod, was, is)
	}
}
