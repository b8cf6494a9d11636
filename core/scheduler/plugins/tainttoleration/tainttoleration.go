package tainttoleration

import (
	"context"
	"fmt"

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
const Name = config.TaintToleration

// TaintToleration is the plugin.
type TaintToleration struct {
	numeric bool // tolerations may compare numbers (KEP-5471)
}

var (
	_ fwk.FilterPlugin      = (*TaintToleration)(nil)
	_ fwk.PreScorePlugin    = (*TaintToleration)(nil)
	_ fwk.ScorePlugin       = (*TaintToleration)(nil)
	_ fwk.ScoreExtensions   = (*TaintToleration)(nil)
	_ fwk.EnqueueExtensions = (*TaintToleration)(nil)
	_ framework.ScaledScore = (*TaintToleration)(nil)
)

// untolerated does not name the taint: reasons are counted by text, and one text per taint would split the count.
var untolerated = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) had untolerated taint(s)").WithPlugin(Name)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	pl := TaintToleration{numeric: features.Enabled(config.TaintTolerationComparisonOperators)}
	if features.Has(release.NodeNameRestricts) {
		return &prefiltering{pl}, nil
	}
	return &pl, nil
}

// prefiltering is the plugin from 1.37 on. There its PreFilter leaves out bound pods that wait for a resize, which none is by default: all that
// shows of it is that it is called.
type prefiltering struct{ TaintToleration }

var _ fwk.PreFilterPlugin = (*prefiltering)(nil)

// PreFilter restricts nothing.
func (*prefiltering) PreFilter(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return nil, nil
}

// PreFilterExtensions is nil: other pods do not matter.
func (*prefiltering) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Name is the plugin's name.
func (*TaintToleration) Name() string { return Name }

// AppendSignature appends the tolerations.
func (*TaintToleration) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	return to.Tolerations(pod.Spec.Tolerations), true
}

// Filter rejects a node with a NoSchedule or NoExecute taint that the pod does not tolerate.
func (p *TaintToleration) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if p.tolerates(pod, node.Node()) {
		return nil
	}
	return untolerated
}

func (p *TaintToleration) tolerates(pod *v1.Pod, node *v1.Node) bool {
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if excludes(taint) && !p.toleratesTaint(pod.Spec.Tolerations, taint) {
			return false
		}
	}
	return true
}

// excludes reports whether a taint keeps pods away that do not tolerate it.
func excludes(taint *v1.Taint) bool {
	return taint.Effect == v1.TaintEffectNoSchedule || taint.Effect == v1.TaintEffectNoExecute
}

func (p *TaintToleration) toleratesTaint(tolerations []v1.Toleration, taint *v1.Taint) bool {
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, tolerations, taint, p.numeric)
}

// scoreKey is the key of the preferences in the cycle state.
const scoreKey fwk.StateKey = "PreScore" + Name

// preferences are the pod's tolerations that may match a PreferNoSchedule taint.
type preferences struct{ tolerations []v1.Toleration }

var noPreferences = &preferences{}

// Clone returns the preferences themselves: nothing changes them.
func (p *preferences) Clone() fwk.StateData { return p }

// PreScore picks the tolerations that can match a PreferNoSchedule taint: those for that effect and those for any.
func (*TaintToleration) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	prefer := noPreferences
	for _, toleration := range pod.Spec.Tolerations {
		if toleration.Effect == "" || toleration.Effect == v1.TaintEffectPreferNoSchedule {
			prefer = &preferences{append(prefer.tolerations, toleration)}
		}
	}
	state.Write(scoreKey, prefer)
	return nil
}

// Score counts the PreferNoSchedule taints that are not tolerated.
func (p *TaintToleration) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	prefer, err := framework.ReadState[*preferences](state, scoreKey)
	if err != nil {
		return 0, fwk.AsStatus(fmt.Errorf("failed to read %q from cycleState: %w", scoreKey, err))
	}
	var count int64
	taints := node.Node().Spec.Taints
	for i := range taints {
		if taints[i].Effect == v1.TaintEffectPreferNoSchedule && !p.toleratesTaint(prefer.tolerations, &taints[i]) {
			count++
		}
	}
	return count, nil
}

// ScoreExtensions is the plugin itself.
func (p *TaintToleration) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore turns counts into scores: none is 100 and the most there are on any node is 0.
func (*TaintToleration) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	framework.ScaleScores(scores)
	for i := range scores {
		scores[i].Score = fwk.MaxScore - scores[i].Score
	}
	return nil
}

// Reversed reports that the node with the most taints gets 0.
func (*TaintToleration) Reversed() bool { return true }

// EventsToRegister returns the events that can remove a taint or add a toleration to the pod.
func (p *TaintToleration) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
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

func (p *TaintToleration) isSchedulableAfterNodeChange(pod *v1.Pod, previous, current *v1.Node) bool {
	tolerated := previous != nil && p.tolerates(pod, previous)
	return !tolerated && p.tolerates(pod, current)
}

func (*TaintToleration) isSchedulableAfterPodTolerationChange(pod *v1.Pod, _, updated *v1.Pod) bool {
	return updated.UID == pod.UID
}

// SignPod signs the tolerations.
func (*TaintToleration) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.TolerationsSignerName, Value: fwk.TolerationsSigner(pod)}}, nil
}
