package tainttoleration

import (
	"context"
	"fmt"

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
const Name = "TaintToleration"

// TaintToleration is the plugin.
type TaintToleration struct {
	numeric bool // tolerations may compare numbers
}

var (
	_ fwk.FilterPlugin      = (*TaintToleration)(nil)
	_ fwk.PreScorePlugin    = (*TaintToleration)(nil)
	_ fwk.ScorePlugin       = (*TaintToleration)(nil)
	_ fwk.ScoreExtensions   = (*TaintToleration)(nil)
	_ fwk.EnqueueExtensions = (*TaintToleration)(nil)
	_ framework.NodeLocal   = (*TaintToleration)(nil)
)

// untolerated does not say which taint: the node's name and its taints are one look away, and with the taint in the
// text every node would be a reason of its own.
var untolerated = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) had untolerated taint(s)").WithPlugin(Name)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	return &TaintToleration{numeric: features.Enabled(config.TaintTolerationComparisonOperators)}, nil
}

// Name is the plugin's name.
func (*TaintToleration) Name() string { return Name }

// NodeLocal says that the answer is the node's own.
func (*TaintToleration) NodeLocal() {}

// Filter turns a node down for the first taint that keeps pods away and is not tolerated.
func (p *TaintToleration) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if p.tolerates(pod, node.Node()) {
		return nil
	}
	return untolerated
}

func (p *TaintToleration) tolerates(pod *v1.Pod, node *v1.Node) bool {
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		keepsAway := taint.Effect == v1.TaintEffectNoSchedule || taint.Effect == v1.TaintEffectNoExecute
		if keepsAway && !p.matches(pod.Spec.Tolerations, taint) {
			return false
		}
	}
	return true
}

func (p *TaintToleration) matches(tolerations []v1.Toleration, taint *v1.Taint) bool {
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, tolerations, taint, p.numeric)
}

// preferKey is where the tolerations that matter to the score wait for it.
const preferKey fwk.StateKey = "PreScore" + Name

// preferences are the pod's tolerations that may match a PreferNoSchedule taint.
type preferences struct{ tolerations []v1.Toleration }

// Clone returns the preferences themselves: nothing changes them.
func (p *preferences) Clone() fwk.StateData { return p }

// PreScore picks the tolerations that can match a PreferNoSchedule taint: those for that effect and those for any.
func (*TaintToleration) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	prefer := &preferences{}
	for _, toleration := range pod.Spec.Tolerations {
		if toleration.Effect == "" || toleration.Effect == v1.TaintEffectPreferNoSchedule {
			prefer.tolerations = append(prefer.tolerations, toleration)
		}
	}
	state.Write(preferKey, prefer)
	return nil
}

// Score counts the PreferNoSchedule taints that are not tolerated.
func (p *TaintToleration) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	data, err := state.Read(preferKey)
	if err != nil {
		return 0, fwk.AsStatus(fmt.Errorf("failed to read %q from cycleState: %w", preferKey, err))
	}
	prefer, ok := data.(*preferences)
	if !ok {
		return 0, fwk.AsStatus(fmt.Errorf("reading %q from cycleState: it is a %T", preferKey, data))
	}
	var count int64
	taints := node.Node().Spec.Taints
	for i := range taints {
		if taints[i].Effect == v1.TaintEffectPreferNoSchedule && !p.matches(prefer.tolerations, &taints[i]) {
			count++
		}
	}
	return count, nil
}

// ScoreExtensions is the plugin itself.
func (p *TaintToleration) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore turns counts into scores: none is 100 and the most there are on any node is 0.
func (*TaintToleration) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	var most int64
	for i := range scores {
		most = max(most, scores[i].Score)
	}
	for i := range scores {
		tainted := int64(0)
		if most > 0 {
			tainted = fwk.MaxNodeScore * scores[i].Score / most
		}
		scores[i].Score = fwk.MaxNodeScore - tainted
	}
	return nil
}

// EventsToRegister asks for nodes that lose what keeps the pod away, and for the pod's own new tolerations.
func (p *TaintToleration) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
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

func (p *TaintToleration) afterNodeChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Node](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	couldAlready := previous != nil && p.tolerates(pod, previous)
	if couldAlready || !p.tolerates(pod, current) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

func (*TaintToleration) afterTolerationChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	_, updated, err := hint.Objects[*v1.Pod](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if updated.UID != pod.UID {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// SignPod says that the answer depends on the tolerations.
func (*TaintToleration) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.TolerationsSignerName, Value: fwk.TolerationsSigner(pod)}}, nil
}
