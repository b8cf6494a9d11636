package scenario

import (
	"time"

	"orrery/core/evict/lifecycle"
	"orrery/core/world/memory"
)

// nodeLifecycle is the cluster's node lifecycle controller, with the scenario's settings.
func nodeLifecycle(c controllers, start time.Time, compares bool) memory.NodeLifecycle {
	s := lifecycle.DefaultSettings()
	if c.NodeEvictionRate != nil {
		s.EvictionRate = *c.NodeEvictionRate
	}
	if c.SecondaryNodeEvictionRate != nil {
		s.SecondaryEvictionRate = *c.SecondaryNodeEvictionRate
	}
	if c.UnhealthyZoneThreshold != nil {
		s.UnhealthyZoneThreshold = float32(*c.UnhealthyZoneThreshold)
	}
	if c.LargeClusterSizeThreshold != nil {
		s.LargeClusterSizeThreshold = *c.LargeClusterSizeThreshold
	}
	return lifecycle.InCluster(lifecycle.Options{Start: start, Settings: s, ComparisonOperators: compares})
}
