package replica

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"

	"orrery/core/config"
)

// The Kubernetes whose behaviour this is, as a LeaseCandidate says it: the control plane prefers who emulates the oldest
// version, and among those who is the oldest release.
const (
	BinaryVersion    = "1.35.4"
	emulationVersion = "1.35.0"
)

// candidacy tells the control plane that there is a replica, and answers when it asks whether there still is one, where it
// is the control plane that chooses the leader.
type candidacy struct {
	*leaderelection.LeaseCandidate
	seen leaderelection.CacheSyncWaiter
}

func (r *Replica) coordinated() bool {
	return r.options.Config.Features.Enabled(config.CoordinatedLeaderElection) && *r.options.Config.LeaderElection.LeaderElect
}

// newCandidacy is for the lease of the configuration; it is nil where replicas elect the leader among themselves.
func (r *Replica) newCandidacy() (*candidacy, error) {
	if !r.coordinated() {
		return nil, nil
	}
	identity, err := r.identity()
	if err != nil {
		return nil, err
	}
	lease := r.options.Config.LeaderElection
	candidate, seen, err := leaderelection.NewCandidate(r.leases, lease.ResourceNamespace, identity, lease.ResourceName,
		BinaryVersion, emulationVersion, coordinationv1.OldestEmulationVersion)
	if err != nil {
		return nil, fmt.Errorf("becoming a candidate for the lease %s/%s: %w", lease.ResourceNamespace, lease.ResourceName, err)
	}
	return &candidacy{candidate, seen}, nil
}

// stand begins the candidacy, until the context ends.
func (c *candidacy) stand(ctx context.Context) {
	if c != nil {
		go c.Run(ctx)
	}
}

// Candidacy tells whether what the control plane asks of the replica is being watched for; nil where it asks nothing.
func (r *Replica) Candidacy() leaderelection.CacheSyncWaiter {
	if r.candidacy == nil {
		return nil
	}
	return r.candidacy.seen
}
