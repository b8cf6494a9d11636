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

// rollingDrain drains nodes, a number at a time, as a shell script with kubectl drain does.
type rollingDrain struct {
	plan   *drain
	nodes  []string // still to be drained
	active []nodeDrain
	paused map[string]time.Time // drained nodes, until when they stay so
}

// nodeDrain is a drain in progress.
type nodeDrain struct {
	node string
	*budget.Driver
}

// drainInitiator is the initiator of drains.
const drainInitiator = "kubectl drain"

func (d *ScriptRunner) startDrain(plan *drain) {
	d.drains = append(d.drains, &rollingDrain{plan: plan, nodes: d.nodes(plan.Nodes), paused: map[string]time.Time{}})
}

// advance starts drains, and removes those that are done.
func (c *rollingDrain) advance(by *ScriptRunner) {
	for len(c.nodes) > 0 && len(c.active)+len(c.paused) < max(1, c.plan.Parallel) {
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
		c.active = append(c.active, nodeDrain{name, budget.StartDrain(by.server, name, drainInitiator, o, evict.NewRecord())})
	}
	for i := 0; i < len(c.active); i++ {
		d := c.active[i]
		done, err := d.Done()
		if !done {
			continue
		}
		c.active = slices.Delete(c.active, i, i+1)
		i--
		if err != nil {
			by.err = c.plan.Fail("nodes", "draining %s: %v", d.node, err)
			return
		}
		by.say(fmt.Sprintf("%s is empty", d.node))
		c.paused[d.node] = by.server.Now().Add(c.plan.Pause.of())
	}
	c.resume(by)
}

// resume uncordons nodes whose pause is over.
func (c *rollingDrain) resume(by *ScriptRunner) {
	for _, name := range sortedKeys(c.paused) {
		if c.paused[name].After(by.server.Now()) {
			continue
		}
		delete(c.paused, name)
		if !c.plan.Uncordon {
			continue
		}
		if err := by.setCordon(name, false); err != nil && !apierrors.IsNotFound(err) {
			by.err = err
		}
	}
}

// apply passes an input to the drains.
func (c *rollingDrain) apply(in world.Input) {
	for _, d := range c.active {
		d.Apply(in)
	}
}

// nextWake returns when a drain retries, or a node's pause ends.
func (c *rollingDrain) nextWake() (first time.Time, found bool) {
	sooner := func(at time.Time) {
		if !found || at.Before(first) {
			first, found = at, true
		}
	}
	for _, d := range c.active {
		if at, ok := d.NextWake(); ok {
			sooner(at)
		}
	}
	for _, name := range sortedKeys(c.paused) {
		sooner(c.paused[name])
	}
	return first, found
}
