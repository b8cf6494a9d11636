// Package schedulinggates keeps a pod out of the active queue while it carries scheduling gates.
//
// The plugin works at PreEnqueue alone: a gated pod never costs a scheduling attempt. It is woken when its own gates
// have all gone; removing some of several gates leaves it gated and wakes nothing.
package schedulinggates

import (
	"context"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/plugins/hint"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "SchedulingGates"

// Gates is the plugin.
type Gates struct{}

var (
	_ fwk.PreEnqueuePlugin  = (*Gates)(nil)
	_ fwk.EnqueueExtensions = (*Gates)(nil)
)

// New makes the plugin; it takes no arguments.
func New(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return &Gates{}, nil
}

// Name is the plugin's name.
func (*Gates) Name() string { return Name }

// PreEnqueue refuses a pod that has gates and names them all.
func (*Gates) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
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

// EventsToRegister names the one event that can let a gated pod through.
func (g *Gates) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{
		Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.UpdatePodSchedulingGatesEliminated},
		QueueingHintFn: g.afterGatesAreGone,
	}}, nil
}

func (*Gates) afterGatesAreGone(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, updated, err := hint.Objects[*v1.Pod](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if updated.UID != pod.UID {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}
