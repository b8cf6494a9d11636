package replica

import (
	"context"
	"fmt"
	"os"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"

	"orrery/core/config"
	"orrery/core/leader"
)

// leaseClient is by what name metrics and candidates know the one who stands: that of what is stood in for.
const leaseClient = "kube-scheduler"

// version is the Kubernetes whose behaviour this is.
const version = "1.35.0"

// clients are three, so that none waits for the limits of another: for objects, for events, and for the lease.
type clients struct{ main, event, lease kubernetes.Interface }

func newClients(c *rest.Config, renewDeadline time.Duration) (clients, error) {
	lease := rest.CopyConfig(c)
	lease.Timeout = leader.CallTimeoutOf(renewDeadline)
	var all clients
	for _, of := range []struct {
		client *kubernetes.Interface
		config *rest.Config
	}{
		{&all.main, rest.AddUserAgent(c, "scheduler")},
		{&all.event, c},
		{&all.lease, rest.AddUserAgent(lease, "leader-election")},
	} {
		made, err := kubernetes.NewForConfig(of.config)
		if err != nil {
			return clients{}, fmt.Errorf("connecting to the API server: %w", err)
		}
		*of.client = made
	}
	return all, nil
}

// identity is the host's name, and something that tells two replicas on one host apart.
func (r *Replica) identity() (string, error) {
	if r.options.Identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return "", fmt.Errorf("unable to get hostname: %w", err)
		}
		r.options.Identity = host + "_" + string(uuid.NewUUID())
	}
	return r.options.Identity, nil
}

func (r *Replica) coordinated() bool {
	return r.options.Config.Features.Enabled(config.CoordinatedLeaderElection)
}

// beCandidate announces the replica to the control plane, where that chooses the leader.
func (r *Replica) beCandidate(ctx context.Context) error {
	if !r.coordinated() {
		return nil
	}
	candidate, _, err := leaderelection.NewCandidate(r.leases, metav1.NamespaceSystem, r.options.Identity, leaseClient,
		version, version, coordinationv1.OldestEmulationVersion)
	if err != nil {
		return fmt.Errorf("becoming a candidate for the lease: %w", err)
	}
	go candidate.Run(ctx)
	return nil
}
