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

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/hint"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.NodeUnschedulable

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

// unschedulableTaint is the taint that stands for spec.unschedulable, whether or not the node has it yet.
var unschedulableTaint = v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	pl := NodeUnschedulable{numeric: features.Enabled(config.TaintTolerationComparisonOperators)}
	if features.Has(release.NodeNameRestricts) {
		return &prefiltering{pl}, nil
	}
	return &pl, nil
}

// prefiltering is the plugin from 1.37 on. There its PreFilter leaves out bound pods that wait for a resize, which none is by default: all that
// shows of it is that it is called.
type prefiltering struct{ NodeUnschedulable }

var _ fwk.PreFilterPlugin = (*prefiltering)(nil)

// PreFilter restricts nothing.
func (*prefiltering) PreFilter(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return nil, nil
}

// PreFilterExtensions is nil: other pods do not matter.
func (*prefiltering) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Name is the plugin's name.
func (*NodeUnschedulable) Name() string { return Name }

// AppendSignature appends whether the pod tolerates a cordon.
func (p *NodeUnschedulable) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	return to.Flag(p.toleratesUnschedulable(pod)), true
}

// Filter rejects a cordoned node unless the pod tolerates the unschedulable taint.
func (p *NodeUnschedulable) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if !node.Node().Spec.Unschedulable || p.toleratesUnschedulable(pod) {
		return nil
	}
	return cordoned
}

func (p *NodeUnschedulable) toleratesUnschedulable(pod *v1.Pod) bool {
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &unschedulableTaint, p.numeric)
}

// EventsToRegister returns the events that can uncordon a node or add a toleration to the pod.
func (p *NodeUnschedulable) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeTaint},
			QueueingHintFn: hint.Of(p.isSchedulableAfterNodeChange),
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.UpdatePodToleration},
			QueueingHintFn: hint.Of(p.isSchedulableAfterPodTolerationChange),
		},
	}, nil
}

func (*NodeUnschedulable) isSchedulableAfterNodeChange(_ *v1.Pod, previous, current *v1.Node) bool {
	wasSchedulable := previous != nil && !previous.Spec.Unschedulable
	return !current.Spec.Unschedulable && !wasSchedulable
}

func (p *NodeUnschedulable) isSchedulableAfterPodTolerationChange(pod *v1.Pod, _, updated *v1.Pod) bool {
	return updated.UID == pod.UID && p.toleratesUnschedulable(updated)
}

// SignPod signs the tolerations.
func (*NodeUnschedulable) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.TolerationsSignerName, Value: fwk.TolerationsSigner(pod)}}, nil
}
