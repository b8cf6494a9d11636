package diagnose

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/scheduler/engine"
)

// Node returns everything the plugins returned for a node; empty if the node was not explained.
func (d *Diagnosis) Node(name string) *engine.NodeVerdict {
	for i := range d.Nodes {
		if d.Nodes[i].Node == name {
			return &d.Nodes[i]
		}
	}
	return &engine.NodeVerdict{Node: name}
}

// setNode makes the answer one about one node: why the pod is not there.
func (d *Diagnosis) setNode(e *engine.Engine, pod *v1.Pod, name string) {
	n := d.Node(name)
	v := &answer.NodeVerdict{
		Node: name, Examined: n.Searched, Feasible: n.Feasible, Filters: resultsOf(n.Statuses, "Filter"), Scores: []answer.Scored{}, Total: n.Total, KeptSince: n.Kept,
	}
	for _, s := range n.Scores {
		v.Scores = append(v.Scores, answer.Scored{Plugin: s.Plugin, Raw: s.Raw, Normalized: s.Normalized, Weight: s.Weight, Weighted: s.Weighted()})
	}
	if list := d.Devices.On(name); len(list) > 0 {
		v.Devices = list
	}
	d.NodeVerdict, d.onNode = v, newPendingPod(e, pod).keptFrom(d.Explanation, name)
}

// nodeHeadline says whether the pod could go to the node that was asked about, and why not.
func (d *Diagnosis) nodeHeadline() string {
	v := d.NodeVerdict
	switch {
	case d.Decision.Node == v.Node:
		return "goes to " + v.Node + ": " + d.placedSummary()
	case v.Feasible && d.Decision.Node != "" && v.Examined:
		return fmt.Sprintf("could go to %s, and goes to %s, which scores %d to %d", v.Node, d.Decision.Node, d.Decision.Score, v.Total)
	case v.Feasible && d.Decision.Node != "":
		return "could go to " + v.Node + ", which the search did not reach; it goes to " + d.Decision.Node
	case v.Feasible:
		return "could go to " + v.Node
	case d.onNode == "":
		return "cannot go to " + v.Node + ": " + d.decided
	}
	return "cannot go to " + v.Node + ", which " + d.onNode
}
