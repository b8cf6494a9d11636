package memory

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// forceDetachAfter is how long a volume stays attached to a node that cannot say that it is unmounted.
const forceDetachAfter = 6 * time.Minute

// detach detaches an unused volume. A silent node may still have it mounted, so the volume stays until it is forced off
// or the node is declared out of service.
func (c *Cluster) detach(attachment *storagev1.VolumeAttachment) {
	if attachment.DeletionTimestamp != nil {
		c.startDetaching(attachment)
		return
	}
	node := c.Node(attachment.Spec.NodeName)
	if !c.kubeletReachable(attachment.Spec.NodeName) && !isOutOfService(node) {
		since, known := c.storage.unusedSince[attachment.UID]
		if !known {
			since = c.now
			c.storage.unusedSince[attachment.UID] = since
		}
		force := since.Add(forceDetachAfter)
		if force.After(c.now) {
			c.enqueue(workItem{kind: world.VolumeAttachment, key: types.NamespacedName{Name: volumeOf(attachment)}}, force.Sub(c.now))
			return
		}
		if node != nil && readiness(node) == v1.ConditionTrue {
			return // not known to be silent
		}
	}
	c.beginDeletion(world.VolumeAttachment, attachment)
}

// startDetaching makes the driver detach a volume, unless it is doing so.
func (c *Cluster) startDetaching(attachment *storagev1.VolumeAttachment) {
	c.startDriver(c.storage.detaching, attachment.UID, c.options.Latency.Attach, volumeDetached{attachment.Name, attachment.UID})
}

// volumeDetached is the end of a driver's work to detach a volume.
type volumeDetached struct {
	attachment string
	uid        types.UID
}

func (d volumeDetached) fire(c *Cluster) {
	attachment := c.attachmentAt(d.attachment)
	if attachment == nil || attachment.UID != d.uid {
		return
	}
	if until := c.storage.detachFailsUntil[volumeOf(attachment)]; until.After(c.now) {
		c.schedule(until, d)
		return
	}
	next := *attachment
	next.Finalizers = nil
	c.write(world.VolumeAttachment, attachment, &next)
	c.remove(world.VolumeAttachment, &next)
}

// isOutOfService reports whether someone has said that a node is off for good.
func isOutOfService(node *v1.Node) bool {
	return node != nil && slices.ContainsFunc(node.Spec.Taints, func(t v1.Taint) bool { return t.Key == v1.TaintNodeOutOfService })
}

// nodeStorageChanged enqueues the volumes that are attached to a node, and those of its pods.
func (c *Cluster) nodeStorageChanged(node string) {
	for _, name := range c.storage.onNode[node] {
		c.enqueueAttachments(volumeOf(c.attachmentAt(name)))
	}
	if n := c.nodes[node]; n != nil && len(c.objects[world.PersistentVolumeClaim]) > 0 {
		for _, key := range n.pods {
			c.enqueueVolumesOf(c.podAt(key))
		}
	}
}
