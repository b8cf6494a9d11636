package collect

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/printable"
	"orrery/core/world"
	"orrery/views"
)

// candidatesMost is how many LeaseCandidates are kept: one for each replica of a control plane's programs.
const candidatesMost = 128

// candidates are the LeaseCandidates there are: by these the control plane chooses who leads, where it does.
type candidates map[types.NamespacedName]*coordinationv1beta1.LeaseCandidate

func (c candidates) fork() candidates { return maps.Clone(c) }

func (c candidates) apply(event world.Event) {
	switch event := event.(type) {
	case world.Changed:
		if candidate, ok := event.Object.(*coordinationv1beta1.LeaseCandidate); ok {
			c.see(candidate, event.Op == world.Deleted)
		}
	case world.Listed:
		if event.Kind != world.LeaseCandidate {
			return
		}
		clear(c)
		for _, o := range event.Objects {
			if candidate, ok := o.(*coordinationv1beta1.LeaseCandidate); ok {
				c.see(candidate, false)
			}
		}
	}
}

func (c candidates) see(candidate *coordinationv1beta1.LeaseCandidate, gone bool) {
	name := nameOf(candidate)
	switch {
	case gone:
		delete(c, name)
	case c[name] != nil || len(c) < candidatesMost:
		c[name] = candidate
	}
}

// of are those who stand for a lease, in the order in which the control plane prefers them as far as it is told here: the
// oldest first.
func (c candidates) of(lease types.NamespacedName, holder string, now time.Time) []views.Candidate {
	var standing []*coordinationv1beta1.LeaseCandidate
	for _, candidate := range c {
		if candidate.Namespace == lease.Namespace && candidate.Spec.LeaseName == lease.Name {
			standing = append(standing, candidate)
		}
	}
	slices.SortFunc(standing, func(a, b *coordinationv1beta1.LeaseCandidate) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
	var list []views.Candidate
	for _, candidate := range standing {
		list = append(list, views.Candidate{
			Name: printable.Text(candidate.Name), Note: noteOf(candidate, holder, now), Announced: true,
		})
	}
	return list
}

// noteOf is what a candidate says of itself, and whether it is still there. Its times are by its own clock and the API
// server's, so that they may be off by as much as those are.
func noteOf(candidate *coordinationv1beta1.LeaseCandidate, holder string, now time.Time) string {
	spec := &candidate.Spec
	var parts []string
	if printable.Text(candidate.Name) == holder {
		parts = append(parts, "leads")
	}
	if spec.EmulationVersion != "" {
		parts = append(parts, "behaves like "+printable.Text(spec.EmulationVersion))
	}
	parts = append(parts, "is "+printable.Text(spec.BinaryVersion))
	switch {
	case spec.RenewTime == nil:
		parts = append(parts, "was never heard of")
	case spec.PingTime != nil && spec.RenewTime.Before(spec.PingTime):
		parts = append(parts, "was asked "+ago(now, spec.PingTime.Time)+" and has not answered")
	default:
		parts = append(parts, "heard of "+ago(now, spec.RenewTime.Time))
	}
	return strings.Join(parts, ", ")
}

func ago(now, then time.Time) string {
	return max(now.Sub(then), 0).Round(time.Second).String() + " ago"
}
