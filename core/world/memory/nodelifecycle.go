package memory

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// NodeLifecycle is the node lifecycle controller: it detects silent kubelets, and decides which taints nodes get for
// their conditions, and when. The implementation is in core/evict/lifecycle and is passed in the options. Without it a
// silent kubelet is not detected, and conditions and cordons add no taints.
type NodeLifecycle interface {
	// NodeChanged applies a node's new state, or the last state of a deleted one.
	NodeChanged(now time.Time, op world.Op, node *v1.Node)
	// KubeletSilent reports that a node's kubelet stops or resumes reporting.
	KubeletSilent(now time.Time, node string, silent bool)
	// Taints returns the taints that a node's conditions and cordon add and remove at once.
	Taints(node *v1.Node) (add, remove []v1.Taint)
	// NextWake is the time of the next change without an input.
	NextWake() (time.Time, bool)
	// Changes advances to now and returns the changes since the last call.
	Changes(now time.Time) []NodeChange
	// Fork returns an independent copy.
	Fork() NodeLifecycle
}

// NodeChange is the node lifecycle controller's change of one node.
type NodeChange struct {
	Node string
	// Unknown sets the conditions that the node's kubelet reports to Unknown.
	Unknown     bool
	Add, Remove []v1.Taint
}

// notifyLifecycle passes a node to the node lifecycle controller.
func (c *Cluster) notifyLifecycle(op world.Op, node *v1.Node) {
	if c.lifecycle != nil {
		c.lifecycle.NodeChanged(c.now, op, node)
		c.schedule(c.now, lifecycleTick{})
	}
}

// lifecycleTick is a time at which the node lifecycle controller may have changes.
type lifecycleTick struct{}

func (lifecycleTick) fire(c *Cluster) {
	changes := c.lifecycle.Changes(c.now)
	for _, change := range changes {
		if node := c.Node(change.Node); node != nil && change.Unknown {
			c.setUnknown(node)
		}
	}
	for _, change := range changes {
		if node := c.Node(change.Node); node != nil && len(change.Add)+len(change.Remove) > 0 {
			c.setTaints(node, change.Add, change.Remove)
		}
	}
	c.scheduleLifecycle()
}

// scheduleLifecycle schedules the controller's next tick, unless it is scheduled already.
func (c *Cluster) scheduleLifecycle() {
	next, ok := c.lifecycle.NextWake()
	if ok && (!c.nextLifecycleTick.After(c.now) || next.Before(c.nextLifecycleTick)) {
		c.nextLifecycleTick = next
		c.schedule(next, lifecycleTick{})
	}
}

// conditionTaints returns the taints that a node's conditions add and remove. A node whose kubelet has not reported yet
// keeps the taint from admission.
func (c *Cluster) conditionTaints(node *v1.Node) (add, remove []v1.Taint) {
	if c.lifecycle == nil {
		return nil, nil
	}
	add, remove = c.lifecycle.Taints(node)
	if readiness(node) == "" {
		remove = slices.DeleteFunc(remove, func(t v1.Taint) bool {
			return t.Key == v1.TaintNodeNotReady || t.Key == v1.TaintNodeUnreachable
		})
	}
	return add, remove
}

// syncNode applies the taints for a node's conditions, and deletes the CSINode and the slices of a deleted node.
func (c *Cluster) syncNode(key types.NamespacedName) {
	node := c.Node(key.Name)
	c.collectSlices(key.Name)
	if node == nil {
		if o := c.objects[world.CSINode][key]; o != nil {
			c.beginDeletion(world.CSINode, o)
		}
		return
	}
	if add, remove := c.conditionTaints(node); len(add)+len(remove) > 0 {
		c.setTaints(node, add, remove)
	}
}

func (c *Cluster) setTaints(node *v1.Node, add, remove []v1.Taint) {
	tainted := *node
	tainted.Spec.Taints = slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t v1.Taint) bool {
		return hasTaint(remove, t.Key, t.Effect) || hasTaint(add, t.Key, t.Effect)
	})
	for _, t := range add {
		at := c.timestamp()
		t.TimeAdded = &at
		tainted.Spec.Taints = append(tainted.Spec.Taints, t)
	}
	c.write(world.Node, node, &tainted)
}

// setUnknown marks a node as unreachable: the conditions that its kubelet reports become Unknown, and its pods not
// ready.
func (c *Cluster) setUnknown(node *v1.Node) {
	c.setNodeConditions(node, func(list []v1.NodeCondition) []v1.NodeCondition {
		for i := range list {
			if list[i].Type == v1.NodeNetworkUnavailable {
				continue
			}
			list[i].Status, list[i].LastTransitionTime = v1.ConditionUnknown, c.timestamp()
			list[i].Reason, list[i].Message = "NodeStatusUnknown", "Kubelet stopped posting node status."
		}
		return list
	})
	for _, key := range slices.Clone(c.nodeState(node.Name).pods) {
		if pod := c.podAt(key); isReady(pod) {
			c.setReady(pod, v1.ConditionFalse)
		}
	}
}
