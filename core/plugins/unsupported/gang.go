package unsupported

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
)

// GangScheduling is the name of the plugin for gangs, in configurations, metrics and statuses.
const GangScheduling = "GangScheduling"

// Gang is the plugin GangScheduling. It rejects at PreEnqueue: a pod of a gang gets no scheduling attempt, in which it could
// preempt others. So the rejection is reported as an event.
type Gang struct{ refusal }

var (
	_ fwk.PreEnqueuePlugin  = (*Gang)(nil)
	_ fwk.ReservePlugin     = (*Gang)(nil)
	_ fwk.PermitPlugin      = (*Gang)(nil)
	_ fwk.EnqueueExtensions = (*Gang)(nil)
	_ framework.Refuser     = (*Gang)(nil)
)

// NewGangScheduling makes the plugin; it takes no arguments. Without the gate GangScheduling it does nothing.
func NewGangScheduling(_ context.Context, _ runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	enabled := features.Enabled(config.GangScheduling)
	uses := func(pod *v1.Pod) string {
		if !enabled || pod.Spec.WorkloadRef == nil {
			return ""
		}
		return "a gang (spec.workloadRef)"
	}
	return &Gang{refusal{GangScheduling, uses}}, nil
}

// PreEnqueue rejects a pod of a workload.
func (g *Gang) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status { return g.refuse(pod) }

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
