package scenario

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// convoy drains nodes one after the other, so many at a time, as somebody with a shell script and kubectl drain does.
type convoy struct {
	plan    *drain
	nodes   []string // still to be drained
	under   []draining
	resting map[string]time.Time // until when nodes that are empty are let be
}

// draining is a drain under way.
type draining struct {
	node string
	*budget.Driver
}

// drainer is who drains.
const drainer = "kubectl drain"

func (s *stage) begin(d *drain) {
	s.drains = append(s.drains, &convoy{plan: d, nodes: s.nodes(d.Nodes), resting: map[string]time.Time{}})
}

// settle begins drains, and ends those that are done.
func (c *convoy) settle(s *stage) {
	for len(c.nodes) > 0 && len(c.under)+len(c.resting) < max(1, c.plan.Together) {
		name := c.nodes[0]
		c.nodes = c.nodes[1:]
		if s.cluster.Node(name) == nil {
			continue
		}
		o := budget.DrainOptions{Force: true, IgnoreDaemonSets: true, DeleteEmptyDirData: true}
		c.under = append(c.under, draining{name, budget.Begin(s.cluster, name, drainer, o, evict.NewBoard())})
	}
	for i := 0; i < len(c.under); i++ {
		d := c.under[i]
		done, err := d.Done()
		if !done {
			continue
		}
		c.under = slices.Delete(c.under, i, i+1)
		i--
		if err != nil {
			s.err = c.plan.Fail("nodes", "draining %s: %v", d.node, err)
			return
		}
		s.say(fmt.Sprintf("%s is empty", d.node))
		c.resting[d.node] = s.cluster.Now().Add(c.plan.Rest.of())
	}
	c.wakeUp(s)
}

// wakeUp brings nodes back that have rested.
func (c *convoy) wakeUp(s *stage) {
	for _, name := range sortedKeys(c.resting) {
		if c.resting[name].After(s.cluster.Now()) {
			continue
		}
		delete(c.resting, name)
		if node := s.cluster.Node(name); node != nil && c.plan.Uncordon {
			s.err = setCordon(s.cluster, node, false)
		}
	}
}

func setCordon(c *memory.Cluster, node *v1.Node, on bool) error {
	next := node.DeepCopy()
	next.Spec.Unschedulable = on
	_, err := c.Update(next)
	return err
}

// hear tells the drains what happened.
func (c *convoy) hear(in world.Input) {
	for _, d := range c.under {
		d.Apply(in)
	}
}

// nextWake is when a drain asks again, or a node has rested.
func (c *convoy) nextWake() (first time.Time, any bool) {
	sooner := func(at time.Time) {
		if !any || at.Before(first) {
			first, any = at, true
		}
	}
	for _, d := range c.under {
		if at, ok := d.NextWake(); ok {
			sooner(at)
		}
	}
	for _, name := range sortedKeys(c.resting) {
		sooner(c.resting[name])
	}
	return first, any
}
