package collect

import (
	"math/bits"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/queue"
)

// maxRequeueEvents is more than all plugins together register.
//
//orrery:limit screen; events that requeue a pod; an ellipsis stands for the others
const maxRequeueEvents = 64

// requeueEvents are the names of the events that requeue a pod, each once, up to a limit. They are those of the queue's
// transitions.
func requeueEvents(q queue.View, p *queue.Pod, most int) []string {
	var names []string
	for _, event := range q.RequeuesOn(p) {
		for _, name := range eventNames(event) {
			if slices.Contains(names, name) {
				continue
			}
			if len(names) == most {
				return append(names, "…")
			}
			names = append(names, name)
		}
	}
	return names
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
	var names []string
	rest := e.ActionType
	if rest&fwk.Update == fwk.Update {
		names = append(names, printable.Text(string(e.Resource))+"Update")
		rest &^= fwk.Update
	}
	for ; rest > 0; rest &= rest - 1 {
		action := fwk.ActionType(1) << bits.TrailingZeros64(uint64(rest))
		names = append(names, printable.Text(fwk.ClusterEvent{Resource: e.Resource, ActionType: action}.Label()))
	}
	return names
}
