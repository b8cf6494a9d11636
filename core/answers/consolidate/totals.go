package consolidate

import (
	"cmp"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/answers/capacity"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/engine"
)

// totalsOf sums the nodes up but for some.
func totalsOf(e *engine.Engine, without map[string]bool) Totals {
	var t Totals
	var cpu, memory, cpuAll, memoryAll int64
	for info := range capacity.Nodes(e) {
		if without[info.Node().Name] {
			continue
		}
		has, asked := info.GetAllocatable(), info.GetRequested()
		t.Nodes++
		t.Pods += len(info.GetPods())
		cpu, memory = saturating.Add(cpu, asked.GetMilliCPU()), saturating.Add(memory, asked.GetMemory())
		cpuAll, memoryAll = saturating.Add(cpuAll, has.GetMilliCPU()), saturating.Add(memoryAll, has.GetMemory())
		if !info.Node().Spec.Unschedulable {
			t.LargestCPU = max(t.LargestCPU, has.GetMilliCPU()-asked.GetMilliCPU())
			t.LargestMemory = max(t.LargestMemory, has.GetMemory()-asked.GetMemory())
		}
	}
	t.CPU, t.Memory = share(cpu, cpuAll), share(memory, memoryAll)
	return t
}

// boundOf is how many of the candidates could go if their pods were sand: the smallest nodes go first, and what they hold has to have room
// on the others, for each of cpu, memory and the number of pods.
func boundOf(e *engine.Engine, all []candidate) int {
	bound := len(all)
	is := map[string]bool{}
	for _, c := range all {
		is[c.node] = true
	}
	for _, of := range []func(has, asked fwk.Resource, pods int) (room, held int64){
		func(has, asked fwk.Resource, _ int) (int64, int64) { return has.GetMilliCPU(), asked.GetMilliCPU() },
		func(has, asked fwk.Resource, _ int) (int64, int64) { return has.GetMemory(), asked.GetMemory() },
		func(has, _ fwk.Resource, pods int) (int64, int64) {
			return int64(has.GetAllowedPodNumber()), int64(pods)
		},
	} {
		var room, held int64
		var sizes []int64
		for info := range capacity.Nodes(e) {
			// What comes with a node goes with it, and leaves the room that it has.
			fixed := 0
			for _, p := range info.GetPods() {
				if comesWithNode(p.GetPod()) {
					fixed++
				}
			}
			has, asked := of(info.GetAllocatable(), info.GetRequested(), len(info.GetPods())-fixed)
			for _, p := range info.GetPods() {
				if comesWithNode(p.GetPod()) {
					_, daemon := of(info.GetAllocatable(), p.CalculateResource().Resource, 0)
					asked, has = asked-daemon, has-daemon
				}
			}
			room, held = saturating.Add(room, max(has, 0)), saturating.Add(held, max(asked, 0))
			if is[info.Node().Name] {
				sizes = append(sizes, max(has, 0))
			}
		}
		slices.SortFunc(sizes, func(a, b int64) int { return cmp.Compare(a, b) })
		n := 0
		for _, size := range sizes {
			if room -= size; room < held {
				break
			}
			n++
		}
		bound = min(bound, n)
	}
	return bound
}
