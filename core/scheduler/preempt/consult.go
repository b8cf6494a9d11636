package preempt

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// consultation is the candidates of a dry run, as far as extenders have narrowed them. It does not change.
type consultation struct {
	candidates       []*contender
	tried, potential int
	next             int // the position of the extender to ask next
}

// ConsultationKey is the cycle state's key of a preemption about which an extender is asked. It is plain data.
const ConsultationKey fwk.StateKey = "orrery/preemption-consultation"

// Clone returns the consultation itself.
func (c *consultation) Clone() fwk.StateData { return c }

// consult asks one extender after the other which candidates are left and which of their pods are victims. If one has not answered, the
// consultation is in the state, and consult goes on with it.
func (ev *Evaluator) consult(state fwk.CycleState, pod *v1.Pod, c *consultation) ([]*contender, error) {
	extenders, nodes := ev.handle.Extenders(), ev.handle.SnapshotSharedLister().NodeInfos()
	candidates := c.candidates
	for i := c.next; i < len(extenders) && len(candidates) > 0; i++ {
		x := extenders[i]
		if !x.SupportsPreemption() || !x.IsInterested(pod) {
			continue
		}
		state.Write(ConsultationKey, &consultation{candidates, c.tried, c.potential, i})
		answer, err := x.ProcessPreemption(pod, byNode(candidates), nodes)
		ignorable := x.IsIgnorable()
		var left []*contender
		if err == nil {
			left, err = leftBy(answer, candidates, ignorable)
		}
		if err == nil {
			candidates = left
		} else if !ignorable {
			return nil, err
		}
	}
	return candidates, nil
}

func byNode(candidates []*contender) map[string]*extenderv1.Victims {
	all := make(map[string]*extenderv1.Victims, len(candidates))
	for _, c := range candidates {
		all[c.Node] = &extenderv1.Victims{Pods: c.Victims, NumPDBViolations: int64(c.Violations)}
	}
	return all
}

// leftBy returns the candidates of an answer: those that were there before in their order, then those that the extender added, by
// name. Of an extender that may be ignored, nodes without victims are, too.
func leftBy(answer map[string]*extenderv1.Victims, before []*contender, ignorable bool) ([]*contender, error) {
	var left []*contender
	for _, node := range inOrder(answer, before) {
		victims := answer[node]
		switch {
		case victims != nil && len(victims.Pods) > 0:
			left = append(left, newContender(Candidate{Node: node, Victims: victims.Pods, Violations: int(victims.NumPDBViolations)}))
		case !ignorable:
			return nil, fmt.Errorf("expected at least one victim pod on node %q", node)
		}
	}
	return left, nil
}

func inOrder(answer map[string]*extenderv1.Victims, before []*contender) []string {
	nodes, known := make([]string, 0, len(answer)), make(map[string]bool, len(before))
	for _, c := range before {
		known[c.Node] = true
		if _, left := answer[c.Node]; left {
			nodes = append(nodes, c.Node)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(answer)) {
		if !known[node] {
			nodes = append(nodes, node)
		}
	}
	return nodes
}
