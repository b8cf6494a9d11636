package queue_test

import (
	"slices"

	"orrery/core/scheduler/queue"
)

// sortedPods are copies of the pods in a state, in their order.
func sortedPods(q queue.View, state queue.State) []*queue.Pod {
	pods := q.Pods(nil, state)
	slices.SortFunc(pods, q.Compare)
	for i, p := range pods {
		pods[i] = p.Clone()
	}
	return pods
}
