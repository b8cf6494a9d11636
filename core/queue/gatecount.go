package queue

import "slices"

// GateCount is how often a PreEnqueue plugin was asked about a pod, and how often it held one back.
type GateCount struct {
	Plugin          string
	Calls, Refusals uint64
}

// GateCounts are those of the PreEnqueue plugins of a profile that were asked at all, in the order in which they first
// were.
func (q *Queue) GateCounts(schedulerName string) []GateCount {
	if pr := q.profiles[schedulerName]; pr != nil {
		return slices.Clone(pr.gates)
	}
	return nil
}

// gateCount is the account of one plugin.
func (pr *profile) gateCount(plugin string) *GateCount {
	for i := range pr.gates {
		if pr.gates[i].Plugin == plugin {
			return &pr.gates[i]
		}
	}
	pr.gates = append(pr.gates, GateCount{Plugin: plugin})
	return &pr.gates[len(pr.gates)-1]
}
