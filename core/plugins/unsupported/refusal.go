package unsupported

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/hint"
)

// refusal is the part that all plugins of this package share.
type refusal struct {
	name string
	// uses names the unsupported feature that a pod uses; empty if it uses none.
	uses func(*v1.Pod) string
}

// Name is the plugin's name.
func (r *refusal) Name() string { return r.name }

// refuse rejects a pod that uses an unsupported feature.
func (r *refusal) refuse(pod *v1.Pod) *fwk.Status {
	what := r.uses(pod)
	if what == "" {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
		"Orrery cannot place a pod that uses "+what+" yet").WithPlugin(r.name)
}

// EventsToRegister returns updates of the pod itself.
func (r *refusal) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{
		Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Update},
		QueueingHintFn: r.isSchedulableAfterPodUpdate,
	}}, nil
}

func (r *refusal) isSchedulableAfterPodUpdate(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, updated, err := hint.Objects[*v1.Pod](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	return hint.QueueIf(updated.UID == pod.UID && r.uses(updated) == ""), nil
}

var skip = fwk.NewStatus(fwk.Skip)

// filtering is a refusal at PreFilter. Filter is skipped for the pods that pass it.
type filtering struct{ refusal }

// PreFilter rejects the pod, or skips Filter.
func (f *filtering) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if refused := f.refuse(pod); refused != nil {
		return nil, refused
	}
	return nil, skip
}

// PreFilterExtensions is nil: nothing is counted.
func (*filtering) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter accepts every node.
func (*filtering) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	return nil
}

// NodeLocal promises that the verdict, always success, is the same for every node.
func (*filtering) NodeLocal() {}
