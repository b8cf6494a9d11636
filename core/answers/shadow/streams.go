package shadow

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// eventStream is a sequence of events of which the other scheduler had seen a prefix at its decision.
type eventStream uint8

const (
	// certainStream has events that it certainly saw at another time, by the queue's order.
	certainStream eventStream = iota
	// podStream has changes of pods in order of arrival: pods with a higher priority that came later, deleted pods, and
	// pods that another scheduler bound.
	podStream
	// lowerPriorityStream has pods with a lower priority that came before, in order of arrival.
	lowerPriorityStream
	// otherStream has all objects except pods.
	otherStream
	// unorderedStream has decisions about pods with an unknown place in the queue, in order of arrival.
	unorderedStream
)

// maxReorderable bounds the events on either side of a decision.
//
//orrery:limit shadow; events on either side of a decision that may be reordered; the others stay in order
const maxReorderable = 1024

// collector collects events that the other scheduler may have seen at another time.
type collector struct {
	*Comparator
	decision  *numberedInput
	pod       *queuePlace
	busySince time.Time // start of the other scheduler's current series of decisions without a pause
	events    []reorderableEvent
	objects   map[objectKey]int  // numbered; -1 for the pod itself
	retried   map[types.UID]bool // pods that were declared unschedulable after the decision: their places are unknown from then on
}

type objectKey struct {
	kind world.Kind
	name types.NamespacedName
}

// reorderableEvents returns the events around a decision, nearest in time first.
func (j *Comparator) reorderableEvents(head *numberedInput, about types.NamespacedName, pod *queuePlace) []reorderableEvent {
	g := collector{Comparator: j, decision: head, pod: pod, busySince: head.At, objects: map[objectKey]int{{world.Pod, about}: -1}, retried: map[types.UID]bool{}}
	for i := len(j.history) - 1; i >= 0 && len(g.events) < maxReorderable; i-- {
		if s := &j.history[i]; s.relevant {
			g.add(s, false)
		}
	}
	most := len(g.events) + maxReorderable
	foreseen := map[objectKey]world.Object{}
	for i := 1; i < len(j.pending) && len(g.events) < most; i++ {
		changed, ok := j.pending[i].Event.(world.Changed)
		if !ok {
			break // a list ends what can be applied early
		}
		s := j.stepOf(&j.pending[i], changed)
		kind, name := s.about()
		if was, ok := foreseen[objectKey{kind, name}]; ok {
			s.was = was
		}
		foreseen[objectKey{kind, name}] = s.now
		if s.matters() {
			g.add(&s, true)
		}
		if pod, ok := s.now.(*v1.Pod); ok && pod.Spec.NodeName == "" && triedBefore(pod) {
			g.retried[pod.UID] = true
		}
	}
	slices.SortStableFunc(g.events, func(a, b reorderableEvent) int { return int(a.offset - b.offset) })
	return g.events
}

func (g *collector) add(s *step, foreseen bool) {
	t := reorderableEvent{step: *s, seenEarly: foreseen, offset: s.at.Sub(g.decision.At).Abs()}
	if !g.classify(&t) {
		return
	}
	kind, name := s.about()
	id := objectKey{kind, name}
	at, known := g.objects[id]
	if !known {
		at = len(g.objects) - 1 // the pod itself has no number
		g.objects[id] = at
	}
	if t.object = at; at >= 0 {
		g.events = append(g.events, t)
	}
}

// classify sets the stream of an event; false if both schedulers certainly saw it at the same time.
func (g *collector) classify(t *reorderableEvent) bool {
	t.position = t.seq
	near := g.withinWindow(t)
	switch {
	case t.kind != world.Pod || t.releases():
		t.stream = otherStream
		return near
	case !g.pod.unordered && t.seq < g.pod.seq:
		return false // it came before the pod for both schedulers
	case !g.decidedByOther(&t.step):
		t.stream = podStream
		if g.pod.unordered {
			t.stream = unorderedStream
		}
		return !t.seenEarly && !g.decidedAfterward(t) && (near || !g.pod.unordered && t.offset <= MaxHold)
	}
	other := g.queue.byUID[t.podUID()]
	if other != nil && other.seq > g.decision.seq {
		return false // it came after the decision
	}
	order := other.relativeTo(g.pod)
	if g.retried[t.podUID()] {
		order = unknownOrder
	}
	switch order {
	case decidedBefore:
		return t.seenEarly
	case decidedAfter:
		return !t.seenEarly
	case cameLaterMoreImportant:
		t.stream, t.position = podStream, other.seq
	case cameEarlierLessImportant:
		t.stream, t.position = lowerPriorityStream, other.seq
	default:
		t.stream = unorderedStream
		return near
	}
	return true
}

// withinWindow reports whether the decision and an event may have been seen in the opposite order. In a series of
// decisions without a pause, each one extends the window of the previous one.
func (g *collector) withinWindow(t *reorderableEvent) bool {
	if t.seenEarly {
		return t.offset <= g.window
	}
	near := g.busySince.Sub(t.at) <= g.window
	if near && t.kind == world.Pod && g.decidedByOther(&t.step) {
		g.busySince = t.at
	}
	return near
}

// podUID returns the UID of the event's pod.
func (s *step) podUID() types.UID { return cmp.Or(s.now, s.was).GetUID() }

// decidedByOther reports whether an event is a decision of the other scheduler: a binding or a nomination. A pod whose binding
// failed keeps the nomination that was written for it.
func (j *Comparator) decidedByOther(s *step) bool {
	now, ok := s.now.(*v1.Pod)
	if !ok || j.engine.Profile(now.Spec.SchedulerName) == nil {
		return false
	}
	if failed := failure(now); now.Spec.NodeName == "" && failed != nil && failed.Reason == v1.PodReasonSchedulerError {
		return false
	}
	return s.binding() != nil && s.was != nil || now.Spec.NodeName == "" && now.Status.NominatedNodeName != ""
}

// decidedAfterward reports whether the other scheduler decided about a deleted pod only after this decision.
func (g *collector) decidedAfterward(t *reorderableEvent) bool {
	return t.now == nil && g.queue.byUID[t.podUID()].relativeTo(g.pod) == decidedAfter
}
