package unsupported

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/plugins/hint"
)

// GangScheduling is the name of the plugin for gangs, in configurations, metrics and statuses.
const GangScheduling = "GangScheduling"

// Gang is the plugin GangScheduling. It rejects at PreEnqueue: a pod of a gang gets no scheduling attempt, in which it could
// preempt others. So the rejection is reported as an event.
type Gang struct{ enabled bool }

var (
	_ fwk.PreEnqueuePlugin  = (*Gang)(nil)
	_ fwk.ReservePlugin     = (*Gang)(nil)
	_ fwk.PermitPlugin      = (*Gang)(nil)
	_ fwk.EnqueueExtensions = (*Gang)(nil)
	_ framework.Refuser     = (*Gang)(nil)
)

// NewGangScheduling makes the plugin. It rejects nothing without its gate.
func NewGangScheduling(_ context.Context, _ runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	return &Gang{features.Enabled(config.GangScheduling)}, nil
}

// Name is the plugin's name.
func (*Gang) Name() string { return GangScheduling }

var refusal = fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
	"Orrery cannot place a pod that uses a gang (spec.workloadRef) yet").WithPlugin(GangScheduling)

// PreEnqueue rejects a pod of a workload.
func (g *Gang) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if g.enabled && pod.Spec.WorkloadRef != nil {
		return refusal
	}
	return nil
}

// EventsToRegister returns updates of the pod itself: only they can take it out of its gang.
func (g *Gang) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{
		Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Update},
		QueueingHintFn: g.afterPod,
	}}, nil
}

func (g *Gang) afterPod(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, updated, err := hint.Objects[*v1.Pod](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	return hint.QueueIf(updated.UID == pod.UID && (!g.enabled || updated.Spec.WorkloadRef == nil)), nil
}

// Refuser has the rejections reported.
func (*Gang) Refuser() {}

// Reserve has nothing to reserve.
func (*Gang) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status { return nil }

// Unreserve has nothing to release.
func (*Gang) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

// Permit accepts every pod.
func (*Gang) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	return nil, 0
}
