package lifecycle

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"

	"orrery/core/world"
)

// excluded is the label of nodes that say nothing about the state of their zone.
const excluded = "node.kubernetes.io/exclude-disruption"

// census is how many nodes of a zone are ready, and how many are not.
type census struct{ ready, not int }

// look is one look at all nodes, in the order of their names.
func (m *Machine) look() {
	counts := map[string]*census{}
	for o := range m.store.Objects(world.Node) {
		n := m.nodes[o.GetName()]
		name := topology.GetZoneKey(n.seen)
		z := m.zone(name)
		m.listen(n)
		if m.options.Heartbeats && !m.now.Before(n.heard.Add(m.grace(n))) {
			m.giveUp(n)
		}
		if _, out := n.seen.Labels[excluded]; !out {
			if counts[name] == nil {
				counts[name] = &census{}
			}
			if n.statuses[v1.NodeReady] == v1.ConditionTrue {
				counts[name].ready++
			} else {
				counts[name].not++
			}
		}
		m.decide(n, z)
	}
	m.assess(counts)
}

// listen notes whether there was a word of a node since the last look.
func (m *Machine) listen(n *node) {
	said := wordOf(n)
	switch {
	case !n.lookedAt && said.ready:
		n.heard = m.now
	case !n.lookedAt:
		n.heard = n.seen.CreationTimestamp.Time
	case said.ready != n.said.ready, said.ready && !said.at.Equal(n.said.at):
		n.heard = m.now
	}
	switch leased := m.leased(n.seen.Name); {
	case leased.After(n.hasLeased):
		n.heard, n.hasLeased = m.now, leased
	case said != n.said:
		n.hasLeased = time.Time{} // at the next look the lease counts anew, old as it is
	}
	n.said, n.lookedAt = said, true
}

// wordOf is a node's last heartbeat in its condition Ready.
func wordOf(n *node) word {
	for i := range n.seen.Status.Conditions {
		if c := &n.seen.Status.Conditions[i]; c.Type == v1.NodeReady {
			return word{true, c.LastHeartbeatTime.Time}
		}
	}
	return word{}
}

func (m *Machine) grace(n *node) time.Duration {
	if n.statuses[v1.NodeReady] == "" {
		return m.options.Settings.StartupGrace
	}
	return m.options.Settings.Grace
}

// giveUp holds nothing that a silent node says of itself to be true any more.
func (m *Machine) giveUp(n *node) {
	if n.statuses[v1.NodeReady] == v1.ConditionUnknown {
		return
	}
	for _, kind := range selfReported {
		n.statuses[kind] = v1.ConditionUnknown
	}
	c := m.noSchedule(n)
	c.Unknown = true
	m.tell(n, c)
}

// decide what becomes of a node's NoExecute taints: off at once if it is ready, swapped at once if it has the opposite
// one, and otherwise when its turn comes.
func (m *Machine) decide(n *node, z *zone) {
	taint, opposite := n.needed()
	switch {
	case n.statuses[v1.NodeReady] == v1.ConditionTrue:
		m.tell(n, n.spare())
		m.leaveQueue(n, z)
	case taint == "" || n.has(taint, v1.TaintEffectNoExecute):
	case n.has(opposite, v1.TaintEffectNoExecute):
		m.tell(n, m.execute(n))
	case !n.queued:
		z.queue = append(z.queue, n.seen.Name)
		n.queued, m.stale = true, true
	}
}

func (m *Machine) leaveQueue(n *node, z *zone) {
	if !n.queued {
		return
	}
	n.queued, m.stale = false, true
	if i := slices.Index(z.queue, n.seen.Name); i >= 0 {
		z.queue = slices.Delete(z.queue, i, i+1)
	}
}
