package cycle

import (
	"testing"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/config"
)

// Orrery's runtime with no plugin of its own decides as kube-scheduler does. kube-scheduler's GangScheduling lets pods go by its
// own name, which it does not have beside Orrery's: core/parity/hosted runs it under that. Its
// DynamicResources is hosted by the comparison of that plugin.
func TestScheduler_HostsWholeProfile(t *testing.T) {
	compareCases(t, comparisons.HostedProfile.Cases, func(t *testing.T, c *clusterCase, seen difftest.Coverage) string {
		if c.Gates[string(config.GangScheduling)] || len(c.Devices.Claims) > 0 {
			return ""
		}
		return hostedWholly.compare(t, c, seen)
	})
}
