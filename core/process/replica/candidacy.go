package replica

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"

	"orrery/core/safe/panics"
	"orrery/core/scheduler/config"
)

// candidacy announces the replica to the control plane, and answers its pings, where the control plane chooses the leader.
type candidacy struct {
	*leaderelection.LeaseCandidate
	synced leaderelection.CacheSyncWaiter
}

func (r *Replica) coordinated() bool {
	return r.options.Config.Features.Enabled(config.CoordinatedLeaderElection) && *r.options.Config.LeaderElection.LeaderElect
}

// newCandidacy announces the replica for the configuration's lease; it is nil where replicas elect the leader among
// themselves.
func (r *Replica) newCandidacy() (*candidacy, error) {
	if !r.coordinated() {
		return nil, nil
	}
	identity, err := r.identity()
	if err != nil {
		return nil, err
	}
	lease := r.options.Config.LeaderElection
	as := r.options.Config.Features.Release()
	candidate, seen, err := leaderelection.NewCandidate(r.leases, lease.ResourceNamespace, identity, lease.ResourceName,
		as.Patch(), as.Emulated(), coordinationv1.OldestEmulationVersion)
	if err != nil {
		return nil, fmt.Errorf("becoming a candidate for the lease %s/%s: %w", lease.ResourceNamespace, lease.ResourceName, err)
	}
	return &candidacy{candidate, seen}, nil
}

// start announces the replica until the context ends. After a panic it gives the error to ended.
func (c *candidacy) start(ctx context.Context, ended chan<- error) {
	if c == nil {
		return
	}
	go func() {
		if err := panics.Call("the candidacy for the lease", func() { c.Run(ctx) }); err != nil {
			ended <- err
		}
	}()
}

// Candidacy reports whether the control plane's requests are being watched; nil without coordinated election.
func (r *Replica) Candidacy() leaderelection.CacheSyncWaiter {
	if r.candidacy == nil {
		return nil
	}
	return r.candidacy.synced
}
