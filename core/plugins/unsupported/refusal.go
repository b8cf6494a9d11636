package unsupported

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/hint"
)

// refusal is what all plugins of this package have in common.
type refusal struct {
	name string
	// uses names what a pod uses that cannot be provided; it is empty for a pod that uses no such thing.
	uses func(*v1.Pod) string
}

// Name is the plugin's name.
func (r *refusal) Name() string { return r.name }

// refuse is nil for a pod that can go on.
func (r *refusal) refuse(pod *v1.Pod) *fwk.Status {
	what := r.uses(pod)
	if what == "" {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
		"Orrery cannot place a pod that uses "+what+" yet").WithPlugin(r.name)
}

// EventsToRegister asks for updates of the pod itself.
func (r *refusal) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{
		Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Update},
		QueueingHintFn: r.afterPodUpdate,
	}}, nil
}

func (r *refusal) afterPodUpdate(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, updated, err := hint.Objects[*v1.Pod](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if updated.UID != pod.UID || r.uses(updated) != "" {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

var nothingToDo = fwk.NewStatus(fwk.Skip)

// filtering is a refusal at PreFilter. The Filter of a pod that got past it is skipped.
type filtering struct{ refusal }

// PreFilter refuses the pod or has nothing to do for it.
func (f *filtering) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if refused := f.refuse(pod); refused != nil {
		return nil, refused
	}
	return nil, nothingToDo
}

// PreFilterExtensions are not needed: nothing is counted.
func (*filtering) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter passes every node.
func (*filtering) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	return nil
}

// NodeLocal says that the answer, always yes, is the same for every node.
func (*filtering) NodeLocal() {}
