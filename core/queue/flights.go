package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// flights has the pods that are being scheduled, and what happened since the first of them was popped, in one list: a
// marker for each pod, and after it the events that it has not seen. A marker that is done leaves a gap.
type flights struct {
	list  []flight          // what is before head has been let go
	head  int               // always at a marker, or at the end
	first int               // the number of list[0]
	at    map[types.UID]int // numbers of the markers, by identity
}

// flight is a marker (pod), an event (in), or a gap.
type flight struct {
	pod          *Pod
	in           *interest
	old, updated any
}

func (f *flights) init() { f.at = map[types.UID]int{} }

func (f *flights) has(pod *v1.Pod) bool {
	i, ok := f.at[identity(pod)]
	return ok && f.list[i-f.first].pod.key == keyOf(pod)
}

func (f *flights) start(p *Pod) {
	p.flight = identity(p.pod)
	f.at[p.flight] = f.first + len(f.list)
	f.list = append(f.list, flight{pod: p})
}

// since are the events since the pod of an identity was popped, markers and gaps of others between them.
func (f *flights) since(id types.UID) ([]flight, bool) {
	i, ok := f.at[id]
	if !ok {
		return nil, false
	}
	return f.list[i-f.first+1:], true
}

// remove takes a marker out, and moves the head to the first marker left. It returns what it has passed: events that
// nobody needs any more. They are to be cleared.
func (f *flights) remove(i int) (passed []flight) {
	marker := &f.list[i-f.first]
	delete(f.at, marker.pod.flight)
	marker.pod.flight = ""
	*marker = flight{}

	from := f.head
	for f.head < len(f.list) && f.list[f.head].pod == nil {
		f.head++
	}
	return f.list[from:f.head]
}

// shrink gives back the room before the head, once that is most of the list.
func (f *flights) shrink() {
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

// note keeps an event for the pods in flight.
func (q *Queue) note(in *interest, old, updated any) {
	q.flights.list = append(q.flights.list, flight{in: in, old: old, updated: updated})
	q.counted(Noted, in.label, 1)
}

// Done ends the flight of a pod that will not come back through AddUnschedulableIfNotPresent, or not before its binding
// fails. An identity that is not in flight is no mistake.
func (q *Queue) Done(uid types.UID) { q.DoneAs(uid, Done) }

// DoneAs is Done with a reason for the records, in place of "Done".
func (q *Queue) DoneAs(uid types.UID, reason string) {
	i, ok := q.flights.find(uid)
	if !ok {
		return
	}
	p := q.land(i)
	q.record(p, Gone, false, reason, "", "")
}

// find is the number of a pod's marker. The empty UID stands for the pod without one that was popped first.
func (f *flights) find(uid types.UID) (int, bool) {
	if uid != "" {
		i, ok := f.at[uid]
		return i, ok
	}
	for i := range f.list {
		if p := f.list[i].pod; p != nil && p.pod.UID == "" {
			return f.first + i, true
		}
	}
	return 0, false
}

// land ends the flight with a number, and lets go of what it alone needed.
func (q *Queue) land(i int) *Pod {
	p := q.flights.list[i-q.flights.first].pod
	passed := q.flights.remove(i)
	if q.opts.Observe != nil {
		q.countPruned(passed)
	}
	clear(passed)
	q.flights.shrink()
	return p
}

// countPruned reports events let go, label by label in the order in which they came.
func (q *Queue) countPruned(passed []flight) {
	var labels []string
	count := map[string]int{}
	for _, f := range passed {
		if f.in == nil {
			continue
		}
		if count[f.in.label] == 0 {
			labels = append(labels, f.in.label)
		}
		count[f.in.label]++
	}
	for _, label := range labels {
		q.counted(Pruned, label, count[label])
	}
}
