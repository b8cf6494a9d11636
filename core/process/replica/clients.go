package replica

import (
	"errors"
	"fmt"
	"net/http"
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

func newClients(c *rest.Config, renewDeadline time.Duration, allowed func() bool) (clients, error) {
	lease, main := rest.CopyConfig(c), rest.CopyConfig(c)
	lease.Timeout = leader.CallTimeoutOf(renewDeadline)
	main.Wrap(func(next http.RoundTripper) http.RoundTripper { return writeGate{next, allowed} })
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

// writeGate rejects writes while the replica does not lead. It is the last step before the connection, so it also stops
// calls that waited for the rate limit or during a pause of the process.
type writeGate struct {
	next    http.RoundTripper
	allowed func() bool
}

var errNotLeading = errors.New("not sent: this replica does not lead any more")

// RoundTrip implements http.RoundTripper.
func (g writeGate) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !g.allowed() {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, errNotLeading
	}
	return g.next.RoundTrip(r)
}

// WrappedRoundTripper implements client-go's RoundTripperWrapper.
func (g writeGate) WrappedRoundTripper() http.RoundTripper { return g.next }

// Identity is the replica's identity in the Lease; empty without leader election.
func (r *Replica) Identity() string {
	if !*r.options.Config.LeaderElection.LeaderElect {
		return ""
	}
	return r.options.Identity
}

// identity is the host name and a UUID, so that two replicas on one host differ.
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
