package play

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/trace"
	"orrery/core/world"
)

// lookout notices what is worth a mark.
type lookout struct {
	failed  bool
	leaving map[types.UID]bool
	holders map[string]string // of leases, by namespace and name
}

func newLookout() lookout {
	return lookout{leaving: map[types.UID]bool{}, holders: map[string]string{}}
}

// input says what an input is worth: at most one mark.
func (l *lookout) input(e world.Event) (trace.Mark, bool) {
	switch ev := e.(type) {
	case world.Changed:
		switch o := ev.Object.(type) {
		case *v1.Pod:
			return l.pod(ev.Op, o)
		case *coordinationv1.Lease:
			return l.lease(o)
		}
	case world.Listed:
		if ev.Kind == world.Lease {
			for _, o := range ev.Objects {
				l.lease(o.(*coordinationv1.Lease)) // who holds it when a trace begins is no change
			}
		}
	}
	return trace.Mark{}, false
}

// pod marks the first sign that a pod was made to leave. Preemption is marked where it is decided.
func (l *lookout) pod(op world.Op, pod *v1.Pod) (trace.Mark, bool) {
	if op == world.Deleted {
		delete(l.leaving, pod.UID)
		return trace.Mark{}, false
	}
	evicted := pod.Status.Phase == v1.PodFailed // a kubelet ends a pod, and leaves it to others to delete it
	if pod.DeletionTimestamp == nil && !evicted || l.leaving[pod.UID] {
		return trace.Mark{}, false
	}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type != v1.DisruptionTarget || c.Status != v1.ConditionTrue || c.Reason == v1.PodReasonPreemptionByScheduler {
			continue
		}
		l.leaving[pod.UID] = true
		text := fmt.Sprintf("%s/%s has to leave: %s", pod.Namespace, pod.Name, c.Reason)
		return trace.Mark{Kind: trace.Eviction, Pod: world.RefOf(pod), Text: text}, true
	}
	return trace.Mark{}, false
}

func (l *lookout) lease(lease *coordinationv1.Lease) (trace.Mark, bool) {
	holder := ""
	if lease.Spec.HolderIdentity != nil {
		holder = *lease.Spec.HolderIdentity
	}
	key := lease.Namespace + "/" + lease.Name
	before, known := l.holders[key]
	l.holders[key] = holder
	if !known || before == holder {
		return trace.Mark{}, false
	}
	return trace.Mark{Kind: trace.LeaderChange, Text: fmt.Sprintf("%s passed from %q to %q", key, before, holder)}, true
}

// decision says what a decision is worth.
func (l *lookout) decision(d *trace.Decision) (trace.Mark, bool) {
	pod := d.Pod.String()
	switch {
	case d.Victims > 0:
		text := fmt.Sprintf("%s takes the place of %d on %s", pod, d.Victims, d.Nominated)
		return trace.Mark{Kind: trace.Preemption, Pod: d.Pod, Text: text}, true
	case !l.failed && (d.Verdict == trace.Unschedulable || d.Verdict == trace.Failed):
		l.failed = true
		return trace.Mark{Kind: trace.FirstFailure, Pod: d.Pod, Text: pod + " found no place"}, true
	}
	return trace.Mark{}, false
}

// of says what a record is worth.
func (l *lookout) of(b trace.Body) (trace.Mark, bool) {
	switch b := b.(type) {
	case trace.Input:
		return l.input(b.Event)
	case trace.Decision:
		return l.decision(&b)
	}
	return trace.Mark{}, false
}
