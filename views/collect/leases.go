package collect

import (
	"maps"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/process/leader"
	"orrery/core/world"
)

// leases are the Leases of elections, each with its history, and the announced candidates.
type leases struct {
	election   leader.Settings
	delay      time.Duration
	byName     map[types.NamespacedName]*leaseHistory
	candidates candidates
	seen       bool // a list of Leases, so that one that is not known is not there
}

// leaseHistory is a Lease's history, and the intervals between its last renewals.
type leaseHistory struct {
	*leader.Watcher
	name      types.NamespacedName
	renewed   time.Time // the renew time in the Lease
	renewedAt time.Time
	intervals [maxRenewals]time.Duration
	renewals  int
}

const (
	// maxLeases bounds the Leases with a history: each controller has one.
	//
	//orrery:limit screen; leases with a history; the others have none
	maxLeases   = 64
	maxRenewals = 64
	// nodeLeaseNamespace has a heartbeat Lease for every node; the label is on the heartbeat Leases of API servers.
	nodeLeaseNamespace     = "kube-node-lease"
	apiServerIdentityLabel = "apiserver.kubernetes.io/identity"
)

// isElection reports whether replicas compete for a Lease. The other Leases are heartbeats.
func isElection(lease *coordinationv1.Lease) bool {
	return lease.Namespace != nodeLeaseNamespace && lease.Labels[apiServerIdentityLabel] == ""
}

func newLeases(o HistoryOptions) leases {
	return leases{election: o.Election, delay: o.LeaseDelay, byName: map[types.NamespacedName]*leaseHistory{}, candidates: candidates{}}
}

func (l *leases) fork() leases {
	f := *l
	f.byName, f.candidates = maps.Clone(l.byName), l.candidates.fork()
	for name, w := range f.byName {
		clone := *w
		clone.Watcher = w.Watcher.Fork()
		f.byName[name] = &clone
	}
	return f
}

func (l *leases) apply(in world.Input) {
	l.candidates.apply(in.Event)
	switch event := in.Event.(type) {
	case world.Changed:
		if lease, ok := event.Object.(*coordinationv1.Lease); ok && isElection(lease) {
			if w := l.leaseHistory(lease); w != nil {
				w.apply(in, lease)
			}
		}
	case world.Listed:
		if event.Kind == world.Lease {
			l.listed(in, event)
		}
	}
}

// listed applies a list to all histories: a Lease that is not in it was deleted.
func (l *leases) listed(in world.Input, event world.Listed) {
	l.seen = true
	for _, o := range event.Objects {
		if lease, ok := o.(*coordinationv1.Lease); ok && isElection(lease) {
			l.leaseHistory(lease)
		}
	}
	for _, w := range l.byName {
		w.Apply(in)
	}
	for _, o := range event.Objects {
		if lease, ok := o.(*coordinationv1.Lease); ok {
			if w := l.byName[namespacedName(lease)]; w != nil {
				w.recordRenewal(in.At, lease)
			}
		}
	}
}

func namespacedName(o world.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// leaseHistory returns the history of a Lease, creating it if necessary; nil if there are too many.
func (l *leases) leaseHistory(lease *coordinationv1.Lease) *leaseHistory {
	name := namespacedName(lease)
	w := l.byName[name]
	if w == nil && len(l.byName) < maxLeases {
		settings := l.election
		settings.Namespace, settings.Name = name.Namespace, name.Name
		w = &leaseHistory{Watcher: leader.NewWatcher(settings, l.delay), name: name}
		l.byName[name] = w
	}
	return w
}

func (w *leaseHistory) apply(in world.Input, lease *coordinationv1.Lease) {
	w.Apply(in)
	w.recordRenewal(in.At, lease)
}

// recordRenewal records the interval since the last renewal. Updates for other reasons do not count.
func (w *leaseHistory) recordRenewal(at time.Time, lease *coordinationv1.Lease) {
	if lease.Spec.RenewTime == nil || !lease.Spec.RenewTime.After(w.renewed) {
		return
	}
	if !w.renewedAt.IsZero() {
		w.intervals[w.renewals%maxRenewals] = max(at.Sub(w.renewedAt), 0)
		w.renewals++
	}
	w.renewed, w.renewedAt = lease.Spec.RenewTime.Time, at
}

// lastIntervals are the intervals between the last renewals, the oldest first.
func (w *leaseHistory) lastIntervals() []time.Duration {
	n := min(w.renewals, maxRenewals)
	list := make([]time.Duration, n)
	for i := range list {
		list[i] = w.intervals[(w.renewals-n+i)%maxRenewals]
	}
	return list
}

// scheduler is the Lease of the scheduler's election; nil if there is none.
func (l *leases) scheduler() *leaseHistory { return l.byName[l.name()] }

func (l *leases) name() types.NamespacedName {
	return types.NamespacedName{Namespace: l.election.Namespace, Name: l.election.Name}
}

// others are all existing Leases but the scheduler's, by name.
func (l *leases) others() []*leaseHistory {
	list := slices.DeleteFunc(slices.Collect(maps.Values(l.byName)), func(w *leaseHistory) bool {
		return w.name == l.name() || w.Status(time.Time{}).State == leader.Absent
	})
	slices.SortFunc(list, func(a, b *leaseHistory) int { return strings.Compare(a.name.String(), b.name.String()) })
	return list
}
