package collect

import (
	"math/bits"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/printable"
	"orrery/core/queue"
)

// requeueEvents are the names of the events that requeue a pod, each once, up to a limit. They are those of the queue's
// transitions.
func requeueEvents(q queue.View, p *queue.Pod, most int) []string {
	var words []string
	for _, event := range q.RequeuesOn(p) {
		for _, word := range eventNames(event) {
			if slices.Contains(words, word) {
				continue
			}
			if len(words) == most {
				return append(words, "…")
			}
			words = append(words, word)
		}
	}
	return words
}

// eventNames splits a registration of several actions: Node with Add and UpdateNodeLabel is NodeAdd and
// NodeUpdateNodeLabel.
func eventNames(e fwk.ClusterEvent) []string {
	switch {
	case queue.IsWildcard(e):
		return []string{"any event"}
	case e.CustomLabel != "":
		return []string{printable.Text(e.CustomLabel)}
	case e.ActionType == fwk.All:
		return []string{printable.Text(string(e.Resource)) + " (any change)"}
	}
	var words []string
	rest := e.ActionType
	if rest&fwk.Update == fwk.Update {
		words = append(words, printable.Text(string(e.Resource))+"Update")
		rest &^= fwk.Update
	}
	for ; rest > 0; rest &= rest - 1 {
		action := fwk.ActionType(1) << bits.TrailingZeros64(uint64(rest))
		words = append(words, printable.Text(fwk.ClusterEvent{Resource: e.Resource, ActionType: action}.Label()))
	}
	return words
}
