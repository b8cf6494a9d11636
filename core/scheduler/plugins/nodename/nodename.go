// Package nodename keeps a pod with spec.nodeName on that node.
//
// Such pods normally never reach the queue; the plugin matters in a what-if about a pod that is already bound, and when
// Filter runs for the pods of other schedulers.
package nodename

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.NodeName

// NodeName is the plugin.
type NodeName struct{}

// Restricting is the plugin from 1.37 on: it also keeps the search to the named node, so that no other node is a target of preemption.
type Restricting struct{ NodeName }

var (
	_ fwk.FilterPlugin      = (*NodeName)(nil)
	_ fwk.EnqueueExtensions = (*NodeName)(nil)
	_ framework.NodeLocal   = (*NodeName)(nil)
	_ fwk.PreFilterPlugin   = (*Restricting)(nil)
)

var otherNode = fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
	"node(s) didn't match the requested node name").WithPlugin(Name)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	if features.Has(release.NodeNameRestricts) {
		return &Restricting{}, nil
	}
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

// PreFilter keeps the search to the named node, if the pod names one.
func (*Restricting) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if pod.Spec.NodeName == "" {
		return nil, nil
	}
	return &fwk.PreFilterResult{NodeNames: sets.New(pod.Spec.NodeName)}, nil
}

// PreFilterExtensions is nil: other pods do not matter.
func (*Restricting) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

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
