package whatif

import (
	"cmp"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// slotTracker tracks which pod replaces which. It holds only pods that something has happened to.
type slotTracker struct {
	base *engine.Engine // the engine at the start; read-only
	// slots are in the order in which their pods first changed. byPod has the slot of every pod that ever held one;
	// byOwner has the slots of each owner, in order.
	slots   []*slot
	byPod   map[types.UID]*slot
	byOwner map[string][]*slot
	// recreated are pods that the changes themselves recreated.
	recreated map[types.UID]bool
	// deleted are pods that the changes themselves delete.
	deleted map[types.UID]bool
	// scaled are owners, as in a slot, whose number of pods the changes set.
	scaled map[string]bool
	// held are the pods whose bindings waited for an object at the start.
	held map[types.UID]string
	// preempted are the pods that were preempted, in order.
	preempted []preemption
}

// preemption is a pod that was preempted, and its slot.
type preemption struct {
	pod world.PodRef
	of  *slot
}

// slot is a pod's slot; its replacements take it over.
type slot struct {
	// origin is the slot's pod at the start; zero if the first pod came later. node is its node, until its removal.
	origin world.PodRef
	node   string
	// owner groups pods by owner; a pod without one is its own.
	owner   string
	current world.PodRef
	// vacated says that the slot's pod is terminating or gone and has no replacement; wasTerminating that the origin
	// was terminating at the start.
	vacated, wasTerminating bool
	removedBy               string // why the origin was removed
}

func newSlotTracker(e *engine.Engine) *slotTracker {
	return &slotTracker{
		base: e, byPod: map[types.UID]*slot{}, byOwner: map[string][]*slot{}, recreated: map[types.UID]bool{}, deleted: map[types.UID]bool{},
		scaled: map[string]bool{}, held: heldBindings(e),
	}
}

func (f *slotTracker) fork() *slotTracker {
	twin := newSlotTracker(f.base)
	twin.recreated, twin.deleted, twin.scaled = maps.Clone(f.recreated), maps.Clone(f.deleted), maps.Clone(f.scaled)
	copies := map[*slot]*slot{}
	for _, s := range f.slots {
		c := *s
		copies[s] = &c
		twin.add(&c)
	}
	for uid, s := range f.byPod {
		twin.byPod[uid] = copies[s]
	}
	for _, p := range f.preempted {
		if of := copies[p.of]; of != nil {
			twin.preempted = append(twin.preempted, preemption{p.pod, of})
		}
	}
	return twin
}

func (f *slotTracker) add(s *slot) {
	f.slots = append(f.slots, s)
	f.byOwner[s.owner] = append(f.byOwner[s.owner], s)
	f.byPod[s.current.UID] = s
}

// original returns a pod as it was at the start; nil if it came later.
func (f *slotTracker) original(pod *v1.Pod) *v1.Pod {
	if was := f.base.Store().Pod(pod.Namespace, pod.Name); was != nil && was.UID == pod.UID {
		return was
	}
	return nil
}

// wasTerminating reports whether a pod was terminating at the start.
func (f *slotTracker) wasTerminating(pod *v1.Pod) bool {
	was := f.original(pod)
	return was != nil && was.DeletionTimestamp != nil
}

// podChanged updates the slot of a pod.
func (f *slotTracker) podChanged(op world.Op, pod *v1.Pod) {
	s := f.byPod[pod.UID]
	if s == nil {
		s = f.slotFor(pod)
	}
	ended := op == world.Deleted || hasEnded(pod)
	if s.current.UID != pod.UID || (!ended && pod.DeletionTimestamp == nil) {
		return
	}
	if !s.vacated && removalReason(pod) == string(evict.Preemption) {
		f.preempted = append(f.preempted, preemption{s.current, s})
	}
	s.vacated = true
	if s.origin.UID == pod.UID {
		s.node = cmp.Or(s.node, pod.Spec.NodeName) // it may have been bound since the start
		s.removedBy = removalReason(pod)
		switch {
		case f.recreated[pod.UID]:
			s.removedBy = "recreated"
		case s.removedBy == deleted && f.scaled[s.owner]:
			s.removedBy = scaledDown
		case s.removedBy == deleted && f.deleted[pod.UID]:
			s.removedBy = deletedByChange
		}
	}
}

// slotFor finds or makes a slot for a new pod.
func (f *slotTracker) slotFor(pod *v1.Pod) *slot {
	s := &slot{owner: ownerOf(pod), current: world.PodRefOf(pod)}
	if was := f.original(pod); was != nil {
		s.origin, s.node, s.owner, s.wasTerminating = s.current, nodeOf(f.base, was, f.held), ownerOf(was), was.DeletionTimestamp != nil
	} else if left := f.freeSlot(s.owner, pod.Name); left != nil {
		left.current, left.vacated = s.current, false
		f.byPod[pod.UID] = left
		return left
	}
	f.add(s)
	return s
}

// freeSlot returns the slot that a new pod of an owner takes: one of the same name, else the first, of those scaled down only when there
// is no other; nil if none is free.
func (f *slotTracker) freeSlot(owner, name string) *slot {
	var first *slot
	for _, s := range f.byOwner[owner] {
		switch {
		case !s.vacated:
		case s.current.Name == name:
			return s
		case first == nil, first.removedBy == scaledDown && s.removedBy != scaledDown:
			first = s
		}
	}
	return first
}

// matchRemaining matches removed pods without a replacement to pods of the same owner that came before the removal.
func (f *slotTracker) matchRemaining() {
	taken := map[*slot]bool{}
	for _, s := range f.slots {
		if !s.vacated || s.wasTerminating || s.origin == (world.PodRef{}) {
			continue
		}
		i := slices.IndexFunc(f.byOwner[s.owner], func(o *slot) bool {
			return o.origin == (world.PodRef{}) && !o.vacated && !taken[o]
		})
		if i >= 0 {
			heir := f.byOwner[s.owner][i]
			s.current, s.vacated = heir.current, false
			taken[heir] = true
		}
	}
	f.slots = slices.DeleteFunc(f.slots, func(s *slot) bool { return taken[s] })
	for _, s := range f.slots {
		if s.vacated && !s.wasTerminating && f.scaled[s.owner] {
			s.removedBy = scaledDown // whatever removed the pod, its owner would have another one if it were to have as many
		}
	}
}

// remains reports whether a pod of the run's end counts: one that something removed since the start does not, though it
// may still be terminating.
func (f *slotTracker) remains(pod *v1.Pod) bool {
	s := f.byPod[pod.UID]
	return s == nil || s.current.UID == pod.UID && s.holds()
}

// holds reports whether the slot has a pod. One that was terminating from the start on is its slot's until it is gone.
func (s *slot) holds() bool { return !s.vacated || s.wasTerminating }

// hasEnded reports whether all containers of a pod have terminated for good.
func hasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodFailed || pod.Status.Phase == v1.PodSucceeded
}

// controllerOf returns the owner that keeps an object; nil for one without. A reference without a UID, which no API server takes, names no
// owner: the pods of all such owners would be those of one.
func controllerOf(o metav1.Object) *metav1.OwnerReference {
	if ref := metav1.GetControllerOfNoCopy(o); ref != nil && ref.UID != "" {
		return ref
	}
	return nil
}

// ownerOf returns the UID of a pod's controller, or the pod's own name.
func ownerOf(pod *v1.Pod) string {
	if owner := controllerOf(pod); owner != nil {
		return string(owner.UID)
	}
	return pod.Namespace + "/" + pod.Name
}

// nodeOf returns the node of a pod that is bound or assumed. One that waits on Permit, or is held by a claim, may lose its place, and so
// has none.
func nodeOf(e *engine.Engine, pod *v1.Pod, held map[types.UID]string) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	if held[pod.UID] != "" || e.PodState(pod.Namespace, pod.Name) == engine.StateWaiting {
		return ""
	}
	if cached, err := e.Cache().GetPod(pod); err == nil {
		return cached.Spec.NodeName
	}
	return ""
}

// removalReason returns why a pod was removed, by its DisruptionTarget condition.
func removalReason(pod *v1.Pod) string {
	switch cause, _ := evict.DisruptionOf(pod); cause {
	case evict.Preemption, evict.EvictionAPI, evict.Taint:
		return string(cause)
	case evict.NodeGone:
		return "its node is gone"
	}
	return deleted
}

// Reasons for a removal that no controller gives.
const (
	deleted         = "deleted"
	deletedByChange = "deleted by the change"
	scaledDown      = "scaled down"
)

// meant reports whether a pod is gone because the changes say so.
func meant(removedBy string) bool { return removedBy == scaledDown || removedBy == deletedByChange }
