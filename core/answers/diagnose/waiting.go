package diagnose

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/answers/answer"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/plugins/schedulinggates"
)

// waiting says what a pod waits for besides its turn: its scheduling gates, its gang, or the victims on its nominated node. It
// is empty for other pods, and for those with a node that are bound.
func (p *pendingPod) waiting(e *answer.PreemptionEvidence) string {
	switch {
	case p.pod.Spec.NodeName != "":
		return ""
	case hasNode(p.engine, p.pod):
		return cmp.Or(p.binding(), p.gang())
	}
	if text := schedulinggates.HeldText(p.pod); text != "" {
		return text
	}
	if text := p.gang(); text != "" {
		return text
	}
	node, nominated := p.engine.Queue().NominatedNode(p.pod)
	if !nominated {
		return ""
	}
	text := "nominated to " + node
	if e != nil && len(e.Evicting) > 0 {
		return text + ", waiting for the eviction of " + victimNames(e.Evicting)
	}
	victims := p.victims(node)
	if len(victims) == 0 {
		return text + ", will be retried"
	}
	longest := victims[0]
	text += ", waiting for " + plural.Of(len(victims), "victim") + " " + podNames(victims) + " to terminate"
	if grace := longest.DeletionGracePeriodSeconds; grace != nil {
		whole := answer.Span(time.Duration(*grace) * time.Second)
		if left := longest.DeletionTimestamp.Sub(p.engine.Now()); left > 0 {
			text += " (" + answer.Span(left) + " of " + whole + " grace left)"
		} else {
			text += " (its " + whole + " of grace ended " + answer.Span(-left) + " ago)"
		}
	}
	for _, pod := range victims {
		if len(pod.Finalizers) > 0 {
			text += "; finalizer " + listed(pod.Finalizers) + " keeps " + fullName(pod)
		}
	}
	return text
}

func victimNames(victims []answer.Victim) string {
	names := make([]string, len(victims))
	for i := range victims {
		names[i] = victims[i].Pod
	}
	return listed(names)
}

func podNames(pods []*v1.Pod) string {
	names := make([]string, len(pods))
	for i := range pods {
		names[i] = fullName(pods[i])
	}
	return listed(names)
}

// victims are the terminating pods of lower priority on the node, the one that has the longest left first.
func (p *pendingPod) victims(node string) []*v1.Pod {
	info := p.nodes[node]
	if info == nil {
		return nil
	}
	var victims []*v1.Pod
	for _, other := range info.GetPods() {
		if pod := other.GetPod(); pod.DeletionTimestamp != nil && corev1.PodPriority(pod) < corev1.PodPriority(p.pod) {
			victims = append(victims, pod)
		}
	}
	slices.SortStableFunc(victims, func(a, b *v1.Pod) int {
		return cmp.Or(b.DeletionTimestamp.Compare(a.DeletionTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return victims
}
