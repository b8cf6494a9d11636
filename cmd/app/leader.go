package app

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/scheduler/config"
	"orrery/core/trace/reach"
	"orrery/core/world"
)

// leaderDocument is whether a scheduler leads, by its lease.
type leaderDocument struct {
	Lease string `json:"lease"`
	// State is "held", "expired", "free" or "absent".
	State   string `json:"state"`
	Holder  string `json:"holder,omitempty"`
	Renewed moment `json:"renewed,omitempty"`

	holding reach.Holding
}

// readLeader finds out whether a scheduler leads: of a cluster by its lease, of a trace by the lease in it, if there is one. A running
// scheduler that was attached to says so itself.
func (s *openedAt) readLeader(c *cobra.Command, lease reach.Lease) error {
	if s.cluster == nil {
		if o, is := s.Engine().Store().Object(world.Lease, lease.Namespace, lease.Name).(*coordinationv1.Lease); is && s.rate == nil {
			s.leader = newLeader(lease, reach.HoldingOf(o, s.at))
		}
		return nil
	}
	lease.Listed = true
	h, err := lease.Look(c.Context(), s.cluster.client, time.Now(), time.After)
	switch {
	case apierrors.IsForbidden(err):
		s.source.Unread = append(s.source.Unread, unreadableDocument{
			string(world.Lease), "there is no right to list " + world.Lease.Resource().GroupResource().String(), consequences[world.Lease],
		})
	case err != nil:
		return fmt.Errorf("asking who leads: %w", orNoAnswer(err))
	default:
		s.leader = newLeader(lease, h)
	}
	return nil
}

func newLeader(lease reach.Lease, h reach.Holding) *leaderDocument {
	d := &leaderDocument{Lease: lease.String(), State: h.State.String(), Holder: h.Holder, holding: h}
	if !h.Renewed.IsZero() {
		d.Renewed = momentOf(h.Renewed)
	}
	return d
}

// leaseOf returns the lease of a cluster's scheduler: of the flags, of its configuration, or kube-scheduler's. It is false for a scheduler
// that is configured to take none.
func (a *target) leaseOf(c *cobra.Command, configuration *config.Configuration) (reach.Lease, bool) {
	lease := a.running.lease
	if configuration == nil {
		return lease, true
	}
	e := &configuration.LeaderElection
	if !c.Flags().Changed(leaseNameFlag) {
		lease.Name = cmp.Or(e.ResourceName, lease.Name)
	}
	if !c.Flags().Changed(leaseNamespaceFlag) {
		lease.Namespace = cmp.Or(e.ResourceNamespace, lease.Namespace)
	}
	return lease, e.LeaderElect == nil || *e.LeaderElect
}

// none says, unescaped, that no scheduler leads; empty if one does, or if that is not known.
func (d *leaderDocument) none() string {
	if d == nil || d.holding.State == reach.Held {
		return ""
	}
	switch d.holding.State {
	case reach.Absent:
		return "no scheduler holds " + d.Lease + ", which does not exist: no pod is scheduled, unless by a scheduler without leader election"
	case reach.Expired:
		return fmt.Sprintf("no scheduler holds %s, which %s last renewed at %s: no pod is scheduled", d.Lease, d.Holder, timeText(d.holding.Renewed))
	}
	return "no scheduler holds " + d.Lease + ": no pod is scheduled"
}
