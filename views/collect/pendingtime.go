package collect

import (
	"cmp"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/heap"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// pendingSince is since when a pod has no node. A pod has none from its creation until it is bound, whatever the queue did with it
// in between, and whenever this program first heard of it. Of a pod without a time of creation, its condition tells.
func pendingSince(pod *v1.Pod, now time.Time) time.Time {
	since := pod.CreationTimestamp.Time
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if since.IsZero() && c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			since = c.LastTransitionTime.Time
		}
	}
	if since.After(now) { // by the clock of the API server
		return now
	}
	return since
}

// queuedPending is pendingSince of a queued pod, of which the queue knows if the pod does not tell.
func queuedPending(p *queue.Pod, now time.Time) time.Time {
	since := pendingSince(p.Pod(), now)
	if !since.IsZero() {
		return since
	}
	if first := p.GetInitialAttemptTimestamp(); first != nil && first.Before(p.Since()) {
		return *first
	}
	return p.Since()
}

// longestPending finds the pod that has been without a node for the longest, of those that were tried. It reads the pods that have
// moved in the queue since the last time.
type longestPending struct {
	engine *engine.Engine
	moves  uint64 // up to where the queue's transitions were read
	heap   heap.Heap[pendingPod]
	listed map[world.PodRef]bool
}

type pendingPod struct {
	since time.Time
	ref   world.PodRef
}

// newPendingHeap has the pod that is pending for the longest on top. It may have pods that are not pending any more.
func newPendingHeap() heap.Heap[pendingPod] {
	return heap.Heap[pendingPod]{Less: func(a, b pendingPod) bool {
		return cmp.Or(a.since.Compare(b.since), strings.Compare(a.ref.Namespace, b.ref.Namespace), strings.Compare(a.ref.Name, b.ref.Name)) < 0
	}}
}

// maxGone is how many more pods than are pending the heap may have.
//
//orrery:limit screen; pods that are pending no more, beside as many as are pending, in the heap of the longest pending one; the heap is built anew
const maxGone = 1024

// of returns the pod; nil if no pod was tried in vain.
func (l *longestPending) of(e *engine.Engine) *queue.Pod {
	q := e.Queue()
	if l.engine != e || !l.follow(e) || len(l.heap.Items) > 2*q.Len()+maxGone {
		*l = longestPending{engine: e, heap: newPendingHeap(), listed: map[world.PodRef]bool{}}
		for t := range e.RecentTransitions() {
			l.moves = t.Seq
			break
		}
		var pods []*queue.Pod
		for _, part := range queueParts {
			pods = q.Pods(pods, part)
		}
		for _, p := range pods {
			l.add(p, e.Now())
		}
	}
	for len(l.heap.Items) > 0 {
		top := &l.heap.Items[0]
		if p, queued := q.Get(top.ref.Namespace, top.ref.Name); queued && p.Pod().UID == top.ref.UID && triedInVain(p) {
			return p
		}
		delete(l.listed, l.heap.Pop().ref)
	}
	return nil
}

// follow reads the pods that have moved, and reports whether none was missed.
func (l *longestPending) follow(e *engine.Engine) bool {
	last, complete := l.moves, l.moves == 0
	for t := range e.RecentTransitions() {
		if l.moves = max(l.moves, t.Seq); t.Seq <= last {
			complete = true
			break
		}
		if p, queued := e.Queue().Get(t.Namespace, t.Name); queued {
			l.add(p, e.Now())
		}
	}
	return complete || l.moves == last
}

func (l *longestPending) add(p *queue.Pod, now time.Time) {
	ref := world.PodRefOf(p.Pod())
	if !triedInVain(p) || l.listed[ref] {
		return
	}
	l.listed[ref] = true
	l.heap.Push(pendingPod{queuedPending(p, now), ref})
}

// triedInVain reports whether a queued pod was tried and has no node. One whose next turn has come is still pending.
func triedInVain(p *queue.Pod) bool {
	switch p.State() {
	case queue.Unschedulable, queue.Backoff, queue.ErrorBackoff:
		return true
	case queue.Active:
		return p.GetAttempts() > 0
	}
	return false
}
