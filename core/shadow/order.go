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

// place is where a waiting pod stands in the other scheduler's queue, as far as one can tell from here.
type place struct {
	seq      uint64 // of the input that it came with
	priority int32
	// loose says that it may stand anywhere: it came before anybody listened, waits for something before it is queued, has
	// been tried before, or the queue has an order of its own.
	loose bool
	// open says that nothing has been heard yet of what became of it.
	open bool
}

// order is when the other scheduler decided about a pod, seen from another one.
type order uint8

// The queue gives the more important pod first, and of equals the one that came first. So nearly all follows from when the
// two came; only where the more important one came later may the other have been taken before.
const (
	anytime  order = iota
	sooner         // certainly before
	later          // certainly after
	overtook       // it came later, and is more important
	waited         // it came before, and is less important
)

// against is the order of a pod at a place, seen from another.
func (p *place) against(other *place) order {
	switch {
	case p == nil || p.loose || other.loose || p.seq == other.seq:
		return anytime
	case p.priority >= other.priority && p.seq < other.seq:
		return sooner
	case p.priority <= other.priority && p.seq > other.seq:
		return later
	case p.priority > other.priority:
		return overtook
	}
	return waited
}

// places are those of all pods that wait, and of those that have ceased to within the time that is remembered.
type places struct {
	of map[types.UID]*place
	// lines are the pods of a priority whose place is known, in the order in which they came.
	lines map[int32]*line
}

type line struct {
	uids []types.UID
	open int
}

func newPlaces() places {
	return places{of: map[types.UID]*place{}, lines: map[int32]*line{}}
}

// come gives a pod a place, if it has none.
func (p *places) come(pod *v1.Pod, seq uint64, loose bool) {
	if p.of[pod.UID] != nil {
		return
	}
	at := &place{seq: seq, priority: ptr.Deref(pod.Spec.Priority, 0), loose: loose || apart(pod), open: true}
	p.of[pod.UID] = at
	if at.loose {
		return
	}
	l := p.lines[at.priority]
	if l == nil {
		l = &line{}
		p.lines[at.priority] = l
	}
	l.uids = append(l.uids, pod.UID)
	l.open++
}

// apart tells whether a pod may be queued later than it came, or has been tried before.
func apart(pod *v1.Pod) bool {
	return len(pod.Spec.SchedulingGates) > 0 || len(pod.Spec.ResourceClaims) > 0 || tried(pod)
}

// tried tells whether a scheduler says that it could not place a pod.
func tried(pod *v1.Pod) bool {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			return true
		}
	}
	return false
}

// settle notes that it was heard what became of a pod.
func (p *places) settle(uid types.UID) {
	at := p.of[uid]
	if at == nil || !at.open {
		return
	}
	at.open = false
	l := p.lines[at.priority]
	if at.loose || l == nil {
		return
	}
	l.open--
	if len(l.uids) > 2*l.open+64 {
		kept := l.uids[:0]
		for _, uid := range l.uids {
			if at := p.of[uid]; at != nil && at.open {
				kept = append(kept, uid)
			}
		}
		l.uids = kept
	}
	if l.open == 0 {
		delete(p.lines, at.priority)
	}
}

// ahead tells whether a pod was decided about while others that were before it in the queue have not been heard of.
func (p *places) ahead(uid types.UID) bool {
	at := p.of[uid]
	if at == nil || at.loose {
		return false
	}
	for priority, l := range p.lines {
		for priority >= at.priority && len(l.uids) > 0 {
			first := p.of[l.uids[0]]
			if first != nil && first.open {
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

// loosen says that a pod may stand anywhere from now on.
func (p *places) loosen(uid types.UID) {
	if at := p.of[uid]; at != nil && !at.loose {
		p.settle(uid)
		at.loose = true
	}
}

// loosenUntil says so of all pods that came before an input.
func (p *places) loosenUntil(seq uint64) {
	for uid, at := range p.of {
		if at.seq < seq {
			p.loosen(uid)
		}
	}
}

// forget drops a pod.
func (p *places) forget(uid types.UID) {
	p.settle(uid)
	delete(p.of, uid)
}

// keep forgets the pods that something does not hold of.
func (p *places) keep(fit func(types.UID, uint64) bool) {
	for uid, at := range p.of {
		if !fit(uid, at.seq) {
			p.forget(uid)
		}
	}
}

// hear notes what an input says of pods' places, when it is heard.
func (j *Judge) hear(in world.Event, seq uint64) {
	switch event := in.(type) {
	case world.Changed:
		if pod, ok := event.Object.(*v1.Pod); ok {
			j.place(pod, seq, event.Op == world.Deleted, !j.sorted)
		}
	case world.Listed:
		for _, o := range event.Objects {
			if pod, ok := o.(*v1.Pod); ok {
				j.place(pod, seq, false, true)
			}
		}
	}
}

func (j *Judge) place(pod *v1.Pod, seq uint64, gone, loose bool) {
	switch {
	case gone || pod.Spec.NodeName != "":
		j.places.settle(pod.UID)
	case j.engine.Profile(pod.Spec.SchedulerName) != nil:
		j.places.come(pod, seq, loose)
		if tried(pod) {
			j.places.settle(pod.UID)
		}
	}
}

// succeeds tells whether a change of a lease has another replica of the other scheduler lead, whose queue begins with a list.
func (j *Judge) succeeds(s *step, lease *coordinationv1.Lease) bool {
	was, ok := s.was.(*coordinationv1.Lease)
	return ok && lease.Namespace == j.lease.Namespace && lease.Name == j.lease.Name &&
		ptr.Deref(was.Spec.HolderIdentity, "") != ptr.Deref(lease.Spec.HolderIdentity, "")
}

// inOrder tells whether the queue is kube-scheduler's own.
func inOrder(plugins *configv1.Plugins) bool {
	if plugins == nil {
		return true
	}
	enabled := plugins.QueueSort.Enabled
	if len(enabled) == 0 {
		enabled = plugins.MultiPoint.Enabled
	}
	return slices.ContainsFunc(enabled, func(p configv1.Plugin) bool { return p.Name == "PrioritySort" })
}

// waits tells whether a decision has to be put off, as long as others may still be heard of that came before it.
func (j *Judge) waits(h *heard, now time.Time) bool {
	changed, ok := h.Event.(world.Changed)
	if !ok || !h.At.Add(Hold).After(now) {
		return false
	}
	pod, ok := changed.Object.(*v1.Pod)
	return ok && changed.Op != world.Deleted && (pod.Spec.NodeName != "" || tried(pod)) && j.undecided(pod) != nil && j.places.ahead(pod.UID)
}
