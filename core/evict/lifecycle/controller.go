package lifecycle

import (
	"maps"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Settings are the numbers that kube-controller-manager has flags for.
type Settings struct {
	// MonitorPeriod is the time between monitor passes, GracePeriod how long a node may be silent, StartupGracePeriod how
	// long a new node may take until its first heartbeat.
	MonitorPeriod, GracePeriod, StartupGracePeriod time.Duration
	// EvictionRate and SecondaryEvictionRate are in nodes per second.
	EvictionRate, SecondaryEvictionRate float64
	// LargeClusterSizeThreshold is the maximum size of a small zone, UnhealthyZoneThreshold the share of NotReady nodes
	// that disrupts a zone.
	LargeClusterSizeThreshold int
	UnhealthyZoneThreshold    float32
}

// DefaultSettings are the flags' defaults.
func DefaultSettings() Settings {
	return Settings{
		MonitorPeriod: 5 * time.Second, GracePeriod: 50 * time.Second, StartupGracePeriod: 60 * time.Second,
		EvictionRate: 0.1, SecondaryEvictionRate: 0.01, LargeClusterSizeThreshold: 50, UnhealthyZoneThreshold: 0.55,
	}
}

// tickPeriod is how often the zones' queues are polled.
const tickPeriod = 100 * time.Millisecond

// Options configure a Controller.
type Options struct {
	// Start is the time of the first monitor pass; the time of the first input if zero.
	Start time.Time
	// Settings are DefaultSettings if zero.
	Settings Settings
	// Heartbeats is true if the inputs have heartbeats, in leases or node conditions. Without them no silent node becomes
	// Unknown; the conditions decide.
	Heartbeats bool
	// Predict drops the changes: only the predicted evictions are used.
	Predict bool
	// Immediate sets and removes the NoExecute taints together with the NoSchedule ones, without the zones' rate limits.
	Immediate bool
	// Record is where predicted evictions are written; nil is a record of its own.
	Record *evict.Record
	// Store, if not nil, is shared: its owner keeps [Kinds] in it and passes every change to ApplyDeltas.
	Store *store.Store
	// ComparisonOperators is the feature gate TaintTolerationComparisonOperators: tolerations may use Gt and Lt.
	ComparisonOperators bool
}

// Change is a change of one node.
type Change struct {
	At   time.Time
	Node string
	// Unknown sets the conditions Ready, MemoryPressure, DiskPressure and PIDPressure to Unknown.
	Unknown     bool
	Add, Remove []v1.Taint
}

// Controller is driven beside an engine; see package drive. It has no effects: its changes of nodes are in Changes. It is not
// safe for concurrent use.
type Controller struct {
	options Options
	record  *evict.Record
	now     time.Time
	store   *store.Store
	nodes   map[string]*node
	zones   map[string]*zone
	pods    map[string]map[types.UID]*v1.Pod // by node
	silent  map[string]time.Time             // silent nodes, since when
	changes []Change

	// nextMonitor is the next monitor pass that may change anything, zero if none may without another input.
	nextMonitor time.Time
	changed     bool // the current monitor pass changed something, so that the next one may, too
	predicted   map[types.UID]bool
	dirty       bool // predicted is out of date
}

// node is the state of one node.
type node struct {
	seen     *v1.Node // as last seen
	taints   []v1.Taint
	statuses statuses // of its conditions; both include all changes

	lastHeartbeat time.Time // the monitor pass that noticed the last heartbeat
	heartbeat     heartbeat // that heartbeat
	monitored     bool
	leaseSeen     time.Time // the lease's renew time at the last pass
	queued        bool      // in its zone's queue
}

// heartbeat identifies one heartbeat.
type heartbeat struct {
	known bool // there is a condition Ready
	at    time.Time
}

// Kinds are the kinds of objects that a Controller reads.
func Kinds() []world.Kind { return []world.Kind{world.Node, world.Pod, world.Lease} }

// New returns a Controller without nodes.
func New(o Options) *Controller {
	if o.Settings == (Settings{}) {
		o.Settings = DefaultSettings()
	}
	o.Record, o.Store = evict.OwnOrShared(o.Record, o.Store, Kinds()...)
	return &Controller{
		options: o, record: o.Record, now: o.Start, store: o.Store,
		nodes: map[string]*node{}, zones: map[string]*zone{}, pods: map[string]map[types.UID]*v1.Pod{},
		silent: map[string]time.Time{}, predicted: map[types.UID]bool{},
	}
}

// Apply takes in an input.
func (m *Controller) Apply(in world.Input) {
	m.advance(in.At)
	m.handleDeltas(evict.TakeIn(m.store, in))
	m.predict()
}

// ApplyDeltas takes in the changes of a shared store. Apply must have advanced the controller to their time before.
func (m *Controller) ApplyDeltas(deltas []store.Delta) {
	m.handleDeltas(deltas)
	m.predict()
}

// SetSilent records that a node's kubelet has stopped or resumed its reports. The node becomes Unknown once, after the
// grace period; its taints follow when its conditions show it.
func (m *Controller) SetSilent(now time.Time, node string, silent bool) {
	m.advance(now)
	delete(m.silent, node)
	if silent {
		m.silent[node] = now
		m.monitorBy(m.monitorFrom(now.Add(m.options.Settings.GracePeriod)))
	}
}

// NextWake returns the time of the next monitor pass that may change anything, or of the next queued node's taint.
func (m *Controller) NextWake() (time.Time, bool) {
	wake := m.nextMonitor
	for _, z := range m.zones {
		if at, ok := m.nextTaintAt(z); ok && (wake.IsZero() || at.Before(wake)) {
			wake = at
		}
	}
	return wake, !wake.IsZero()
}

// Effects is always empty: no effect changes nodes.
func (m *Controller) Effects() []world.Effect { return nil }

// Changes returns the changes since the last call.
func (m *Controller) Changes() []Change {
	changes := m.changes
	m.changes = nil
	return changes
}

// Fork returns an independent copy that writes to record, a fork of its own.
func (m *Controller) Fork(record *evict.Record) *Controller { return m.ForkOn(m.store.Fork(), record) }

// ForkOn is Fork for a controller with a shared store, which was forked as well.
func (m *Controller) ForkOn(store *store.Store, record *evict.Record) *Controller {
	f := *m
	f.record, f.options.Record, f.store, f.options.Store = record, record, store, store
	f.changes, f.silent, f.predicted = slices.Clone(m.changes), maps.Clone(m.silent), maps.Clone(m.predicted)
	f.nodes, f.zones = make(map[string]*node, len(m.nodes)), make(map[string]*zone, len(m.zones))
	for name, n := range m.nodes {
		twin := *n
		twin.taints, twin.statuses = slices.Clone(n.taints), maps.Clone(n.statuses)
		f.nodes[name] = &twin
	}
	for name, z := range m.zones {
		twin := *z
		twin.queue = slices.Clone(z.queue)
		f.zones[name] = &twin
	}
	f.pods = make(map[string]map[types.UID]*v1.Pod, len(m.pods))
	for name, pods := range m.pods {
		f.pods[name] = maps.Clone(pods)
	}
	return &f
}

// advance runs monitor passes and queued taints at their times, a pass before the taints of the same time.
func (m *Controller) advance(to time.Time) {
	if m.options.Start.IsZero() {
		m.options.Start, m.now = to, to
	}
	evict.Advance(&m.now, to, m.NextWake, m.fire)
}

func (m *Controller) fire(time.Time) {
	if !m.nextMonitor.IsZero() && !m.nextMonitor.After(m.now) {
		m.monitor()
	} else {
		m.taintNext()
	}
}

// monitorFrom returns the first monitor pass that is not before a time.
func (m *Controller) monitorFrom(at time.Time) time.Time {
	return saturating.NextTick(m.options.Start, m.options.Settings.MonitorPeriod, at)
}

// monitorBy schedules a monitor pass, unless an earlier one is scheduled.
func (m *Controller) monitorBy(at time.Time) {
	if m.nextMonitor.IsZero() || at.Before(m.nextMonitor) {
		m.nextMonitor = at
	}
}

// touch records a change that the next monitor pass has to see.
func (m *Controller) touch() { m.changed, m.dirty = true, true }

// handleDeltas takes in changes. A node as seen replaces the state that earlier changes led to.
func (m *Controller) handleDeltas(deltas []store.Delta) {
	for _, d := range deltas {
		if d.Kind == world.Pod {
			m.podChanged(d)
			continue
		}
		if !m.options.Immediate {
			m.monitorBy(m.monitorFrom(m.now.Add(1)))
		}
		if d.Kind == world.Node {
			m.nodeChanged(d)
		}
	}
}

func (m *Controller) nodeChanged(d store.Delta) {
	if d.New == nil {
		delete(m.nodes, d.Old.GetName())
		delete(m.silent, d.Old.GetName())
		m.dirty = true
		return
	}
	seen := d.New.(*v1.Node)
	n := m.nodes[seen.Name]
	if n == nil {
		n = &node{}
		m.nodes[seen.Name] = n
	}
	taints, now := seen.Spec.Taints, statusesOf(seen)
	if n.seen == nil || !slices.EqualFunc(n.taints, taints, sameTaint) || !maps.Equal(n.statuses, now) {
		m.dirty = m.dirty || m.concerns(taints)
	}
	n.seen, n.taints, n.statuses = seen, slices.Clone(taints), now
	m.emit(n, m.reconcileConditions(n))
}

// concerns reports whether predictions may change with a node that has these taints. Without any, and without a node that will be tainted, a
// node changes none: looking at all nodes for each new one would make a cluster of n nodes cost n² to load.
func (m *Controller) concerns(taints []v1.Taint) bool {
	return len(m.predicted) > 0 || m.anyQueued() || slices.ContainsFunc(taints, func(t v1.Taint) bool { return t.Effect == v1.TaintEffectNoExecute })
}

func sameTaint(a, b v1.Taint) bool {
	return a.Key == b.Key && a.Effect == b.Effect && a.Value == b.Value && a.TimeAdded.Equal(b.TimeAdded)
}

func (m *Controller) podChanged(d store.Delta) {
	if old, ok := d.Old.(*v1.Pod); ok && old.Spec.NodeName != "" {
		delete(m.pods[old.Spec.NodeName], old.UID)
		if len(m.pods[old.Spec.NodeName]) == 0 {
			delete(m.pods, old.Spec.NodeName)
		}
	}
	if pod, ok := d.New.(*v1.Pod); ok && pod.Spec.NodeName != "" {
		if m.pods[pod.Spec.NodeName] == nil {
			m.pods[pod.Spec.NodeName] = map[types.UID]*v1.Pod{}
		}
		m.pods[pod.Spec.NodeName][pod.UID] = pod
	}
	m.dirty = m.dirty || len(m.predicted) > 0 || m.anyQueued()
}

// anyQueued reports whether any node is queued.
func (m *Controller) anyQueued() bool {
	for _, z := range m.zones {
		if len(z.queue) > 0 {
			return true
		}
	}
	return false
}

// leaseRenewTime returns the renew time of a node's lease.
func (m *Controller) leaseRenewTime(name string) (at time.Time) {
	lease, _ := m.store.Object(world.Lease, v1.NamespaceNodeLease, name).(*coordinationv1.Lease)
	if lease != nil && lease.Spec.RenewTime != nil {
		at = lease.Spec.RenewTime.Time
	}
	return at
}

// emit appends a change, unless it is empty.
func (m *Controller) emit(n *node, c Change) {
	if c.Unknown || len(c.Add) > 0 || len(c.Remove) > 0 {
		c.At, c.Node = m.now, n.seen.Name
		if !m.options.Predict {
			m.changes = append(m.changes, c)
		}
		m.touch()
	}
}
