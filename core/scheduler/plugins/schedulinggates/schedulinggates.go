// Package schedulinggates keeps a pod out of the active queue while it carries scheduling gates.
//
// The plugin works at PreEnqueue alone (KEP-3521): a gated pod never costs a scheduling attempt. The pod is queued when its last gate
// is removed; removing one of several leaves it gated.
package schedulinggates

import (
	"context"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/hint"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.SchedulingGates

// SchedulingGates is the plugin.
type SchedulingGates struct{}

var (
	_ fwk.PreEnqueuePlugin  = (*SchedulingGates)(nil)
	_ fwk.EnqueueExtensions = (*SchedulingGates)(nil)
)

// New makes the plugin; it takes no arguments.
func New(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return &SchedulingGates{}, nil
}

// Name is the plugin's name.
func (*SchedulingGates) Name() string { return Name }

// PreEnqueue rejects a pod with gates and names them.
func (*SchedulingGates) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	gates := pod.Spec.SchedulingGates
	if len(gates) == 0 {
		return nil
	}
	names := make([]string, len(gates))
	for i := range gates {
		names[i] = gates[i].Name
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
		"waiting for scheduling gates: ["+strings.Join(names, " ")+"]").WithPlugin(Name)
}

// EventsToRegister returns the only event that can ungate a pod.
func (g *SchedulingGates) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{
		Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.UpdatePodSchedulingGatesEliminated},
		QueueingHintFn: hint.Of(g.isSchedulableAfterGatesRemoved),
	}}, nil
}

func (*SchedulingGates) isSchedulableAfterGatesRemoved(pod *v1.Pod, _, updated *v1.Pod) bool {
	return updated.UID == pod.UID
}
