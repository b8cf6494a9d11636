package lifecycle

import (
	"maps"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/store"
	"orrery/core/world"
)

// Settings are the numbers that kube-controller-manager has flags for.
type Settings struct {
	// MonitorPeriod is how often nodes are looked at, Grace how long one may be silent, StartupGrace how long one may
	// take to say its first word.
	MonitorPeriod, Grace, StartupGrace time.Duration
	// Rate and ReducedRate are in nodes per second.
	Rate, ReducedRate float64
	// LargeZone is the most nodes a small zone has, Unhealthy the share of nodes not ready that disrupts a zone.
	LargeZone int
	Unhealthy float32
}

// DefaultSettings are the flags' defaults.
func DefaultSettings() Settings {
	return Settings{
		MonitorPeriod: 5 * time.Second, Grace: 50 * time.Second, StartupGrace: 60 * time.Second,
		Rate: 0.1, ReducedRate: 0.01, LargeZone: 50, Unhealthy: 0.55,
	}
}

// turnPeriod is how often it is looked whose turn it is to get a taint.
const turnPeriod = 100 * time.Millisecond

// Options are what a machine is made with.
type Options struct {
	// Start is when nodes are looked at first; the time of the first input if zero.
	Start time.Time
	// Settings are DefaultSettings if zero.
	Settings Settings
	// Heartbeats says that the world tells of heartbeats, in leases or in the conditions of nodes. Without them silence
	// means nothing, and what conditions say is all there is.
	Heartbeats bool
	// Board is where forecasts are written; nil is a board of its own.
	Board *evict.Board
	// Compare says that the operators Gt and Lt of tolerations are known.
	Compare bool
}

// Change is what is to change on one node.
type Change struct {
	At   time.Time
	Node string
	// Unknown says that what the node says of itself is not known any more: its conditions Ready, MemoryPressure,
	// DiskPressure and PIDPressure become Unknown.
	Unknown     bool
	Add, Remove []v1.Taint
}

// Machine implements evict.Controller, without ever wanting an effect. One goroutine at a time may use it.
type Machine struct {
	options Options
	board   *evict.Board
	now     time.Time
	store   *store.Store
	looked  time.Time // when nodes are looked at next
	nodes   map[string]*node
	zones   map[string]*zone
	pods    map[string]map[types.UID]*v1.Pod
	changes []Change

	foretold map[types.UID]bool // pods with a forecast
	stale    bool               // forecasts have to be made anew
}

// node is what is known of one node.
type node struct {
	seen     *v1.Node // as the world has it
	taints   []v1.Taint
	statuses statuses // of conditions; both as they are once everything that was decided is done

	heard     time.Time // the look at which the last word of it was noticed
	said      word      // that word
	lookedAt  bool
	hasLeased time.Time // the lease's time at the last look
	queued    bool      // for its turn
}

// word is what tells one heartbeat from the next.
type word struct {
	ready bool // there is a condition Ready
	at    time.Time
}

var _ evict.Controller = (*Machine)(nil)

// New is a machine that knows of no node yet.
func New(o Options) *Machine {
	if o.Settings == (Settings{}) {
		o.Settings = DefaultSettings()
	}
	if o.Board == nil {
		o.Board = evict.NewBoard()
	}
	return &Machine{
		options: o, board: o.Board, now: o.Start, looked: o.Start, store: store.New(world.Node, world.Pod, world.Lease),
		nodes: map[string]*node{}, zones: map[string]*zone{}, pods: map[string]map[types.UID]*v1.Pod{},
		foretold: map[types.UID]bool{},
	}
}

// Apply tells what happened. An object that the store refuses is left out, as in the engine.
func (m *Machine) Apply(in world.Input) {
	if m.options.Start.IsZero() {
		m.options.Start, m.looked = in.At, in.At
	}
	m.advance(in.At)
	switch event := in.Event.(type) {
	case world.Changed:
		deltas, _ := m.store.Apply(event)
		m.changed(deltas)
	case world.Listed:
		deltas, _ := m.store.Replace(event)
		m.changed(deltas)
	}
	m.forecast()
}

// NextWake is when the machine looks at nodes next, or gives one its turn.
func (m *Machine) NextWake() (time.Time, bool) {
	if m.options.Start.IsZero() {
		return time.Time{}, false
	}
	wake := m.looked
	for _, z := range m.zones {
		if at, ok := m.turn(z); ok && at.Before(wake) {
			wake = at
		}
	}
	return wake, true
}

// Effects is always empty: nothing in it can be done by an effect.
func (m *Machine) Effects() []world.Effect { return nil }

// Changes hands over what is to change since the last call.
func (m *Machine) Changes() []Change {
	changes := m.changes
	m.changes = nil
	return changes
}

// Fork is a copy that goes its own way and writes on another board, which should be a fork of this one's.
func (m *Machine) Fork(board *evict.Board) *Machine {
	f := *m
	f.board, f.options.Board = board, board
	f.store, f.changes = m.store.Fork(), slices.Clone(m.changes)
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
	f.foretold = maps.Clone(m.foretold)
	return &f
}

// advance lets time pass: looks and turns come when they are due, a look before the turns of its moment.
func (m *Machine) advance(to time.Time) {
	for {
		at, _ := m.NextWake()
		if at.After(to) {
			break
		}
		if at.After(m.now) {
			m.now = at
		}
		if !m.looked.After(m.now) {
			m.looked = m.looked.Add(m.options.Settings.MonitorPeriod)
			m.look()
			continue
		}
		m.giveTurns()
	}
	if to.After(m.now) {
		m.now = to
	}
}

// changed takes in what is new. What the world says of a node replaces what was taken for granted.
func (m *Machine) changed(deltas []store.Delta) {
	for _, d := range deltas {
		switch d.Kind {
		case world.Pod:
			m.podChanged(d)
		case world.Node:
			m.stale = true
			if d.New == nil {
				delete(m.nodes, d.Old.GetName())
				continue
			}
			seen := d.New.(*v1.Node)
			n := m.nodes[seen.Name]
			if n == nil {
				n = &node{}
				m.nodes[seen.Name] = n
			}
			n.seen, n.taints, n.statuses = seen, slices.Clone(seen.Spec.Taints), statusesOf(seen)
			m.tell(n, m.noSchedule(n))
		}
	}
}

func (m *Machine) podChanged(d store.Delta) {
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
	m.stale = m.stale || len(m.foretold) > 0 || m.waits()
}

// waits tells whether any node waits for its turn.
func (m *Machine) waits() bool {
	for _, z := range m.zones {
		if len(z.queue) > 0 {
			return true
		}
	}
	return false
}

// leased is the time in a node's lease.
func (m *Machine) leased(name string) (at time.Time) {
	lease, _ := m.store.Object(world.Lease, v1.NamespaceNodeLease, name).(*coordinationv1.Lease)
	if lease != nil && lease.Spec.RenewTime != nil {
		at = lease.Spec.RenewTime.Time
	}
	return at
}

// tell hands a change over, if it is one.
func (m *Machine) tell(n *node, c Change) {
	if c.Unknown || len(c.Add) > 0 || len(c.Remove) > 0 {
		c.At, c.Node = m.now, n.seen.Name
		m.changes = append(m.changes, c)
		m.stale = true
	}
}
