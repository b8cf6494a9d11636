package diagnose

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// ofOtherScheduler is the diagnosis of a pod whose schedulerName is that of no profile.
func ofOtherScheduler(e *engine.Engine, pod *v1.Pod) *Diagnosis {
	d := undecided(e, pod, engine.Skipped)
	name := pod.Spec.SchedulerName
	switch {
	case pod.Spec.NodeName != "":
		d.Summary = fmt.Sprintf("scheduler %q has placed it on %s", name, pod.Spec.NodeName)
	case d.Lifecycle.Leaves():
		d.Summary = d.Lifecycle.Text()
	default:
		d.Waiting = fmt.Sprintf("waits for scheduler %q; no profile here has that name", name)
		d.Summary = fmt.Sprintf("spec.schedulerName is %q; the profiles here are %q; %s", name, e.Profiles(), signsOfLife(e, name))
	}
	d.Decision.Message, d.Finding = d.Summary, d.Summary
	return d
}

// signsOfLife says what tells that a scheduler runs: the pods that it has placed.
func signsOfLife(e *engine.Engine, name string) string {
	placed, last := 0, time.Time{}
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Spec.SchedulerName != name || pod.Spec.NodeName == "" {
			continue
		}
		placed++
		for i := range pod.Status.Conditions {
			if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.LastTransitionTime.After(last) {
				last = c.LastTransitionTime.UTC()
			}
		}
	}
	text := "it has placed none of the pods here"
	if placed > 0 {
		text = "it has placed " + plural.Count(placed, "pod") + " here"
	}
	if !last.IsZero() {
		text += ", the last at " + last.Format(time.RFC3339)
	}
	return text
}
