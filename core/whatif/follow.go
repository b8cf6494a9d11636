package whatif

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/world"
)

// follower keeps track of which pod stands in for which. It knows only of pods that something has happened to.
type follower struct {
	asked *engine.Engine // as it was when the question was asked; only read
	// slots are the places that pods hold, in the order in which they were first heard of, and by every pod that was ever
	// in them; kin are those of each owner, in order.
	slots []*slot
	of    map[types.UID]*slot
	kin   map[string][]*slot
	// remade are pods that the question itself has made anew.
	remade map[types.UID]bool
}

// slot is one pod's place: the pod's own, and that of whoever comes after it.
type slot struct {
	// origin is the pod that was there when the question was asked; zero if the first pod came later. Node is its node.
	origin world.Ref
	node   string
	// owner tells pods of one owner from others; a pod without owner is its own.
	owner string
	now   world.Ref
	// leaving says that the pod in it goes or has gone and nobody has taken its place, doomed that the origin was going
	// already when the question was asked.
	leaving, doomed bool
	cause           string // why the origin left
}

func newFollower(e *engine.Engine) *follower {
	return &follower{asked: e, of: map[types.UID]*slot{}, kin: map[string][]*slot{}, remade: map[types.UID]bool{}}
}

func (f *follower) fork() *follower {
	twin := newFollower(f.asked)
	twin.remade = maps.Clone(f.remade)
	copies := map[*slot]*slot{}
	for _, s := range f.slots {
		c := *s
		copies[s] = &c
		twin.add(&c)
	}
	for uid, s := range f.of {
		twin.of[uid] = copies[s]
	}
	return twin
}

func (f *follower) add(s *slot) {
	f.slots = append(f.slots, s)
	f.kin[s.owner] = append(f.kin[s.owner], s)
	f.of[s.now.UID] = s
}

// original is a pod as it was when the question was asked; nil if it came later.
func (f *follower) original(pod *v1.Pod) *v1.Pod {
	if was := f.asked.Store().Pod(pod.Namespace, pod.Name); was != nil && was.UID == pod.UID {
		return was
	}
	return nil
}

// doomed tells whether a pod was being deleted already when the question was asked.
func (f *follower) doomed(pod *v1.Pod) bool {
	was := f.original(pod)
	return was != nil && was.DeletionTimestamp != nil
}

// changed hears of a pod.
func (f *follower) changed(op world.Op, pod *v1.Pod) {
	s := f.of[pod.UID]
	if s == nil {
		s = f.place(pod)
	}
	ended := op == world.Deleted || pod.Status.Phase == v1.PodFailed || pod.Status.Phase == v1.PodSucceeded
	if s.now.UID != pod.UID || (!ended && pod.DeletionTimestamp == nil) {
		return
	}
	s.leaving = true
	if s.origin.UID == pod.UID {
		s.cause = causeOf(pod)
		if f.remade[pod.UID] {
			s.cause = "made anew"
		}
	}
}

// place finds a slot for a pod that is heard of for the first time.
func (f *follower) place(pod *v1.Pod) *slot {
	s := &slot{owner: ownerOf(pod), now: world.RefOf(pod)}
	if was := f.original(pod); was != nil {
		s.origin, s.node, s.owner, s.doomed = s.now, nodeIn(f.asked, was), ownerOf(was), was.DeletionTimestamp != nil
	} else if left := f.vacant(s.owner, pod.Name); left != nil {
		left.now, left.leaving = s.now, false
		f.of[pod.UID] = left
		return left
	}
	f.add(s)
	return s
}

// vacant is the slot that a new pod of an owner takes: that of its namesake, else the first.
func (f *follower) vacant(owner, name string) *slot {
	var first *slot
	for _, s := range f.kin[owner] {
		switch {
		case !s.leaving:
		case s.now.Name == name:
			return s
		case first == nil:
			first = s
		}
	}
	return first
}

// conclude matches those who left and left nothing behind with those of the same owner who had come before.
func (f *follower) conclude() {
	taken := map[*slot]bool{}
	for _, s := range f.slots {
		if !s.leaving || s.doomed || s.origin == (world.Ref{}) {
			continue
		}
		i := slices.IndexFunc(f.kin[s.owner], func(o *slot) bool {
			return o.origin == (world.Ref{}) && !o.leaving && !taken[o]
		})
		if i >= 0 {
			heir := f.kin[s.owner][i]
			s.now, s.leaving = heir.now, false
			taken[heir] = true
		}
	}
	f.slots = slices.DeleteFunc(f.slots, func(s *slot) bool { return taken[s] })
}

// ownerOf tells pods of one owner from others.
func ownerOf(pod *v1.Pod) string {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		return string(owner.UID)
	}
	return pod.Namespace + "/" + pod.Name
}

// nodeIn is the node that an engine has given a pod, seen there or not.
func nodeIn(e *engine.Engine, pod *v1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	if cached, err := e.Cache().GetPod(pod); err == nil {
		return cached.Spec.NodeName
	}
	return ""
}

// causeOf is what made a pod leave, as its own condition has it.
func causeOf(pod *v1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type != v1.DisruptionTarget || c.Status != v1.ConditionTrue {
			continue
		}
		switch c.Reason {
		case v1.PodReasonPreemptionByScheduler:
			return string(evict.Preemption)
		case "EvictionByEvictionAPI":
			return string(evict.EvictionAPI)
		case "DeletionByTaintManager":
			return string(evict.Taint)
		case "DeletionByPodGC":
			return "its node is gone"
		}
	}
	return "deleted"
}
