package cycle

import (
	"testing"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

// Orrery's runtime with no plugin of its own decides as kube-scheduler does. kube-scheduler's DynamicResources is hosted by the comparison
// of that plugin.
func TestScheduler_HostsWholeProfile(t *testing.T) {
	compareCases(t, comparisons.HostedProfile.Cases, func(t *testing.T, c *clusterCase, seen difftest.Coverage) string {
		if len(c.Devices.Claims) > 0 {
			return ""
		}
		return hostedWholly.compare(t, c, seen)
	})
}
