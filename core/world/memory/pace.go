package memory

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Pacer decides when nodes that are not ready, or unreachable, get their NoExecute taints, and when they lose them. A
// cluster without one sets and takes them off at once.
type Pacer interface {
	// Tell says how a node is now; one that is gone, how it was.
	Tell(now time.Time, op world.Op, node *v1.Node)
	// NextWake is when something is due next.
	NextWake() (time.Time, bool)
	// Due are the changes that are due by now.
	Due(now time.Time) []Retaint
	// Fork is a copy that goes its own way.
	Fork() Pacer
}

// Retaint takes taints off a node and adds others.
type Retaint struct {
	Node        string
	Add, Remove []v1.Taint
}

// paced tells whether a taint is the pacer's to decide.
func (c *Cluster) paced(key string, effect v1.TaintEffect) bool {
	return c.pacer != nil && effect == v1.TaintEffectNoExecute && (key == v1.TaintNodeNotReady || key == v1.TaintNodeUnreachable)
}

// tellPacer has the pacer know of a node, and does what is due for that.
func (c *Cluster) tellPacer(op world.Op, node *v1.Node) {
	if c.pacer != nil {
		c.pacer.Tell(c.now, op, node)
		c.schedule(c.now, paces{})
	}
}

// paces is a moment at which the pacer may have something due.
type paces struct{}

func (paces) happen(c *Cluster) {
	for _, change := range c.pacer.Due(c.now) {
		if node := c.Node(change.Node); node != nil {
			c.retaint(node, change)
		}
	}
	next, ok := c.pacer.NextWake()
	if ok && (!c.pacedAt.After(c.now) || next.Before(c.pacedAt)) {
		c.pacedAt = next
		c.schedule(next, paces{})
	}
}

func (c *Cluster) retaint(node *v1.Node, change Retaint) {
	tainted := *node
	tainted.Spec.Taints = slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t v1.Taint) bool {
		return hasTaint(change.Remove, t.Key, t.Effect) || hasTaint(change.Add, t.Key, t.Effect)
	})
	for _, t := range change.Add {
		at := c.stamp()
		t.TimeAdded = &at
		tainted.Spec.Taints = append(tainted.Spec.Taints, t)
	}
	c.write(world.Node, node, &tainted)
}
