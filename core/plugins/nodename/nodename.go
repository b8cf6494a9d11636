// Package nodename holds a pod that names its node to that node.
//
// Pods that carry a node name normally never reach the queue; the plugin matters for the what-if of a pod that is
// already placed, and for other schedulers' pods that a filter is run for.
package nodename

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "NodeName"

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

// NodeLocal says that the answer is the node's own.
func (*NodeName) NodeLocal() {}

// Filter passes the named node, and every node where no name is given.
func (*NodeName) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if pod.Spec.NodeName == "" || pod.Spec.NodeName == node.Node().Name {
		return nil
	}
	return otherNode
}

// EventsToRegister asks for every new node: it may be the one that is named.
func (*NodeName) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}},
	}, nil
}

// SignPod says that the answer depends on the node name.
func (*NodeName) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.NodeNameSignerName, Value: pod.Spec.NodeName}}, nil
}
