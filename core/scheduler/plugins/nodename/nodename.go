// Package nodename keeps a pod with spec.nodeName on that node.
//
// Such pods normally never reach the queue; the plugin matters in a what-if about a pod that is already bound, and when
// Filter runs for the pods of other schedulers.
package nodename

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.NodeName

// NodeName is the plugin.
type NodeName struct{}

var (
	_ fwk.FilterPlugin      = (*NodeName)(nil)
	_ fwk.EnqueueExtensions = (*NodeName)(nil)
	_ framework.NodeLocal   = (*NodeName)(nil)
)

var otherNode = fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
	"node(s) didn't match the requested node name").WithPlugin(Name)

// New makes the plugin; it takes no arguments.
func New(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return &NodeName{}, nil
}

// Name is the plugin's name.
func (*NodeName) Name() string { return Name }

// AppendSignature appends the node's name.
func (*NodeName) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	return to.Text(pod.Spec.NodeName), true
}

// Filter accepts the named node, and every node if the pod names none.
func (*NodeName) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if pod.Spec.NodeName == "" || pod.Spec.NodeName == node.Node().Name {
		return nil
	}
	return otherNode
}

// EventsToRegister returns the addition of a node: it may be the named one.
func (*NodeName) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}},
	}, nil
}

// SignPod signs the node name.
func (*NodeName) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.NodeNameSignerName, Value: pod.Spec.NodeName}}, nil
}
