package period

import (
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// changes are what was changed: nodes, leaders, and what the caller knows of the scheduler.
type changes struct {
	all   []Change
	more  int
	nodes map[string]nodeState
	lease map[string]string // the holders
}

type nodeState struct{ cordoned, ready bool }

func newChanges() changes {
	return changes{nodes: map[string]nodeState{}, lease: map[string]string{}}
}

// together is how far apart the same change of several things is still one.
const together = 30 * time.Second

func (c *changes) add(at time.Time, what, of string) {
	for i := len(c.all) - 1; i >= 0 && at.Sub(c.all[i].At) <= together; i-- {
		if c.all[i].What == what {
			c.all[i].Times++
			return
		}
	}
	if len(c.all) == maxChanges {
		c.more++
		return
	}
	c.all = append(c.all, Change{At: at.UTC(), What: what, Of: of, Times: 1})
}

// Changed adds a change that the recording itself does not hold, such as that of the scheduler's configuration.
func (c *Collector) Changed(at time.Time, what string) {
	if c.within(at) {
		c.changes.add(at, what, "")
	}
}

func (c *changes) list() ([]Change, int) {
	slices.SortStableFunc(c.all, func(a, b Change) int { return a.At.Compare(b.At) })
	if c.all == nil {
		c.all = []Change{}
	}
	return c.all, c.more
}

// applied takes over an input.
func (c *changes) applied(in world.Input) {
	switch event := in.Event.(type) {
	case world.Listed:
		for _, o := range event.Objects {
			c.know(o)
		}
	case world.Changed:
		switch o := event.Object.(type) {
		case *v1.Node:
			c.node(in.At, o, event.Op)
		case *coordinationv1.Lease:
			before, known := c.lease[o.Namespace+"/"+o.Name]
			c.know(o)
			if now := c.lease[o.Namespace+"/"+o.Name]; known && before != "" && now != before && now != "" {
				c.add(in.At, "the lease "+o.Name+" has another holder", now)
			}
		}
	}
}

// before takes over an input from before the stretch.
func (c *changes) before(in world.Input) {
	switch event := in.Event.(type) {
	case world.Listed:
		c.applied(in)
	case world.Changed:
		if node, is := event.Object.(*v1.Node); is && event.Op == world.Deleted {
			delete(c.nodes, node.Name)
			return
		}
		c.know(event.Object)
	}
}

// know remembers an object without calling it a change.
func (c *changes) know(o world.Object) {
	switch o := o.(type) {
	case *v1.Node:
		c.nodes[o.Name] = stateOf(o)
	case *coordinationv1.Lease:
		holder := ""
		if o.Spec.HolderIdentity != nil {
			holder = *o.Spec.HolderIdentity
		}
		c.lease[o.Namespace+"/"+o.Name] = holder
	}
}

func stateOf(node *v1.Node) nodeState {
	s := nodeState{cordoned: node.Spec.Unschedulable, ready: true}
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == v1.NodeReady {
			s.ready = node.Status.Conditions[i].Status == v1.ConditionTrue
		}
	}
	return s
}

func (c *changes) node(at time.Time, node *v1.Node, op world.Op) {
	was, known := c.nodes[node.Name]
	if op == world.Deleted {
		delete(c.nodes, node.Name)
		if known {
			c.add(at, "node removed", node.Name)
		}
		return
	}
	c.know(node)
	is := c.nodes[node.Name]
	switch {
	case !known:
		c.add(at, "node added", node.Name)
		return
	case is.cordoned && !was.cordoned:
		c.add(at, "node cordoned", node.Name)
	case !is.cordoned && was.cordoned:
		c.add(at, "node uncordoned", node.Name)
	}
	switch {
	case !is.ready && was.ready:
		c.add(at, "node not ready", node.Name)
	case is.ready && !was.ready:
		c.add(at, "node ready", node.Name)
	}
}
