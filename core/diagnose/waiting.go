package diagnose

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/engine"
	"orrery/core/world"
)

// waiting says what a pod waits for besides its turn: its scheduling gates, or the victims on its nominated node. It is
// empty for other pods, and for those with a node.
func (p *pendingPod) waiting(e *Preemption) string {
	if hasNode(p.engine, p.pod) {
		return p.binding()
	}
	if gates := p.pod.Spec.SchedulingGates; len(gates) > 0 {
		names := make([]string, len(gates))
		for i := range gates {
			names[i] = gates[i].Name
		}
		text := "held by its scheduling gate"
		if len(gates) > 1 {
			text += "s"
		}
		text += " " + listed(names)
		if created := p.pod.CreationTimestamp; !created.IsZero() { // gates cannot be added later
			text += " since " + created.UTC().Format(time.RFC3339)
		}
		return text
	}
	node, nominated := p.engine.Queue().NominatedNode(p.pod)
	if !nominated {
		return ""
	}
	text := "nominated to " + node
	if e != nil && len(e.Evicting) > 0 {
		return text + ", waiting for the eviction of " + counted(len(e.Evicting), "victim")
	}
	victims, longest := p.victims(node)
	if victims == 0 {
		return text + ", tried again at its next turn"
	}
	text += ", waiting for " + counted(victims, "victim") + " to terminate"
	if grace := longest.DeletionGracePeriodSeconds; grace != nil {
		left := max(longest.DeletionTimestamp.Sub(p.engine.Now()), 0).Round(time.Second)
		text += fmt.Sprintf(" (%s of %s grace left)", left, time.Duration(*grace)*time.Second)
	}
	return text
}

// ofOtherScheduler is the diagnosis of a pod that asks for a scheduler which no profile is.
func ofOtherScheduler(e *engine.Engine, pod *v1.Pod) *Diagnosis {
	d := &Diagnosis{Explanation: &engine.Explanation{
		Decision: engine.Decision{Pod: world.PodRefOf(pod), Verdict: engine.Skipped}, State: e.PodState(pod.Namespace, pod.Name),
	}}
	if pod.Spec.NodeName != "" {
		d.Summary = fmt.Sprintf("scheduler %q has placed it on %s", pod.Spec.SchedulerName, pod.Spec.NodeName)
	} else {
		d.Waiting = fmt.Sprintf("waits for scheduler %q; no profile here has that name", pod.Spec.SchedulerName)
		d.Summary = fmt.Sprintf("spec.schedulerName is %q; the profiles here are %q", pod.Spec.SchedulerName, e.Profiles())
	}
	d.Decision.Message = d.Summary
	return d
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
