package queue

import "slices"

// PreEnqueueCount counts a PreEnqueue plugin's calls and rejections.
type PreEnqueueCount struct {
	Plugin            string
	Calls, Rejections uint64
}

// PreEnqueueCounts returns the counts of a profile's PreEnqueue plugins, in the order of their first calls.
func (q *Queue) PreEnqueueCounts(schedulerName string) []PreEnqueueCount {
	if pr := q.profiles[schedulerName]; pr != nil {
		return slices.Clone(pr.preEnqueueCounts)
	}
	return nil
}

func (pr *profile) preEnqueueCount(plugin string) *PreEnqueueCount {
	for i := range pr.preEnqueueCounts {
		if pr.preEnqueueCounts[i].Plugin == plugin {
			return &pr.preEnqueueCounts[i]
		}
	}
	pr.preEnqueueCounts = append(pr.preEnqueueCounts, PreEnqueueCount{Plugin: plugin})
	return &pr.preEnqueueCounts[len(pr.preEnqueueCounts)-1]
}
