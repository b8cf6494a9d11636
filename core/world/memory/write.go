package memory

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/world"
)

// Every change of an object goes through write or remove: they set the resource version and update the indexes, the
// watch and the dependent components. From then on the object is shared and immutable.

// write stores a new state of an object; old is nil for a new object.
func (c *Cluster) write(kind world.Kind, old, changed world.Object) {
	c.nextVersion(changed)
	c.parts.Share(changed)
	c.put(kind, old, changed)
}

// put is write for an object that already has its version.
func (c *Cluster) put(kind world.Kind, old, changed world.Object) {
	c.objects[kind][keyOf(changed)] = changed
	c.index(kind, old, changed)
	op := world.Modified
	if old == nil {
		op = world.Added
	}
	c.publish(kind, op, changed)
	c.notify(kind, old, changed)
}

// remove deletes an object. Watchers receive its last state, with the version of the removal.
func (c *Cluster) remove(kind world.Kind, old world.Object) {
	delete(c.objects[kind], keyOf(old))
	last := lastState(old)
	c.nextVersion(last)
	c.index(kind, old, nil)
	c.publish(kind, world.Deleted, last)
	c.notify(kind, old, nil)
}

func (c *Cluster) nextVersion(o world.Object) {
	c.version++
	o.SetResourceVersion(strconv.FormatUint(c.version, 10))
}

// lastState returns a copy whose version can be set. For pods, which are many, it is shallow.
func lastState(o world.Object) world.Object {
	if pod, ok := o.(*v1.Pod); ok {
		last := *pod
		return &last
	}
	return o.DeepCopyObject().(world.Object)
}

// podOf and nodeOf convert an object to a pod or a node; nil for any other object.
func podOf(o world.Object) *v1.Pod {
	pod, _ := o.(*v1.Pod)
	return pod
}

func nodeOf(o world.Object) *v1.Node {
	node, _ := o.(*v1.Node)
	return node
}

// notify notifies the components that depend on a kind. They only schedule events; nothing is written here.
func (c *Cluster) notify(kind world.Kind, old, changed world.Object) {
	c.notifyQuotas(kind, old, changed)
	switch kind {
	case world.Pod:
		c.notifyKubelet(podOf(old), podOf(changed))
		c.notifyOwner(podOf(old), podOf(changed))
		c.notifyBudgets(podOf(old), podOf(changed))
		c.notifyPressure(old, changed)
		c.podStorageChanged(podOf(old), podOf(changed))
		c.podDevicesChanged(podOf(old), podOf(changed))
		c.podDeletionBegan(podOf(old), podOf(changed))
	case world.Node:
		c.nodeChanged(nodeOf(old), nodeOf(changed))
		c.notifyPressure(old, changed)
	case world.PodDisruptionBudget:
		pdb, _ := changed.(*policyv1.PodDisruptionBudget)
		c.budgetChanged(pdb)
	case world.PersistentVolumeClaim, world.PersistentVolume, world.VolumeAttachment, world.StorageClass, world.CSIDriver, world.CSINode:
		c.storageChanged(old, changed)
	case world.ResourceClaim:
		c.deviceClaimChanged(as[*resourcev1.ResourceClaim](old), as[*resourcev1.ResourceClaim](changed))
	case ResourceClaimTemplate:
		if changed != nil {
			c.templateCreated(changed)
		}
	case world.ResourceSlice:
		c.sliceChanged(as[*resourcev1.ResourceSlice](old), as[*resourcev1.ResourceSlice](changed))
	case world.ReplicaSet, world.StatefulSet, world.Deployment, world.DaemonSet, world.Job:
		c.ownerChanged(kind, old, changed)
	}
}
