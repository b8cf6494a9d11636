package scenario

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// pacer has the rules of the node lifecycle controller pace the taints of nodes in trouble.
type pacer struct {
	machine *lifecycle.Machine
}

func newPacer(c controllers, start time.Time) *pacer {
	s := lifecycle.DefaultSettings()
	if c.NodeEvictionRate != nil {
		s.Rate = *c.NodeEvictionRate
	}
	if c.SecondaryNodeEvictionRate != nil {
		s.ReducedRate = *c.SecondaryNodeEvictionRate
	}
	if c.UnhealthyZoneThreshold != nil {
		s.Unhealthy = float32(*c.UnhealthyZoneThreshold)
	}
	if c.LargeClusterSizeThreshold != nil {
		s.LargeZone = *c.LargeClusterSizeThreshold
	}
	return &pacer{lifecycle.New(lifecycle.Options{Start: start, Settings: s})}
}

// Tell implements memory.Pacer.
func (p *pacer) Tell(now time.Time, op world.Op, node *v1.Node) {
	p.machine.Apply(world.Input{At: now, Event: world.Changed{Op: op, Object: node}})
}

// NextWake implements memory.Pacer.
func (p *pacer) NextWake() (time.Time, bool) { return p.machine.NextWake() }

// Due implements memory.Pacer. Only the NoExecute taints are left to a pacer.
func (p *pacer) Due(now time.Time) []memory.Retaint {
	p.machine.Apply(world.Input{At: now, Event: world.Passed{}})
	var due []memory.Retaint
	for _, change := range p.machine.Changes() {
		r := memory.Retaint{Node: change.Node, Add: evict.NoExecute(change.Add), Remove: evict.NoExecute(change.Remove)}
		if len(r.Add)+len(r.Remove) > 0 {
			due = append(due, r)
		}
	}
	return due
}

// Fork implements memory.Pacer.
func (p *pacer) Fork() memory.Pacer { return &pacer{p.machine.Fork(evict.NewBoard())} }
