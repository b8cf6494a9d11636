package memory

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// Binding is one attempt to bind a pod.
type Binding struct {
	At   time.Time
	Pod  world.Ref
	Node string
	// By is the effect that asked for it; zero is somebody other than the scheduler.
	By world.EffectID
	// Refusal is why it was refused; empty if the pod was bound.
	Refusal string
	// Unheard says that the scheduler never learnt how it ended.
	Unheard bool
}

// Announcement is an event that was announced, Count times in a row.
type Announcement struct {
	world.Announce
	First, Last time.Time
	Count       int
}

// announcementsKept bounds the log of announcements: the latest ones are kept.
const announcementsKept = 8192

// history is what tests and people read afterwards.
type history struct {
	bindings      map[types.UID][]Binding
	overcommits   []string
	twice         []string
	announcements []Announcement
	// dropped counts the announcements that are no longer kept, latest is the number of the latest one about a pod,
	// counted from the very first.
	dropped int
	latest  map[types.UID]int
}

func newHistory() history {
	return history{bindings: map[types.UID][]Binding{}, latest: map[types.UID]int{}}
}

// clone shares the lists of bindings, which are never changed in place.
func (h *history) clone() history {
	other := *h
	other.bindings = maps.Clone(h.bindings)
	other.overcommits = slices.Clone(h.overcommits)
	other.twice = slices.Clone(h.twice)
	other.announcements = slices.Clone(h.announcements)
	other.latest = maps.Clone(h.latest)
	return other
}

// Bindings is every attempt to bind the pod of that UID, in order.
func (c *Cluster) Bindings(uid types.UID) []Binding { return slices.Clone(c.history.bindings[uid]) }

// Overcommitted says, in order, when a binding by the scheduler has put more on a node than it has.
func (c *Cluster) Overcommitted() []string { return slices.Clone(c.history.overcommits) }

// BoundTwice says, in order, when the scheduler has asked to bind a pod that it knew to have bound already.
func (c *Cluster) BoundTwice() []string { return slices.Clone(c.history.twice) }

// Announcements are the latest events announced, the oldest first. An event that repeats the one before it about the
// same pod is counted there.
func (c *Cluster) Announcements() []Announcement { return slices.Clone(c.history.announcements) }

func (h *history) attempted(now time.Time, act world.Bind, by world.EffectID, refusal error) {
	b := Binding{At: now, Pod: act.Pod, Node: act.Node, By: by}
	if refusal != nil {
		b.Refusal = refusal.Error()
	}
	earlier := h.bindings[act.Pod.UID]
	for _, had := range earlier {
		if by != 0 && had.By != 0 && had.Refusal == "" && !had.Unheard {
			h.twice = append(h.twice, fmt.Sprintf("%s: effect %d binds it to %q, effect %d had bound it to %q",
				act.Pod, by, act.Node, had.By, had.Node))
		}
	}
	h.bindings[act.Pod.UID] = append(slices.Clip(earlier), b)
}

// unheard notes that the outcome of an effect is lost.
func (h *history) unheard(e world.Effect) {
	bind, ok := e.Act.(world.Bind)
	if !ok {
		return
	}
	all := slices.Clone(h.bindings[bind.Pod.UID])
	for i := range all {
		if all[i].By == e.ID {
			all[i].Unheard = true
		}
	}
	h.bindings[bind.Pod.UID] = all
}

// overcommitted notes a binding after which the node has too little of something.
func (h *history) overcommitted(c *Cluster, act world.Bind) {
	node := c.Node(act.Node)
	if node == nil {
		return
	}
	n, there := c.nodeState(act.Node), amountsOf(node.Status.Allocatable)
	requests := c.pods[act.Pod.UID].requests
	others := slices.Clone(n.claimed).sub(requests)
	if name, short := lacking(requests, others, there); short {
		h.overcommits = append(h.overcommits, fmt.Sprintf("%s: node %q has %d of %s, %d of it claimed, and %s wants %d",
			c.now.Format(time.RFC3339Nano), act.Node, there.of(name), name, others.of(name), act.Pod, requests.of(name)))
	}
}

func (h *history) announce(now time.Time, a world.Announce) {
	if number, ok := h.latest[a.Regarding.UID]; ok && number >= h.dropped {
		had := &h.announcements[number-h.dropped]
		if sameAnnouncement(had.Announce, a) {
			had.Last = now
			had.Count++
			return
		}
	}
	if len(h.announcements) == 2*announcementsKept {
		h.announcements = slices.Clone(h.announcements[announcementsKept:])
		h.dropped += announcementsKept
		maps.DeleteFunc(h.latest, func(_ types.UID, number int) bool { return number < h.dropped })
	}
	h.latest[a.Regarding.UID] = h.dropped + len(h.announcements)
	h.announcements = append(h.announcements, Announcement{Announce: a, First: now, Last: now, Count: 1})
}

func sameAnnouncement(a, b world.Announce) bool {
	if (a.Related == nil) != (b.Related == nil) || a.Related != nil && *a.Related != *b.Related {
		return false
	}
	a.Related, b.Related = nil, nil
	return a == b
}
