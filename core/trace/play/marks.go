package play

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/plural"
	"orrery/core/trace"
	"orrery/core/world"
)

// markDetector decides which records get a mark.
type markDetector struct {
	failureSeen bool
	terminating map[types.UID]bool
	holders     map[string]string // of leases, by namespace/name
}

func newMarkDetector() markDetector {
	return markDetector{terminating: map[types.UID]bool{}, holders: map[string]string{}}
}

// input returns the mark of an input, if any.
func (l *markDetector) input(e world.Event) (trace.Mark, bool) {
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
				l.lease(o.(*coordinationv1.Lease)) // the first holder in a trace is no change
			}
		}
	}
	return trace.Mark{}, false
}

// pod marks the first sign of a pod's eviction. Preemption is marked at its decision.
func (l *markDetector) pod(op world.Op, pod *v1.Pod) (trace.Mark, bool) {
	if op == world.Deleted {
		delete(l.terminating, pod.UID)
		return trace.Mark{}, false
	}
	evicted := pod.Status.Phase == v1.PodFailed // a kubelet fails a pod and leaves its deletion to others
	if pod.DeletionTimestamp == nil && !evicted || l.terminating[pod.UID] {
		return trace.Mark{}, false
	}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type != v1.DisruptionTarget || c.Status != v1.ConditionTrue || c.Reason == v1.PodReasonPreemptionByScheduler {
			continue
		}
		l.terminating[pod.UID] = true
		text := fmt.Sprintf("%s/%s evicted: %s", pod.Namespace, pod.Name, c.Reason)
		return trace.Mark{Kind: trace.Eviction, Pod: world.PodRefOf(pod), Text: text}, true
	}
	return trace.Mark{}, false
}

func (l *markDetector) lease(lease *coordinationv1.Lease) (trace.Mark, bool) {
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
	text := fmt.Sprintf("%s: %s became leader", key, holder)
	if holder == "" {
		text = fmt.Sprintf("%s: %s released the lease", key, before)
	}
	return trace.Mark{Kind: trace.LeaderChange, Text: text}, true
}

// decision returns the mark of a decision, if any.
func (l *markDetector) decision(d *trace.Decision) (trace.Mark, bool) {
	pod := d.Pod.String()
	switch {
	case d.Victims > 0:
		text := fmt.Sprintf("%s preempts %s on %s", pod, plural.Count(d.Victims, "pod"), d.Nominated)
		return trace.Mark{Kind: trace.Preemption, Pod: d.Pod, Text: text}, true
	case !l.failureSeen && (d.Verdict == trace.Unschedulable || d.Verdict == trace.Failed):
		l.failureSeen = true
		return trace.Mark{Kind: trace.FirstFailure, Pod: d.Pod, Text: pod + " unschedulable"}, true
	}
	return trace.Mark{}, false
}

// record returns the mark of a record, if any.
func (l *markDetector) record(b trace.Body) (trace.Mark, bool) {
	switch b := b.(type) {
	case trace.Input:
		return l.input(b.Event)
	case trace.Decision:
		return l.decision(&b)
	}
	return trace.Mark{}, false
}
