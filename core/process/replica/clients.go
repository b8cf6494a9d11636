package replica

import (
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"orrery/core/process/leader"
	"orrery/core/world/live"
)

// leaseClientName names the lease's client in metrics: kube-scheduler's, which it replaces.
const leaseClientName = "kube-scheduler"

// clients are three, with rate limits of their own: for objects, for events, and for the lease.
type clients struct{ main, event, lease kubernetes.Interface }

func newClients(c *rest.Config, renewDeadline time.Duration, gate *live.WriteGate) (clients, error) {
	lease, main := rest.CopyConfig(c), rest.CopyConfig(c)
	lease.Timeout = leader.CallTimeoutOf(renewDeadline)
	gate.Guard(main)
	var all clients
	for _, of := range []struct {
		client *kubernetes.Interface
		config *rest.Config
	}{
		{&all.main, rest.AddUserAgent(main, "scheduler")},
		{&all.event, c},
		{&all.lease, rest.AddUserAgent(lease, "leader-election")},
	} {
		made, err := live.NewClient(of.config)
		if err != nil {
			return clients{}, err
		}
		*of.client = made
	}
	return all, nil
}

// Identity is the replica's identity in the Lease; empty without leader election.
func (r *Replica) Identity() string {
	if !*r.options.Config.LeaderElection.LeaderElect {
		return ""
	}
	return r.options.Identity
}

// hostname returns the host's name. Tests replace it.
var hostname = os.Hostname

// identity is the host name and a UUID, so that two replicas on one host differ.
func (r *Replica) identity() (string, error) {
	if r.options.Identity == "" {
		host, err := hostname()
		if err != nil {
			return "", fmt.Errorf("unable to get hostname: %w", err)
		}
		r.options.Identity = host + "_" + string(uuid.NewUUID())
	}
	return r.options.Identity, nil
}
