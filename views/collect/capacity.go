package collect

import (
	"orrery/core/objects/saturating"
	"orrery/core/safe/printable"
	"orrery/views"
)

// capacityCache keeps what the nodes have free, until one of them changes.
type capacityCache struct {
	stamp uint64
	known bool
	last  *views.Capacity
}

// of adds up what the ready nodes that take pods have free, and finds the one with the most cpu free; nil if there is none.
func (c *capacityCache) of(m *nodeTable) *views.Capacity {
	if c.known && c.stamp == m.stamp {
		return c.last
	}
	*c = capacityCache{stamp: m.stamp, known: true}
	var cpu, cpuMost, memory, memoryMost, largest int64
	at := -1
	for i := range m.known {
		k := &m.known[i]
		if flags := flagsOf(k.info.Node()); flags&(views.NotReady|views.Cordoned) != 0 {
			continue
		}
		used, most := k.info.GetRequested(), k.info.GetAllocatable()
		freeCPU, freeMemory := max(most.GetMilliCPU()-used.GetMilliCPU(), 0), max(most.GetMemory()-used.GetMemory(), 0)
		cpu, cpuMost = saturating.Add(cpu, freeCPU), saturating.Add(cpuMost, most.GetMilliCPU())
		memory, memoryMost = saturating.Add(memory, freeMemory), saturating.Add(memoryMost, most.GetMemory())
		if at < 0 || freeCPU > largest {
			at, largest = i, freeCPU
		}
	}
	if at < 0 {
		return nil
	}
	info := m.known[at].info
	c.last = &views.Capacity{
		CPU:     views.Amount{Fraction: fraction(cpu, cpuMost), Used: cpuText(cpu), Most: cpuText(cpuMost)},
		Memory:  views.Amount{Fraction: fraction(memory, memoryMost), Used: bytesText(memory), Most: bytesText(memoryMost)},
		PodCPU:  cpuText(largest),
		PodNode: printable.Text(info.Node().Name), PodMemory: bytesText(max(info.GetAllocatable().GetMemory()-info.GetRequested().GetMemory(), 0)),
	}
	return c.last
}
