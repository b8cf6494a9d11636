package collect

import (
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	corev1 "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"orrery/core/engine"
	"orrery/core/printable"
)

// plainly is a reason in a sentence about nodes, which need not be said to be nodes again.
func plainly(reason string) string { return strings.TrimPrefix(printable.Text(reason), "node(s) ") }

// remedy says what would have to be otherwise for a pod to fit on the nodes that one plugin alone keeps it from, and on how
// many.
func remedy(e *engine.Engine, x *engine.Explanation, h hindrance) string {
	would := nodes(len(h.nodes)) + " would do "
	pod := e.Store().Pod(x.Decision.Pod.Namespace, x.Decision.Pod.Name)
	if pod == nil {
		return would + "but for: " + printable.Text(h.reason)
	}
	switch h.plugin {
	case "NodeUnschedulable":
		return would + "once uncordoned"
	case "TaintToleration":
		if taints := untolerated(e, pod, h.nodes); len(taints) > 0 {
			return would + "with a toleration of " + printable.Text(strings.Join(taints, " or "))
		}
	case "PodTopologySpread":
		if keys := spreads(pod); len(keys) > 0 {
			return would + "if it might be spread less evenly: " + printable.Text(strings.Join(keys, ", "))
		}
	}
	return would + "but for: " + printable.Text(h.reason)
}

// mostTaints is how many taints are named; the one in the way of most pods is among them.
const mostTaints = 2

// untolerated are the taints that keep a pod from nodes, each once.
func untolerated(e *engine.Engine, pod *v1.Pod, names []string) []string {
	var found []string
	for _, name := range names {
		info, err := e.Snapshot().Get(name)
		if err != nil {
			continue
		}
		taint, is := corev1.FindMatchingUntoleratedTaint(klog.Logger{}, info.Node().Spec.Taints, pod.Spec.Tolerations, func(t *v1.Taint) bool {
			return t.Effect == v1.TaintEffectNoSchedule || t.Effect == v1.TaintEffectNoExecute
		}, true)
		if is && !slices.Contains(found, taint.ToString()) {
			if found = append(found, taint.ToString()); len(found) == mostTaints {
				break
			}
		}
	}
	return found
}

// spreads are the constraints that a pod insists on, in words.
func spreads(pod *v1.Pod) []string {
	var words []string
	for i := range pod.Spec.TopologySpreadConstraints {
		if c := &pod.Spec.TopologySpreadConstraints[i]; c.WhenUnsatisfiable == v1.DoNotSchedule {
			words = append(words, "maxSkew "+strconv.Itoa(int(c.MaxSkew))+" over "+c.TopologyKey)
		}
	}
	return words
}
