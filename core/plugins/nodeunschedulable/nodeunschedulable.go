// Package nodeunschedulable keeps pods off cordoned nodes (spec.unschedulable), except those that tolerate the taint
// node.kubernetes.io/unschedulable:NoSchedule which the node controller puts on such a node.
package nodeunschedulable

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/plugins/hint"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "NodeUnschedulable"

// NodeUnschedulable is the plugin.
type NodeUnschedulable struct {
	numeric bool // tolerations may compare numbers
}

var (
	_ fwk.FilterPlugin      = (*NodeUnschedulable)(nil)
	_ fwk.EnqueueExtensions = (*NodeUnschedulable)(nil)
	_ framework.NodeLocal   = (*NodeUnschedulable)(nil)
)

var cordoned = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) were unschedulable").WithPlugin(Name)

// cordon is the taint that stands for spec.unschedulable, whether or not the node has it yet.
var cordon = v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	return &NodeUnschedulable{numeric: features.Enabled(config.TaintTolerationComparisonOperators)}, nil
}

// Name is the plugin's name.
func (*NodeUnschedulable) Name() string { return Name }

// NodeLocal says that the answer is the node's own.
func (*NodeUnschedulable) NodeLocal() {}

// Filter refuses a cordoned node to a pod that does not tolerate the cordon.
func (p *NodeUnschedulable) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if !node.Node().Spec.Unschedulable || p.toleratesCordon(pod) {
		return nil
	}
	return cordoned
}

func (p *NodeUnschedulable) toleratesCordon(pod *v1.Pod) bool {
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &cordon, p.numeric)
}

// EventsToRegister asks for nodes that can be used again, and for the pod's own new tolerations.
func (p *NodeUnschedulable) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeTaint},
			QueueingHintFn: p.afterNodeChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.UpdatePodToleration},
			QueueingHintFn: p.afterTolerationChange,
		},
	}, nil
}

func (*NodeUnschedulable) afterNodeChange(_ klog.Logger, _ *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Node](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	wasUsable := previous != nil && !previous.Spec.Unschedulable
	if current.Spec.Unschedulable || wasUsable {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

func (p *NodeUnschedulable) afterTolerationChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, updated, err := hint.Objects[*v1.Pod](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if updated.UID != pod.UID || !p.toleratesCordon(updated) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// SignPod says that the answer depends on the tolerations.
func (*NodeUnschedulable) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.TolerationsSignerName, Value: fwk.TolerationsSigner(pod)}}, nil
}
