package memory

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"orrery/core/world"
)

// Every change of an object goes through write or remove: the next resource version, the indexes, the watch, and
// whoever in the cluster acts on it. From then on the object is shared and never changed.

// write stores a new state of an object; old is nil for a new object.
func (c *Cluster) write(kind world.Kind, old, changed world.Object) {
	c.nextVersion(changed)
	c.put(kind, old, changed)
}

// put is write of a state that has its version already.
func (c *Cluster) put(kind world.Kind, old, changed world.Object) {
	c.objects[kind][keyOf(changed)] = changed
	c.index(kind, old, changed)
	op := world.Modified
	if old == nil {
		op = world.Added
	}
	c.publish(kind, op, changed)
	c.react(kind, old, changed)
}

// remove takes an object out of the cluster. Its watchers see its last state, at the version of the removal.
func (c *Cluster) remove(kind world.Kind, old world.Object) {
	delete(c.objects[kind], keyOf(old))
	last := lastState(old)
	c.nextVersion(last)
	c.index(kind, old, nil)
	c.publish(kind, world.Deleted, last)
	c.react(kind, old, nil)
}

func (c *Cluster) nextVersion(o world.Object) {
	c.version++
	o.SetResourceVersion(strconv.FormatUint(c.version, 10))
}

// lastState is a copy whose version can be set. Pods are many, and a copy of the struct will do.
func lastState(o world.Object) world.Object {
	if pod, ok := o.(*v1.Pod); ok {
		last := *pod
		return &last
	}
	return o.DeepCopyObject().(world.Object)
}

// podOf and nodeOf are an object as a pod or a node, nil for a nil object.
func podOf(o world.Object) *v1.Pod {
	pod, _ := o.(*v1.Pod)
	return pod
}

func nodeOf(o world.Object) *v1.Node {
	node, _ := o.(*v1.Node)
	return node
}

// react lets everyone in the cluster who watches a kind take note. Nothing is written here: it goes on the agenda.
func (c *Cluster) react(kind world.Kind, old, changed world.Object) {
	switch kind {
	case world.Pod:
		c.tellKubelet(podOf(old), podOf(changed))
		c.tellOwner(podOf(old), podOf(changed))
		c.tellBudgets(podOf(old), podOf(changed))
		c.tellPressure(old, changed)
	case world.Node:
		c.nodeChanged(nodeOf(old), nodeOf(changed))
		c.tellPressure(old, changed)
	case world.PodDisruptionBudget:
		pdb, _ := changed.(*policyv1.PodDisruptionBudget)
		c.budgetChanged(pdb)
	case world.ReplicaSet, world.StatefulSet, world.Deployment, world.DaemonSet, world.Job:
		c.ownerChanged(kind, old, changed)
	}
}
