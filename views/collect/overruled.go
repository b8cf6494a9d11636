package collect

import (
	"strconv"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/shadow"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
	"orrery/views"
)

// Overruled adds to a model how the cluster's scheduler and this one compare where it bound a pod to another node.
func Overruled(m *views.Model, e *engine.Engine, j *shadow.Comparator, pod world.PodRef) {
	if m.Queue != nil {
		for i := range m.Queue.Transitions {
			t := &m.Queue.Transitions[i]
			if o, ok := j.Overruled(types.UID(t.UID)); ok && t.Event == queue.BoundByOther {
				t.Ours, t.Comparison = printable.Text(o.Ours), comparisonOf(o)
			}
		}
	}
	if m.Journey == nil {
		return
	}
	if known := e.Store().Pod(pod.Namespace, pod.Name); known != nil {
		pod.UID = known.UID
	}
	for i := range m.Journey.Steps.Rows {
		step := &m.Journey.Steps.Rows[i]
		if o, ok := j.Overruled(pod.UID); ok && step.Event == queue.BoundByOther {
			if text := comparisonOf(o); text != "" {
				step.Note += ", which is " + text
			}
		}
	}
}

// comparisonOf returns how this scheduler's node compares with the one that a pod was bound to; empty as long as the two are not
// compared.
func comparisonOf(o shadow.Overruled) string {
	switch {
	case !o.Compared:
		return ""
	case !o.RealFeasible:
		return "the other is not feasible"
	case !o.OursFeasible:
		return "no longer feasible"
	case o.Lead == 0:
		return "as good"
	case o.Lead < 0:
		return strconv.FormatInt(-o.Lead, 10) + " points worse"
	case o.Class == shadow.Explained:
		return "better by what it had not seen"
	}
	return strconv.FormatInt(o.Lead, 10) + " points better"
}
