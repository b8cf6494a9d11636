package shadow

import (
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"

	"orrery/core/world"
)

// queuePlace is a pending pod's place in the other scheduler's queue, as far as it can be known.
type queuePlace struct {
	seq      uint64 // of the input that added it
	priority int32
	// unordered pods may be anywhere in the queue: they are older than the first list, gated, wait for devices or were
	// tried before, or the queue has another order.
	unordered bool
	// undecided says that no decision about the pod was seen yet.
	undecided bool
}

// decisionOrder says whether the other scheduler decided about a pod before or after another pod.
type decisionOrder uint8

// The queue orders pods by priority, then by arrival. So the order of arrival decides, unless the pod with the higher
// priority came later.
const (
	unknownOrder             decisionOrder = iota
	decidedBefore                          // certain
	decidedAfter                           // certain
	cameLaterMoreImportant                 // came later, with a higher priority
	cameEarlierLessImportant               // came before, with a lower priority
)

// relativeTo returns the order of a pod at this place relative to another.
func (p *queuePlace) relativeTo(other *queuePlace) decisionOrder {
	switch {
	case p == nil || p.unordered || other.unordered || p.seq == other.seq:
		return unknownOrder
	case p.priority >= other.priority && p.seq < other.seq:
		return decidedBefore
	case p.priority <= other.priority && p.seq > other.seq:
		return decidedAfter
	case p.priority > other.priority:
		return cameLaterMoreImportant
	}
	return cameEarlierLessImportant
}

// otherQueue has the places of all pending pods, and of those decided within HistoryWindow.
type otherQueue struct {
	byUID map[types.UID]*queuePlace
	// byPriority has the pods of known places by priority, in order of arrival.
	byPriority map[int32]*priorityLine
}

type priorityLine struct {
	uids      []types.UID
	undecided int
}

func newOtherQueue() otherQueue {
	return otherQueue{byUID: map[types.UID]*queuePlace{}, byPriority: map[int32]*priorityLine{}}
}

// add adds a pod unless it has a place already.
func (p *otherQueue) add(pod *v1.Pod, seq uint64, loose bool) {
	if p.byUID[pod.UID] != nil {
		return
	}
	at := &queuePlace{seq: seq, priority: ptr.Deref(pod.Spec.Priority, 0), unordered: loose || mayQueueLate(pod), undecided: true}
	p.byUID[pod.UID] = at
	if at.unordered {
		return
	}
	l := p.byPriority[at.priority]
	if l == nil {
		l = &priorityLine{}
		p.byPriority[at.priority] = l
	}
	l.uids = append(l.uids, pod.UID)
	l.undecided++
}

// mayQueueLate reports whether a pod may be queued later than it arrived, or was tried before.
func mayQueueLate(pod *v1.Pod) bool {
	return len(pod.Spec.SchedulingGates) > 0 || len(pod.Spec.ResourceClaims) > 0 || triedBefore(pod)
}

// markDecided records that a decision about a pod was seen.
func (p *otherQueue) markDecided(uid types.UID) {
	at := p.byUID[uid]
	if at == nil || !at.undecided {
		return
	}
	at.undecided = false
	l := p.byPriority[at.priority]
	if at.unordered || l == nil {
		return
	}
	l.undecided--
	if len(l.uids) > 2*l.undecided+64 {
		kept := l.uids[:0]
		for _, uid := range l.uids {
			if at := p.byUID[uid]; at != nil && at.undecided {
				kept = append(kept, uid)
			}
		}
		l.uids = kept
	}
	if l.undecided == 0 {
		delete(p.byPriority, at.priority)
	}
}

// hasUndecidedBefore reports whether no decision about some earlier pod in the queue was seen.
func (p *otherQueue) hasUndecidedBefore(uid types.UID) bool {
	at := p.byUID[uid]
	if at == nil || at.unordered {
		return false
	}
	for priority, l := range p.byPriority {
		for priority >= at.priority && len(l.uids) > 0 {
			first := p.byUID[l.uids[0]]
			if first != nil && first.undecided {
				if first.seq < at.seq {
					return true
				}
				break
			}
			l.uids = l.uids[1:]
		}
	}
	return false
}

// markUnordered makes the pod's place unknown from now on.
func (p *otherQueue) markUnordered(uid types.UID) {
	if at := p.byUID[uid]; at != nil && !at.unordered {
		p.markDecided(uid)
		at.unordered = true
	}
}

// markUnorderedBefore does the same for all pods that arrived before an input.
func (p *otherQueue) markUnorderedBefore(seq uint64) {
	for uid, at := range p.byUID {
		if at.seq < seq {
			p.markUnordered(uid)
		}
	}
}

// remove drops a pod.
func (p *otherQueue) remove(uid types.UID) {
	p.markDecided(uid)
	delete(p.byUID, uid)
}

// retain removes the pods for which fit is false.
func (p *otherQueue) retain(fit func(types.UID, uint64) bool) {
	for uid, at := range p.byUID {
		if !fit(uid, at.seq) {
			p.remove(uid)
		}
	}
}

// noteQueue updates the queue when an input arrives.
func (j *Comparator) noteQueue(in world.Event, seq uint64) {
	switch event := in.(type) {
	case world.Changed:
		if pod, ok := event.Object.(*v1.Pod); ok {
			j.noteQueued(pod, seq, event.Op == world.Deleted, !j.prioritySort)
		}
	case world.Listed:
		for _, o := range event.Objects {
			if pod, ok := o.(*v1.Pod); ok {
				j.noteQueued(pod, seq, false, true)
			}
		}
	}
}

func (j *Comparator) noteQueued(pod *v1.Pod, seq uint64, gone, loose bool) {
	switch {
	case !gone && pod.Spec.NodeName != "" && triedBefore(pod):
		j.queue.markUnordered(pod.UID)
	case gone || pod.Spec.NodeName != "":
		j.queue.markDecided(pod.UID)
	case j.engine.Profile(pod.Spec.SchedulerName) != nil:
		j.queue.add(pod, seq, loose)
		if triedBefore(pod) {
			j.queue.markDecided(pod.UID)
		}
	}
}

// changesLeader reports whether a lease shows that another replica of the other scheduler leads: its queue starts with
// a list.
func (j *Comparator) changesLeader(s *step, lease *coordinationv1.Lease) bool {
	was, ok := s.was.(*coordinationv1.Lease)
	return ok && lease.Namespace == j.lease.Namespace && lease.Name == j.lease.Name &&
		ptr.Deref(was.Spec.HolderIdentity, "") != ptr.Deref(lease.Spec.HolderIdentity, "")
}

// usesPrioritySort reports whether the queue has kube-scheduler's own order.
func usesPrioritySort(plugins *configv1.Plugins) bool {
	if plugins == nil {
		return true
	}
	enabled := plugins.QueueSort.Enabled
	if len(enabled) == 0 {
		enabled = plugins.MultiPoint.Enabled
	}
	return slices.ContainsFunc(enabled, func(p configv1.Plugin) bool { return p.Name == "PrioritySort" })
}

// mustWait reports whether a comparison has to wait for pods before it in the queue.
func (j *Comparator) mustWait(h *numberedInput, now time.Time) bool {
	changed, ok := h.Event.(world.Changed)
	if !ok || !h.At.Add(MaxHold).After(now) {
		return false
	}
	pod, ok := changed.Object.(*v1.Pod)
	return ok && changed.Op != world.Deleted && (pod.Spec.NodeName != "" || triedBefore(pod)) && j.waitingPod(pod) != nil && j.queue.hasUndecidedBefore(pod.UID)
}
