package collect

import (
	"slices"
	"strings"

	"orrery/core/evict"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// maxDrained bounds the nodes whose pods are read for blocked evictions.
//
//orrery:limit screen; nodes whose pods are read for blocked evictions; the others are not
const maxDrained = 64

// blocked returns the pods that a drain elsewhere cannot evict now, by name. A watch shows no refused eviction, but what leads
// to one: a node is cordoned, some of its pods were evicted through the Eviction API, and a PodDisruptionBudget allows no
// eviction of those that are left.
func (c *Collector) blocked(e *engine.Engine, open, ended []evict.Eviction) []evict.Eviction {
	var list []evict.Eviction
	for _, node := range drained(open, ended) {
		at, known := c.nodes.positions[node]
		if !known || c.nodes.known[at].cell.Flags&views.Cordoned == 0 {
			continue
		}
		for _, info := range c.nodes.known[at].info.GetPods() {
			pod := e.Store().Pod(info.GetPod().Namespace, info.GetPod().Name)
			if pod == nil || pod.DeletionTimestamp != nil || pod.Spec.NodeName != node {
				continue
			}
			refusal := c.options.History.observer.Refusal(pod)
			if refusal == "" {
				continue
			}
			d := evict.Eviction{Pod: world.PodRefOf(pod), Node: node, Cause: evict.EvictionAPI, Phase: evict.Blocked, Initiator: "drain of " + node, Reason: refusal}
			d.Budget, d.DisruptionsAllowed = c.options.History.Evictions().BudgetOf(pod)
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b evict.Eviction) int { return strings.Compare(a.Pod.String(), b.Pod.String()) })
	return list
}

// drained returns the nodes that pods were evicted from through the Eviction API, those of the latest evictions first.
func drained(open, ended []evict.Eviction) []string {
	var nodes []string
	add := func(d *evict.Eviction) {
		if d.Cause == evict.EvictionAPI && len(nodes) < maxDrained && !slices.Contains(nodes, d.Node) {
			nodes = append(nodes, d.Node)
		}
	}
	for i := range open {
		add(&open[i])
	}
	for i := range slices.Backward(ended) {
		add(&ended[i])
	}
	return nodes
}
