package collect

import (
	"maps"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/leader"
	"orrery/core/world"
)

// leases are the Leases that were seen and that somebody stands for, each with somebody who watches it.
type leases struct {
	election leader.Settings
	delay    time.Duration
	byName   map[types.NamespacedName]*watched
	standing candidates
}

// watched is a Lease's history, and the times between its last renewals.
type watched struct {
	*leader.Watcher
	name     types.NamespacedName
	renewed  time.Time // as the Lease has it
	seen     time.Time
	beats    [beatsKept]time.Duration
	renewals int
}

const (
	// leasesMost is how many Leases are watched: controllers have one each.
	leasesMost = 64
	beatsKept  = 64
	// heartbeats is the namespace in which every node has a Lease, and identity the label on those of API servers.
	heartbeats = "kube-node-lease"
	identity   = "apiserver.kubernetes.io/identity"
)

// competedFor tells of a Lease whether anybody stands for it. Others only say that somebody is alive.
func competedFor(lease *coordinationv1.Lease) bool {
	return lease.Namespace != heartbeats && lease.Labels[identity] == ""
}

func newLeases(o ChronicleOptions) leases {
	return leases{election: o.Election, delay: o.LeaseDelay, byName: map[types.NamespacedName]*watched{}, standing: candidates{}}
}

func (l *leases) fork() leases {
	f := *l
	f.byName, f.standing = maps.Clone(l.byName), l.standing.fork()
	for name, w := range f.byName {
		twin := *w
		twin.Watcher = w.Watcher.Fork()
		f.byName[name] = &twin
	}
	return f
}

func (l *leases) apply(in world.Input) {
	l.standing.apply(in.Event)
	switch event := in.Event.(type) {
	case world.Changed:
		if lease, ok := event.Object.(*coordinationv1.Lease); ok && competedFor(lease) {
			if w := l.watch(lease); w != nil {
				w.apply(in, lease)
			}
		}
	case world.Listed:
		if event.Kind == world.Lease {
			l.listed(in, event)
		}
	}
}

// listed tells everybody who watches of the list: a Lease that is not in it is gone.
func (l *leases) listed(in world.Input, event world.Listed) {
	for _, o := range event.Objects {
		if lease, ok := o.(*coordinationv1.Lease); ok && competedFor(lease) {
			l.watch(lease)
		}
	}
	for _, w := range l.byName {
		w.Apply(in)
	}
	for _, o := range event.Objects {
		if lease, ok := o.(*coordinationv1.Lease); ok {
			if w := l.byName[nameOf(lease)]; w != nil {
				w.beat(in.At, lease)
			}
		}
	}
}

func nameOf(o world.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// watch finds who watches a Lease, or sets somebody to it.
func (l *leases) watch(lease *coordinationv1.Lease) *watched {
	name := nameOf(lease)
	w := l.byName[name]
	if w == nil && len(l.byName) < leasesMost {
		settings := l.election
		settings.Namespace, settings.Name = name.Namespace, name.Name
		w = &watched{Watcher: leader.NewWatcher(settings, l.delay), name: name}
		l.byName[name] = w
	}
	return w
}

func (w *watched) apply(in world.Input, lease *coordinationv1.Lease) {
	w.Apply(in)
	w.beat(in.At, lease)
}

// beat notes the time between two renewals. A Lease is written for other reasons as well.
func (w *watched) beat(at time.Time, lease *coordinationv1.Lease) {
	if lease.Spec.RenewTime == nil || !lease.Spec.RenewTime.After(w.renewed) {
		return
	}
	if !w.seen.IsZero() {
		w.beats[w.renewals%beatsKept] = at.Sub(w.seen)
		w.renewals++
	}
	w.renewed, w.seen = lease.Spec.RenewTime.Time, at
}

// last are the times between the last renewals, the oldest first.
func (w *watched) last() []time.Duration {
	n := min(w.renewals, beatsKept)
	list := make([]time.Duration, n)
	for i := range list {
		list[i] = w.beats[(w.renewals-n+i)%beatsKept]
	}
	return list
}

// scheduler is the Lease that the scheduler's replicas compete for; nil if there is none.
func (l *leases) scheduler() *watched {
	return l.byName[l.name()]
}

func (l *leases) name() types.NamespacedName {
	return types.NamespacedName{Namespace: l.election.Namespace, Name: l.election.Name}
}

// others are all Leases but the scheduler's, by name.
func (l *leases) others() []*watched {
	list := slices.DeleteFunc(slices.Collect(maps.Values(l.byName)), func(w *watched) bool {
		return w.name == l.name() || w.Read(time.Time{}).State == leader.Absent
	})
	slices.SortFunc(list, func(a, b *watched) int { return strings.Compare(a.name.String(), b.name.String()) })
	return list
}
