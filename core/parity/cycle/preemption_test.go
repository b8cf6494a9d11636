package cycle

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/preempt"
)

// choices are all nodes on which room can be made for a pod.
type preemptionCandidates struct {
	victims map[string][]string // by node, in order
	best    []string            // those that all criteria leave equal
}

// allChoices tries every node. It is Orrery's own dry run, but what it finds is compared with what kube-scheduler picks.
func allPreemptionCandidates(h *host, state fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) preemptionCandidates {
	evaluator := preempt.NewEvaluator(h.runtime, preempt.Sample{Percent: 100, Min: 1 << 20})
	c := preemptionCandidates{victims: map[string][]string{}}
	record, _, _ := evaluator.Find(ctx, state, pod, statuses)
	if record == nil {
		return c
	}
	c.victims[record.Node] = names(record.Victims)
	c.best = []string{record.Node}
	for _, lost := range record.Lost {
		c.victims[lost.Node] = names(lost.Victims)
		if lost.By == preempt.FirstFound {
			c.best = append(c.best, lost.Node)
		}
	}
	return c
}

func names(pods []*v1.Pod) (list []string) {
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil { // the others are not asked again
			list = append(list, pod.Name)
		}
	}
	return list
}

// preempted is what a host did to make room: the node that it nominated and whom it had leave.
func (h *host) preempted(state fwk.CycleState) (victims []string) {
	if data, err := state.Read(preempt.RecordKey); err == nil {
		return names(data.(*preempt.Record).Victims)
	}
	for _, c := range h.client.calls {
		if c.delete {
			victims = append(victims, c.pod.Name)
		}
	}
	return victims
}

// check says what is wrong with a choice, if anything is. Where only some nodes are tried, any node may be chosen that
// room can be made on; kube-scheduler draws at random which nodes it tries.
func (c *preemptionCandidates) check(node string, victims []string, some bool) string {
	want, possible := c.victims[node]
	switch {
	case node == "" && len(c.victims) > 0:
		return fmt.Sprintf("nominates nobody; room could be made on %v", c.victims)
	case node == "":
		return ""
	case !possible:
		return fmt.Sprintf("makes room on %s; it could be made only on %v", node, c.victims)
	case !some && !slices.Contains(c.best, node):
		return fmt.Sprintf("makes room on %s; better would be any of %q, of %v", node, c.best, c.victims)
	case !slices.Equal(victims, want):
		return fmt.Sprintf("has %q leave %s; by the dry run of all nodes it would be %q", victims, node, want)
	}
	return ""
}
