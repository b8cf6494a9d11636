package lifecycle

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"

	"orrery/core/world"
)

// excluded is the label of nodes that are excluded from their zone's state.
const excluded = "node.kubernetes.io/exclude-disruption"

// readyCounts are the numbers of ready and NotReady nodes in a zone.
type readyCounts struct{ ready, not int }

// monitor is one pass over all nodes, by name.
func (m *Controller) monitor() {
	m.changed, m.nextMonitor = false, time.Time{}
	counts := map[string]*readyCounts{}
	for o := range m.store.Objects(world.Node) {
		n := m.nodes[o.GetName()]
		m.checkHeartbeat(n)
		if m.options.Immediate {
			continue
		}
		name := topology.GetZoneKey(n.seen)
		z := m.zone(name)
		if _, out := n.seen.Labels[excluded]; !out {
			if counts[name] == nil {
				counts[name] = &readyCounts{}
			}
			if n.statuses[v1.NodeReady] == v1.ConditionTrue {
				counts[name].ready++
			} else {
				counts[name].not++
			}
		}
		m.reconcileNoExecute(n, z)
	}
	m.updateZones(counts)
	if m.changed && !m.options.Immediate {
		m.monitorBy(m.now.Add(m.options.Settings.MonitorPeriod))
	}
}

// checkHeartbeat marks a node Unknown that has been silent for its grace period; otherwise it schedules the pass at which
// the grace period ends.
func (m *Controller) checkHeartbeat(n *node) {
	m.observeHeartbeat(n)
	if since, silent := m.silent[n.seen.Name]; silent {
		if end := since.Add(m.options.Settings.GracePeriod); m.now.Before(end) {
			m.monitorBy(m.monitorFrom(end))
		} else {
			delete(m.silent, n.seen.Name)
			m.emit(n, Change{Unknown: true})
		}
	}
	if !m.options.Heartbeats || n.statuses[v1.NodeReady] == v1.ConditionUnknown {
		return
	}
	if end := n.lastHeartbeat.Add(m.gracePeriod(n)); m.now.Before(end) {
		m.monitorBy(m.monitorFrom(end))
	} else {
		m.markUnknown(n)
	}
}

// observeHeartbeat records whether a node has reported since the last pass.
func (m *Controller) observeHeartbeat(n *node) {
	latest := heartbeatOf(n)
	switch {
	case !n.monitored && latest.known:
		n.lastHeartbeat = m.now
	case !n.monitored:
		n.lastHeartbeat = n.seen.CreationTimestamp.Time
	case latest.known != n.heartbeat.known, latest.known && !latest.at.Equal(n.heartbeat.at):
		n.lastHeartbeat = m.now
	}
	switch renewed := m.leaseRenewTime(n.seen.Name); {
	case renewed.After(n.leaseSeen):
		n.lastHeartbeat, n.leaseSeen = m.now, renewed
	case latest != n.heartbeat:
		n.leaseSeen = time.Time{} // at the next pass the lease counts again, old as it is
		m.changed = true
	}
	n.heartbeat, n.monitored = latest, true
}

// heartbeatOf returns the last heartbeat in a node's condition Ready.
func heartbeatOf(n *node) heartbeat {
	for i := range n.seen.Status.Conditions {
		if c := &n.seen.Status.Conditions[i]; c.Type == v1.NodeReady {
			return heartbeat{true, c.LastHeartbeatTime.Time}
		}
	}
	return heartbeat{}
}

func (m *Controller) gracePeriod(n *node) time.Duration {
	if n.statuses[v1.NodeReady] == "" {
		return m.options.Settings.StartupGracePeriod
	}
	return m.options.Settings.GracePeriod
}

// markUnknown sets the conditions that a node's kubelet reports to Unknown.
func (m *Controller) markUnknown(n *node) {
	for _, kind := range selfReported {
		n.statuses[kind] = v1.ConditionUnknown
	}
	c := m.reconcileConditions(n)
	c.Unknown = true
	m.emit(n, c)
}

// reconcileNoExecute removes the NoExecute taints of a ready node, swaps a wrong taint for the right one, and queues a node
// that needs one and has none.
func (m *Controller) reconcileNoExecute(n *node, z *zone) {
	taint, opposite := n.noExecuteKeys()
	switch {
	case n.statuses[v1.NodeReady] == v1.ConditionTrue:
		m.emit(n, n.removeNoExecute())
		m.dequeue(n, z)
	case taint == "" || n.has(taint, v1.TaintEffectNoExecute):
	case n.has(opposite, v1.TaintEffectNoExecute):
		m.emit(n, m.swapNoExecute(n))
	case !n.queued:
		z.queue = append(z.queue, n.seen.Name)
		n.queued = true
		m.touch()
	}
}

func (m *Controller) dequeue(n *node, z *zone) {
	if !n.queued {
		return
	}
	n.queued = false
	m.touch()
	if i := slices.Index(z.queue, n.seen.Name); i >= 0 {
		z.queue = slices.Delete(z.queue, i, i+1)
	}
}
