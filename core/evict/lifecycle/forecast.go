package lifecycle

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/node/topology"

	"orrery/core/evict"
	"orrery/core/world"
)

// Outlook is how a node is doing, and what comes next.
type Outlook struct {
	Node, Zone string
	State      State // of the zone
	Ready      v1.ConditionStatus
	// Heard is when the last word of it was noticed, GivenUp when it is held to be unreachable if none follows; zero if
	// it is already, or if the world does not tell of heartbeats.
	Heard, GivenUp time.Time
	// Place is its place in the queue of its zone, from 1; zero if it does not wait for a taint. Turn is when it gets
	// it; zero if nobody in the zone gets one.
	Place int
	Turn  time.Time
}

// Outlook tells of every node, in the order of their names.
func (m *Machine) Outlook() []Outlook {
	turns := m.turns()
	all := make([]Outlook, 0, len(m.nodes))
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[name]
		o := Outlook{Node: name, Ready: n.statuses[v1.NodeReady], Heard: n.heard}
		key := topology.GetZoneKey(n.seen)
		o.Zone = strings.ReplaceAll(key, ":\x00:", "/")
		if z := m.zones[key]; z != nil {
			o.State = z.state
		}
		if m.options.Heartbeats && n.lookedAt && o.Ready != v1.ConditionUnknown {
			o.GivenUp = m.lookFrom(n.heard.Add(m.grace(n)))
		}
		if t, waits := turns[name]; waits {
			o.Place, o.Turn = t.place, t.at
		}
		all = append(all, o)
	}
	return all
}

// lookFrom is the first look that is not before a moment.
func (m *Machine) lookFrom(at time.Time) time.Time {
	period := m.options.Settings.MonitorPeriod
	if missing := at.Sub(m.looked); missing > 0 {
		return m.looked.Add((missing + period - 1) / period * period)
	}
	return m.looked
}

// turn is a node's place in a queue, and when it is its turn as things are now.
type turn struct {
	place int
	at    time.Time
}

// turns are those of all nodes that wait.
func (m *Machine) turns() map[string]turn {
	turns := map[string]turn{}
	for _, z := range m.zones {
		at, comes := m.turn(z)
		for i, name := range z.queue {
			turns[name] = turn{i + 1, at}
			if comes {
				at = m.tenth(at.Add(interval(z.rate)))
			}
		}
	}
	return turns
}

// forecast writes on the board which pods are going to be made to leave by NoExecute taints that the world does not tell
// of yet, and takes back what is not so any more.
func (m *Machine) forecast() {
	if !m.stale {
		return
	}
	m.stale = false
	turns := m.turns()
	before := m.foretold
	m.foretold = map[types.UID]bool{}
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[name]
		taints, from, coming := n.coming(turns)
		if !coming {
			continue
		}
		for _, pod := range m.podsOf(name) {
			m.foretell(pod, from, evict.StayOf(pod.Spec.Tolerations, taints, m.options.Compare))
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(before)) {
		if d, open := m.board.Find(uid, evict.Taint); open && d.Phase == evict.Forecast && !m.foretold[uid] {
			d.Phase, d.Why, d.Ended = evict.Cancelled, "the taint is not to be expected any more", m.now
			m.board.Write(d)
		}
	}
}

// coming are the NoExecute taints a node will have, if one of them is still to come, and from when on.
func (n *node) coming(turns map[string]turn) (taints []v1.Taint, from time.Time, coming bool) {
	taints = evict.NoExecute(n.taints)
	if t, waits := turns[n.seen.Name]; waits {
		if key, _ := n.needed(); key != "" {
			return append(taints, v1.Taint{Key: key, Effect: v1.TaintEffectNoExecute}), t.at, true
		}
	}
	for i := range taints {
		known := slices.ContainsFunc(n.seen.Spec.Taints, func(t v1.Taint) bool { return t.MatchTaint(&taints[i]) })
		if !known {
			return taints, taints[i].TimeAdded.Time, true
		}
	}
	return nil, time.Time{}, false
}

func (m *Machine) podsOf(node string) []*v1.Pod {
	return slices.SortedFunc(maps.Values(m.pods[node]), func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// foretell writes a forecast, unless somebody has more to say of the pod already.
func (m *Machine) foretell(pod *v1.Pod, from time.Time, stay evict.Stay) {
	d, open := m.board.Find(pod.UID, evict.Taint)
	if stay.Forever || pod.DeletionTimestamp != nil || open && d.Phase != evict.Forecast {
		return
	}
	m.foretold[pod.UID] = true
	is := evict.Departure{
		Pod: world.RefOf(pod), Node: pod.Spec.NodeName, Cause: evict.Taint, Phase: evict.Forecast, Predicted: true,
		By: "taint-eviction-controller", Why: stay.Why(), Noticed: m.now,
	}
	if !from.IsZero() {
		is.Deadline = from.Add(stay.For)
	}
	m.board.Write(is)
}
