package lifecycle

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// cluster is a Controller in a simulated cluster.
type cluster struct{ *Controller }

// InCluster returns a Controller as the option NodeLifecycle of world/memory. The cluster performs its changes: the
// taints of conditions after the latency of its controllers, the others at once.
func InCluster(o Options) memory.NodeLifecycle { return cluster{New(o)} }

// NodeChanged implements memory.NodeLifecycle.
func (c cluster) NodeChanged(now time.Time, op world.Op, node *v1.Node) {
	if op == world.Added {
		c.SetSilent(now, node.Name, false)
	}
	c.Apply(world.Input{At: now, Event: world.Changed{Op: op, Object: node}})
}

// KubeletSilent implements memory.NodeLifecycle.
func (c cluster) KubeletSilent(now time.Time, node string, silent bool) {
	c.SetSilent(now, node, silent)
}

// Taints implements memory.NodeLifecycle.
func (c cluster) Taints(of *v1.Node) (add, remove []v1.Taint) {
	change := c.reconcileConditions(&node{seen: of, taints: append([]v1.Taint(nil), of.Spec.Taints...), statuses: statusesOf(of)})
	return change.Add, change.Remove
}

// Changes implements memory.NodeLifecycle. It leaves out the taints that the cluster reads from Taints.
func (c cluster) Changes(now time.Time) []memory.NodeChange {
	c.Apply(world.Input{At: now, Event: world.Tick{}})
	var all []memory.NodeChange
	for _, change := range c.Controller.Changes() {
		next := memory.NodeChange{Node: change.Node, Unknown: change.Unknown}
		if !c.options.Immediate {
			next.Add, next.Remove = evict.NoExecute(change.Add), evict.NoExecute(change.Remove)
		}
		if next.Unknown || len(next.Add)+len(next.Remove) > 0 {
			all = append(all, next)
		}
	}
	return all
}

// Fork implements memory.NodeLifecycle. The fork has a record of its own.
func (c cluster) Fork() memory.NodeLifecycle { return cluster{c.Controller.Fork(c.record.Fork())} }
