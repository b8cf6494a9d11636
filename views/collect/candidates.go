package collect

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/views"
)

// maxCandidates bounds the LeaseCandidates: one for each replica of the control plane.
//
//orrery:limit screen; candidates of a lease; the others are left out
const maxCandidates = 128

// candidates are the LeaseCandidates, from which the control plane chooses the leaders of coordinated elections.
type candidates map[types.NamespacedName]*coordinationv1beta1.LeaseCandidate

func (c candidates) fork() candidates { return maps.Clone(c) }

func (c candidates) apply(event world.Event) {
	switch event := event.(type) {
	case world.Changed:
		if candidate, ok := event.Object.(*coordinationv1beta1.LeaseCandidate); ok {
			c.update(candidate, event.Op == world.Deleted)
		}
	case world.Listed:
		if event.Kind != world.LeaseCandidate {
			return
		}
		clear(c)
		for _, o := range event.Objects {
			if candidate, ok := o.(*coordinationv1beta1.LeaseCandidate); ok {
				c.update(candidate, false)
			}
		}
	}
}

func (c candidates) update(candidate *coordinationv1beta1.LeaseCandidate, deleted bool) {
	name := namespacedName(candidate)
	switch {
	case deleted:
		delete(c, name)
	case c[name] != nil || len(c) < maxCandidates:
		c[name] = candidate
	}
}

// of lists the candidates of a Lease, the oldest first, as coordinated leader election prefers them.
func (c candidates) of(lease types.NamespacedName, holder string, now time.Time) []views.Candidate {
	var ofLease []*coordinationv1beta1.LeaseCandidate
	for _, candidate := range c {
		if candidate.Namespace == lease.Namespace && candidate.Spec.LeaseName == lease.Name {
			ofLease = append(ofLease, candidate)
		}
	}
	slices.SortFunc(ofLease, func(a, b *coordinationv1beta1.LeaseCandidate) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
	var list []views.Candidate
	for _, candidate := range ofLease {
		list = append(list, views.Candidate{
			Name: printable.Text(candidate.Name), Note: candidateNote(candidate, holder, now), Announced: true,
		})
	}
	return list
}

// candidateNote describes a candidate and when it was last renewed. Its times are by the clocks of the candidate and
// the API server, and may differ from now by as much as those do.
func candidateNote(candidate *coordinationv1beta1.LeaseCandidate, holder string, now time.Time) string {
	spec := &candidate.Spec
	var parts []string
	if printable.Text(candidate.Name) == holder {
		parts = append(parts, "leader")
	}
	if spec.EmulationVersion != "" {
		parts = append(parts, "emulates "+printable.Text(spec.EmulationVersion))
	}
	parts = append(parts, "version "+printable.Text(spec.BinaryVersion))
	switch {
	case spec.RenewTime == nil:
		parts = append(parts, "never renewed")
	case spec.PingTime != nil && spec.RenewTime.Before(spec.PingTime):
		parts = append(parts, "pinged "+ago(now, spec.PingTime.Time)+", not renewed since")
	default:
		parts = append(parts, "renewed "+ago(now, spec.RenewTime.Time))
	}
	return strings.Join(parts, ", ")
}

func ago(now, then time.Time) string {
	return max(now.Sub(then), 0).Round(time.Second).String() + " ago"
}
