package shadow

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// stream is a succession of events of which the other scheduler had seen a part, from the first one to some other, when it
// decided about a pod.
type stream uint8

const (
	// certain events were seen at another time, as the queue's order tells.
	certain stream = iota
	// pods' changes, in the order in which they came: the more important pods that came after the one in question, those that
	// left and those that somebody else bound.
	comings
	// less important pods that came before, in the order in which they came.
	lesser
	// everything that is no pod.
	elsewhere
	// decisions about pods whose place in the queue is unknown, in the order in which they were heard of.
	loose
)

// mostToggles is how many events are looked at on either side of a decision.
const mostToggles = 1024

// gathering collects what could be seen at another time by who decided about a pod.
type gathering struct {
	*Judge
	head *heard
	pod  *place
	busy time.Time // since when the other scheduler has been deciding without a pause
	list []toggle
	of   map[subject]int // where in the list an object is; -1 if it is passed over
}

type subject struct {
	kind world.Kind
	name types.NamespacedName
}

// toggles are the events around the one at the head, the nearest in time first. Of several about one object the nearest
// stands for all, but when a pod was decided about goes before what else is said of it.
func (j *Judge) toggles(head *heard, about types.NamespacedName, pod *place) []toggle {
	g := gathering{Judge: j, head: head, pod: pod, busy: head.At, of: map[subject]int{{world.Pod, about}: -1}}
	for i := len(j.past) - 1; i >= 0 && len(g.list) < mostToggles; i-- {
		g.keep(&j.past[i], false)
	}
	most := len(g.list) + mostToggles
	for i := 1; i < len(j.ahead) && len(g.list) < most; i++ {
		changed, ok := j.ahead[i].Event.(world.Changed)
		if !ok {
			break // beyond a list nothing can be foreseen
		}
		s := j.stepOf(&j.ahead[i], changed)
		g.keep(&s, true)
	}
	slices.SortStableFunc(g.list, func(a, b toggle) int { return int(a.off - b.off) })
	return g.list
}

func (g *gathering) keep(s *step, foreseen bool) {
	if !s.matters() {
		return
	}
	t := toggle{step: *s, foreseen: foreseen, off: s.at.Sub(g.head.At).Abs()}
	if !g.streamOf(&t) {
		return
	}
	kind, name := s.about()
	id := subject{kind, name}
	if at, known := g.of[id]; !known {
		g.of[id] = len(g.list)
		g.list = append(g.list, t)
	} else if at >= 0 && t.stream == certain && g.list[at].now != nil {
		g.list[at] = t
	}
}

// streamOf says what an event belongs to; false if it was certainly seen as we saw it.
func (g *gathering) streamOf(t *toggle) bool {
	t.turn = t.seq
	near := g.near(t)
	switch {
	case t.kind != world.Pod:
		t.stream = elsewhere
		return near
	case !g.pod.loose && t.seq < g.pod.seq:
		return false // it came before the pod, and so it did to the other
	case !g.decidedByOther(&t.step):
		t.stream = comings
		if g.pod.loose {
			t.stream = loose
		}
		return !t.foreseen && !g.laterAnyway(t) && (near || !g.pod.loose && t.off <= Hold)
	}
	other := g.places.of[t.of()]
	if other != nil && other.seq > g.head.seq {
		return false // it came when the decision had been made
	}
	switch other.against(g.pod) {
	case sooner:
		return t.foreseen
	case later:
		return !t.foreseen
	case overtook:
		t.stream, t.turn = comings, other.seq
	case waited:
		t.stream, t.turn = lesser, other.seq
	default:
		t.stream = loose
		return near
	}
	return true
}

// near tells whether a decision may have been made before an event that was heard of before it, or the other way round.
// Decisions that were made long before they are heard of have others before them that were on their way as long.
func (g *gathering) near(t *toggle) bool {
	if t.foreseen {
		return t.off <= g.window
	}
	near := g.busy.Sub(t.at) <= g.window
	if near && t.kind == world.Pod && g.decidedByOther(&t.step) {
		g.busy = t.at
	}
	return near
}

// of is whose pod's event it is.
func (s *step) of() types.UID { return cmp.Or(s.now, s.was).GetUID() }

// decidedByOther tells whether an event is a decision of the other scheduler: a binding, or a node that is made room on.
func (j *Judge) decidedByOther(s *step) bool {
	now, ok := s.now.(*v1.Pod)
	if !ok || j.engine.Profile(now.Spec.SchedulerName) == nil {
		return false
	}
	return s.binding() != nil && s.was != nil || now.Spec.NodeName == "" && now.Status.NominatedNodeName != ""
}

// laterAnyway tells whether a pod that left had not had a node yet when the other scheduler decided.
func (g *gathering) laterAnyway(t *toggle) bool {
	return t.now == nil && g.places.of[t.of()].against(g.pod) == later
}
