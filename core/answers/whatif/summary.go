package whatif

import (
	"math"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/objects/saturating"
	"orrery/core/world"
)

// measure summarizes a cluster at rest.
func (r *run) measure() ClusterSummary {
	o := ClusterSummary{Decisions: r.decisions, RestAt: r.lastChange}
	for pod := range objects[*v1.Pod](r.engine.Store(), world.Pod) {
		switch {
		case !r.slots.remains(pod):
		case nodeOf(r.engine, pod, r.heldAtRest()) != "":
			o.Placed++
		case !hasEnded(pod):
			o.Pending++
		}
	}
	for _, s := range r.slots.slots {
		if s.node == "" || s.wasTerminating || (s.current == s.origin && !s.vacated) {
			continue
		}
		if s.removedBy == string(evict.Preemption) {
			o.Preempted++
		}
		switch {
		case r.slotOutcome(s).Node != "":
			o.Moved++
		case !meant(s.removedBy):
			o.Evicted++
		}
	}
	r.measureNodes(&o)
	return o
}

// mostOvercommitted bounds a node's utilization, so that the squares of all nodes add up.
const mostOvercommitted = 1000

// measureNodes sums the nodes' allocatable resources and requests.
func (r *run) measureNodes(o *ClusterSummary) {
	var cpu, memory, cpuAll, memoryAll, open int64
	var full, squares int64 // in thousandths, so that the sums do not depend on the order of the nodes
	fullest, emptiest := int64(0), int64(math.MaxInt64)
	for info := range r.engine.Cache().RecentlyChanged() {
		node := info.Node()
		if node == nil {
			continue
		}
		has, asked := info.GetAllocatable(), info.GetRequested()
		o.Nodes++
		cpu, memory = saturating.Add(cpu, asked.GetMilliCPU()), saturating.Add(memory, asked.GetMemory())
		cpuAll, memoryAll = saturating.Add(cpuAll, has.GetMilliCPU()), saturating.Add(memoryAll, has.GetMemory())
		if node.Spec.Unschedulable {
			continue
		}
		f := int64(1000 * min(mostOvercommitted, max(share(asked.GetMilliCPU(), has.GetMilliCPU()), share(asked.GetMemory(), has.GetMemory()))))
		fullest, emptiest = max(fullest, f), min(emptiest, f)
		open, full, squares = open+1, full+f, squares+f*f
	}
	o.CPU, o.Memory = share(cpu, cpuAll), share(memory, memoryAll)
	if open > 0 {
		mean := share(full, open)
		o.Spread = share(fullest-emptiest, 1000)
		o.Deviation = math.Sqrt(max(0, share(squares, open)-mean*mean)) / 1000
	}
}

func share(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
