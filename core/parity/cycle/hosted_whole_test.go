package cycle

import (
	"testing"

	"orrery/core/parity/comparisons"
)

// Orrery's runtime with no plugin of its own decides as kube-scheduler does.
func TestScheduler_HostsWholeProfile(t *testing.T) {
	compareCases(t, comparisons.HostedProfile.Cases, hostedWholly.compare)
}
