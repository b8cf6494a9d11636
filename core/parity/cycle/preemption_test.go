package cycle

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/preempt"
)

// preemptionCandidates are all nodes on which preemption helps a pod.
type preemptionCandidates struct {
	victims map[string][]string // by node, in order
	best    []string            // those that are equal by all criteria
}

// allPreemptionCandidates tries every node. It uses Orrery's dry run, whose result kube-scheduler's choice is compared with.
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
		if pod.DeletionTimestamp == nil { // the others are terminating already
			list = append(list, pod.Name)
		}
	}
	return list
}

// preempted returns the victims that a host chose.
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

// check describes what is wrong with a choice, or returns "". If only some nodes are tried, any candidate may be chosen:
// kube-scheduler tries nodes from a random offset.
func (c *preemptionCandidates) check(node string, victims []string, some bool) string {
	want, possible := c.victims[node]
	switch {
	case node == "" && len(c.victims) > 0:
		return fmt.Sprintf("nominates no node; candidates are %v", c.victims)
	case node == "":
		return ""
	case !possible:
		return fmt.Sprintf("preempts on %s; candidates are only %v", node, c.victims)
	case !some && !slices.Contains(c.best, node):
		return fmt.Sprintf("preempts on %s; better candidates are %q, of %v", node, c.best, c.victims)
	case !slices.Equal(victims, want):
		return fmt.Sprintf("preempts %q on %s; the dry run of all nodes preempts %q", victims, node, want)
	}
	return ""
}
