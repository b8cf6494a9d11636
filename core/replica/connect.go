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

	"orrery/core/leader"
	"orrery/core/world/live"
)

// leaseClient is by what name metrics know the one who stands: that of what is stood in for.
const leaseClient = "kube-scheduler"

// clients are three, so that none waits for the limits of another: for objects, for events, and for the lease.
type clients struct{ main, event, lease kubernetes.Interface }

func newClients(c *rest.Config, renewDeadline time.Duration, allowed func() bool) (clients, error) {
	lease, main := rest.CopyConfig(c), rest.CopyConfig(c)
	lease.Timeout = leader.CallTimeoutOf(renewDeadline)
	main.Wrap(func(next http.RoundTripper) http.RoundTripper { return gate{next, allowed} })
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

// gate lets reads through, and writes while the replica may make them. It is the last thing before the connection: what
// waited for the client's limits, or was held up together with the whole process, is stopped here.
type gate struct {
	next    http.RoundTripper
	allowed func() bool
}

var errNotLeading = errors.New("not sent: this replica does not lead any more")

// RoundTrip implements http.RoundTripper.
func (g gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !g.allowed() {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, errNotLeading
	}
	return g.next.RoundTrip(r)
}

// WrappedRoundTripper is for who looks for the transport itself.
func (g gate) WrappedRoundTripper() http.RoundTripper { return g.next }

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
