package diagnose

import (
	"cmp"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/safe/plural"
)

// waiting says what a pod waits for besides its turn: its scheduling gates, its gang, or the victims on its nominated node. It
// is empty for other pods, and for those with a node that are bound.
func (p *pendingPod) waiting(e *Preemption) string {
	switch {
	case p.pod.Spec.NodeName != "":
		return ""
	case hasNode(p.engine, p.pod):
		return cmp.Or(p.binding(), p.gang())
	}
	if gates := p.pod.Spec.SchedulingGates; len(gates) > 0 {
		names := make([]string, len(gates))
		for i := range gates {
			names[i] = gates[i].Name
		}
		text := "held by its " + plural.Of(len(gates), "scheduling gate") + " " + listed(names)
		if created := p.pod.CreationTimestamp; !created.IsZero() { // gates cannot be added later
			text += " since " + created.UTC().Format(time.RFC3339)
		}
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
		return text + ", waiting for the eviction of " + plural.Count(len(e.Evicting), "victim")
	}
	victims, longest := p.victims(node)
	if victims == 0 {
		return text + ", tried again at its next turn"
	}
	text += ", waiting for " + plural.Count(victims, "victim") + " to terminate"
	if grace := longest.DeletionGracePeriodSeconds; grace != nil {
		left := max(longest.DeletionTimestamp.Sub(p.engine.Now()), 0).Round(time.Second)
		text += fmt.Sprintf(" (%s of %s grace left)", left, time.Duration(*grace)*time.Second)
	}
	return text
}

// victims counts the terminating pods of lower priority on the node, and returns the one that has the longest left.
func (p *pendingPod) victims(node string) (n int, longest *v1.Pod) {
	info := p.nodes[node]
	if info == nil {
		return 0, nil
	}
	for _, other := range info.GetPods() {
		pod := other.GetPod()
		if pod.DeletionTimestamp == nil || corev1.PodPriority(pod) >= corev1.PodPriority(p.pod) {
			continue
		}
		if n++; longest == nil || longest.DeletionTimestamp.Before(pod.DeletionTimestamp) {
			longest = pod
		}
	}
	return n, longest
}
