package memory

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// BindingAttempt is one attempt to bind a pod.
type BindingAttempt struct {
	At   time.Time
	Pod  world.PodRef
	Node string
	// By is the effect that called it; zero is another client.
	By world.EffectID
	// Refusal is the error message; empty if the pod was bound.
	Refusal string
	// OutcomeLost reports whether the scheduler never received the outcome.
	OutcomeLost bool
}

// RecordedEvent is a recorded Kubernetes event, repeated Count times in a row.
type RecordedEvent struct {
	world.EmitEvent
	First, Last time.Time
	Count       int
}

// maxEvents limits the event log: the latest are kept.
//
//orrery:limit scenarios; events of a simulated cluster that are kept, and up to as many more; the oldest go
const maxEvents = 8192

// history records what happened, for tests and users.
type history struct {
	bindings    map[types.UID][]BindingAttempt
	overcommits []string
	boundTwice  []string
	events      []RecordedEvent
	// dropped counts the events no longer kept; latest is the number of the latest event of each pod, counted from the
	// first of all.
	dropped int
	latest  map[types.UID]int
}

func newHistory() history {
	return history{bindings: map[types.UID][]BindingAttempt{}, latest: map[types.UID]int{}}
}

// clone shares the lists of bindings, which are immutable.
func (h *history) clone() history {
	other := *h
	other.bindings = maps.Clone(h.bindings)
	other.overcommits = slices.Clone(h.overcommits)
	other.boundTwice = slices.Clone(h.boundTwice)
	other.events = slices.Clone(h.events)
	other.latest = maps.Clone(h.latest)
	return other
}

// Bindings returns every attempt to bind a pod, in order.
func (c *Cluster) Bindings(uid types.UID) []BindingAttempt {
	return slices.Clone(c.history.bindings[uid])
}

// Overcommitted lists, in order, the scheduler's bindings that overcommitted a node.
func (c *Cluster) Overcommitted() []string { return slices.Clone(c.history.overcommits) }

// BoundTwice lists, in order, the scheduler's bindings of pods that it knew to be bound.
func (c *Cluster) BoundTwice() []string { return slices.Clone(c.history.boundTwice) }

// Events returns the latest events, oldest first. An event that equals its pod's previous one is counted there.
func (c *Cluster) Events() []RecordedEvent { return slices.Clone(c.history.events) }

func (h *history) recordBinding(now time.Time, act world.Bind, by world.EffectID, refusal error) {
	b := BindingAttempt{At: now, Pod: act.Pod, Node: act.Node, By: by}
	if refusal != nil {
		b.Refusal = refusal.Error()
	}
	earlier := h.bindings[act.Pod.UID]
	for _, had := range earlier {
		if by != 0 && had.By != 0 && had.Refusal == "" && !had.OutcomeLost {
			h.boundTwice = append(h.boundTwice, fmt.Sprintf("%s: effect %d binds it to %q, effect %d had bound it to %q",
				act.Pod, by, act.Node, had.By, had.Node))
		}
	}
	h.bindings[act.Pod.UID] = append(slices.Clip(earlier), b)
}

// markOutcomeLost records that the outcome of an effect was lost.
func (h *history) markOutcomeLost(e world.Effect) {
	bind, ok := e.Action.(world.Bind)
	if !ok {
		return
	}
	all := slices.Clone(h.bindings[bind.Pod.UID])
	for i := range all {
		if all[i].By == e.ID {
			all[i].OutcomeLost = true
		}
	}
	h.bindings[bind.Pod.UID] = all
}

// checkOvercommit records a binding that overcommits the node.
func (h *history) checkOvercommit(c *Cluster, act world.Bind) {
	node := c.Node(act.Node)
	if node == nil {
		return
	}
	n, there := c.nodeState(act.Node), amountsOf(node.Status.Allocatable)
	requests := c.pods[act.Pod.UID].requests
	others := slices.Clone(n.claimed).sub(requests)
	if name, short := insufficient(requests, others, there); short {
		h.overcommits = append(h.overcommits, fmt.Sprintf("%s: node %q has %d of %s, %d of it claimed, and %s wants %d",
			c.now.Format(time.RFC3339Nano), act.Node, there.of(name), name, others.of(name), act.Pod, requests.of(name)))
	}
}

func (h *history) recordEvent(now time.Time, a world.EmitEvent) {
	if number, ok := h.latest[a.Regarding.UID]; ok && number >= h.dropped {
		had := &h.events[number-h.dropped]
		if sameEvent(had.EmitEvent, a) {
			had.Last = now
			had.Count++
			return
		}
	}
	if len(h.events) == 2*maxEvents {
		h.events = slices.Clone(h.events[maxEvents:])
		h.dropped += maxEvents
		maps.DeleteFunc(h.latest, func(_ types.UID, number int) bool { return number < h.dropped })
	}
	h.latest[a.Regarding.UID] = h.dropped + len(h.events)
	h.events = append(h.events, RecordedEvent{EmitEvent: a, First: now, Last: now, Count: 1})
}

func sameEvent(a, b world.EmitEvent) bool {
	if (a.Related == nil) != (b.Related == nil) || a.Related != nil && *a.Related != *b.Related {
		return false
	}
	a.Related, b.Related = nil, nil
	return a == b
}
