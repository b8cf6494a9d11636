package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// inFlightEvents lists the pods in flight and the events since the first of them was popped: a marker for each pod,
// followed by the events during its attempt. A removed marker leaves a gap.
type inFlightEvents struct {
	list    []inFlightEntry   // entries before head are released
	head    int               // always at a marker, or at the end
	first   int               // the number of list[0]
	markers map[types.UID]int // the markers' numbers, by identity
}

// inFlightEntry is a marker (pod), an event (match), or a gap.
type inFlightEntry struct {
	pod          *Pod
	match        *eventMatch
	old, updated any
}

func (f *inFlightEvents) init() { f.markers = map[types.UID]int{} }

func (f *inFlightEvents) has(pod *v1.Pod) bool {
	i, ok := f.markers[identity(pod)]
	return ok && f.list[i-f.first].pod.key == keyOf(pod)
}

func (f *inFlightEvents) add(p *Pod) {
	p.inFlightUID = identity(p.pod)
	f.markers[p.inFlightUID] = f.first + len(f.list)
	f.list = append(f.list, inFlightEntry{pod: p})
}

// since returns the entries since the pod of an identity was popped, including other markers and gaps.
func (f *inFlightEvents) since(id types.UID) ([]inFlightEntry, bool) {
	i, ok := f.markers[id]
	if !ok {
		return nil, false
	}
	return f.list[i-f.first+1:], true
}

// remove removes a marker and advances the head to the next marker. It returns the entries passed: events that no pod
// in flight needs any more. The caller clears them.
func (f *inFlightEvents) remove(i int) (passed []inFlightEntry) {
	marker := &f.list[i-f.first]
	delete(f.markers, marker.pod.inFlightUID)
	marker.pod.inFlightUID = ""
	*marker = inFlightEntry{}

	from := f.head
	for f.head < len(f.list) && f.list[f.head].pod == nil {
		f.head++
	}
	return f.list[from:f.head]
}

// shrink drops the entries before the head once they are most of the list.
func (f *inFlightEvents) shrink() {
	if f.head <= len(f.list)/2 {
		return
	}
	n := copy(f.list, f.list[f.head:])
	clear(f.list[n:])
	f.list = f.list[:n]
	f.first += f.head
	f.head = 0
}

func keyOf(pod *v1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

// recordInFlightEvent keeps an event for the pods in flight.
func (q *Queue) recordInFlightEvent(match *eventMatch, old, updated any) {
	q.inFlightEvents.list = append(q.inFlightEvents.list, inFlightEntry{match: match, old: old, updated: updated})
	q.recordCount(InFlightEventAdded, match.label, 1)
}

// Done ends the flight of a pod that AddUnschedulableIfNotPresent will not return, or only after its binding fails. An
// identity that is not in flight is ignored.
func (q *Queue) Done(uid types.UID) { q.DoneWithReason(uid, Done) }

// DoneWithReason is Done with a reason for the records, in place of "Done".
func (q *Queue) DoneWithReason(uid types.UID, reason string) {
	i, ok := q.inFlightEvents.find(uid)
	if !ok {
		return
	}
	p := q.endFlight(i)
	q.recordMove(p, Gone, false, reason, "", "")
}

// find returns the number of a pod's marker. The empty UID stands for the earliest popped pod without a UID.
func (f *inFlightEvents) find(uid types.UID) (int, bool) {
	if uid != "" {
		i, ok := f.markers[uid]
		return i, ok
	}
	for i := range f.list {
		if p := f.list[i].pod; p != nil && p.pod.UID == "" {
			return f.first + i, true
		}
	}
	return 0, false
}

// endFlight ends the flight with a number and releases the events that only it needed.
func (q *Queue) endFlight(i int) *Pod {
	p := q.inFlightEvents.list[i-q.inFlightEvents.first].pod
	passed := q.inFlightEvents.remove(i)
	if q.opts.Observe != nil {
		q.recordReleased(passed)
	}
	clear(passed)
	q.inFlightEvents.shrink()
	return p
}

// recordReleased reports released events by label, in the order of their first occurrence.
func (q *Queue) recordReleased(passed []inFlightEntry) {
	var labels []string
	count := map[string]int{}
	for _, f := range passed {
		if f.match == nil {
			continue
		}
		if count[f.match.label] == 0 {
			labels = append(labels, f.match.label)
		}
		count[f.match.label]++
	}
	for _, label := range labels {
		q.recordCount(InFlightEventsReleased, label, count[label])
	}
}
