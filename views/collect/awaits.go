package collect

import (
	"math/bits"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/printable"
	"orrery/core/queue"
)

// awaited are the events that would bring a pod back, each once, as many as anybody reads. They have the names that
// moves have as their causes.
func awaited(q *queue.Queue, p *queue.Pod, most int) []string {
	var words []string
	for _, event := range q.Awaits(p) {
		for _, word := range eventWords(event) {
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

// eventWords takes a registration of several actions apart: of Node with Add and UpdateNodeLabel come NodeAdd and
// NodeUpdateNodeLabel.
func eventWords(e fwk.ClusterEvent) []string {
	switch {
	case queue.IsWildcard(e):
		return []string{"anything"}
	case e.CustomLabel != "":
		return []string{printable.Text(e.CustomLabel)}
	case e.ActionType == fwk.All:
		return []string{printable.Text(string(e.Resource)) + " in any way"}
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
