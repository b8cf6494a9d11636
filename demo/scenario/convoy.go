package scenario

import (
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/world"
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

func (d *Director) begin(plan *drain) {
	d.drains = append(d.drains, &convoy{plan: plan, nodes: d.nodes(plan.Nodes), resting: map[string]time.Time{}})
}

// settle begins drains, and ends those that are done.
func (c *convoy) settle(by *Director) {
	for len(c.nodes) > 0 && len(c.under)+len(c.resting) < max(1, c.plan.Together) {
		name := c.nodes[0]
		c.nodes = c.nodes[1:]
		switch err := by.setCordon(name, true); {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			by.err = c.plan.Fail("nodes", "cordoning %s: %v", name, err)
			return
		}
		o := budget.DrainOptions{Force: true, IgnoreDaemonSets: true, DeleteEmptyDirData: true}
		c.under = append(c.under, draining{name, budget.Begin(by.server, name, drainer, o, evict.NewBoard())})
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
			by.err = c.plan.Fail("nodes", "draining %s: %v", d.node, err)
			return
		}
		by.say(fmt.Sprintf("%s is empty", d.node))
		c.resting[d.node] = by.server.Now().Add(c.plan.Rest.of())
	}
	c.wakeUp(by)
}

// wakeUp brings nodes back that have rested.
func (c *convoy) wakeUp(by *Director) {
	for _, name := range sortedKeys(c.resting) {
		if c.resting[name].After(by.server.Now()) {
			continue
		}
		delete(c.resting, name)
		if !c.plan.Uncordon {
			continue
		}
		if err := by.setCordon(name, false); err != nil && !apierrors.IsNotFound(err) {
			by.err = err
		}
	}
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
