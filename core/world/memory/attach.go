package memory

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// attachController names the controller of attachments in events.
const attachController = "attachdetach-controller"

// syncAttachments is the attach/detach controller's sync of one volume: it is attached to the nodes of the pods that use
// it, and to no other.
func (c *Cluster) syncAttachments(name string) {
	volume := c.volumeAt(name)
	users := c.usersByNode(volume)
	attached := map[string]bool{}
	for _, of := range slices.Clone(c.storage.attachments[name]) {
		attachment := c.attachmentAt(of)
		node := attachment.Spec.NodeName
		attached[node] = true
		if users[node] == nil || attachment.DeletionTimestamp != nil {
			c.detach(attachment)
			continue
		}
		delete(c.storage.unusedSince, attachment.UID)
		if !attachment.Status.Attached && (attachment.Status.AttachError == nil || c.hasAttachRoom(attachment)) {
			c.startAttaching(attachment)
		}
	}
	driver := c.attacherOf(volume)
	if driver == "" {
		return
	}
	for _, node := range slices.Sorted(maps.Keys(users)) {
		switch {
		case attached[node] || c.Node(node) == nil:
		case isExclusive(volume) && len(c.storage.attachments[name]) > 0:
			c.eventOn(users[node], v1.EventTypeWarning, "FailedAttachVolume", fmt.Sprintf("Multi-Attach error for volume %q "+
				"Volume is already exclusively attached to one node and can't be attached to another", name), attachController)
		default:
			c.createAttachment(volume, driver, node)
		}
	}
}

// usersByNode returns the pods that use a volume by their node, one for each.
func (c *Cluster) usersByNode(volume *v1.PersistentVolume) map[string]*v1.Pod {
	users := map[string]*v1.Pod{}
	if volume == nil || volume.Spec.ClaimRef == nil {
		return users
	}
	key := claimKey(volume.Spec.ClaimRef)
	claim := c.claimAt(key)
	if claim == nil || claim.UID != volume.Spec.ClaimRef.UID || claim.Spec.VolumeName != volume.Name {
		return users
	}
	for _, user := range c.storage.references[key].pods {
		if pod := c.Pod(key.Namespace, user); pod.Spec.NodeName != "" && !isTerminal(pod) && users[pod.Spec.NodeName] == nil {
			users[pod.Spec.NodeName] = pod
		}
	}
	return users
}

// attacherOf is the CSI driver that attaches a volume; empty if the volume needs no attachment.
func (c *Cluster) attacherOf(volume *v1.PersistentVolume) string {
	if volume == nil {
		return ""
	}
	driver := csiDriverOf(volume)
	if o := c.csiDriver(driver); o != nil && o.Spec.AttachRequired != nil && !*o.Spec.AttachRequired {
		return ""
	}
	return driver
}

// isExclusive reports whether a volume is attached to one node at a time.
func isExclusive(volume *v1.PersistentVolume) bool {
	return !slices.ContainsFunc(volume.Spec.AccessModes, func(mode v1.PersistentVolumeAccessMode) bool {
		return mode == v1.ReadWriteMany || mode == v1.ReadOnlyMany
	})
}

func (c *Cluster) attachmentAt(name string) *storagev1.VolumeAttachment {
	attachment, _ := c.objects[world.VolumeAttachment][types.NamespacedName{Name: name}].(*storagev1.VolumeAttachment)
	return attachment
}

// volumeOf is the name of an attachment's volume; empty for an inline volume.
func volumeOf(attachment *storagev1.VolumeAttachment) string {
	if name := attachment.Spec.Source.PersistentVolumeName; name != nil {
		return *name
	}
	return ""
}

func attachmentName(driver, volume, node string) string {
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(volume+driver+node)))
}

// attacherFinalizer keeps an attachment until its driver has detached the volume.
func attacherFinalizer(driver string) string { return "external-attacher/" + driver }

func (c *Cluster) createAttachment(volume *v1.PersistentVolume, driver, node string) {
	_, err := c.create(world.VolumeAttachment, &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{
			Name: attachmentName(driver, volume.Name, node), Finalizers: []string{attacherFinalizer(driver)},
		},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: driver, NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume.Name},
		},
	})
	if err != nil {
		c.enqueue(workItem{kind: world.VolumeAttachment, key: keyOf(volume)}, retryDelay)
	}
}

// startAttaching makes the driver attach a volume, unless it is doing so.
func (c *Cluster) startAttaching(attachment *storagev1.VolumeAttachment) {
	c.startDriver(c.storage.attaching, attachment.UID, c.options.Latency.Attach, volumeAttached{attachment.Name, attachment.UID})
}

// volumeAttached is the end of a driver's work to attach a volume.
type volumeAttached struct {
	attachment string
	uid        types.UID
}

func (a volumeAttached) fire(c *Cluster) {
	attachment := c.attachmentAt(a.attachment)
	if attachment == nil || attachment.UID != a.uid {
		return
	}
	finish(&c.storage.attaching, a.uid)
	if attachment.DeletionTimestamp != nil {
		return
	}
	next := attachment.DeepCopy()
	next.Status.Attached, next.Status.AttachError = true, nil
	if !c.hasAttachRoom(attachment) {
		next.Status.Attached = false
		next.Status.AttachError = &storagev1.VolumeError{
			Time: c.timestamp(), Message: "rpc error: code = ResourceExhausted desc = the node's limit of volumes is reached",
		}
	}
	rewrite(c, world.VolumeAttachment, attachment, next)
}

// hasAttachRoom reports whether the node of an attachment has fewer volumes of its driver than its CSINode allows.
func (c *Cluster) hasAttachRoom(attachment *storagev1.VolumeAttachment) bool {
	entry := c.driverOnNode(attachment.Spec.Attacher, attachment.Spec.NodeName)
	if entry == nil || entry.Allocatable == nil || entry.Allocatable.Count == nil {
		return true
	}
	n := 0
	for _, name := range c.storage.onNode[attachment.Spec.NodeName] {
		if other := c.attachmentAt(name); other.Spec.Attacher == attachment.Spec.Attacher && other.Status.Attached {
			n++
		}
	}
	return n < int(*entry.Allocatable.Count)
}

// retryAttachments retries the volumes of a node that could not be attached.
func (c *Cluster) retryAttachments(node string) {
	for _, name := range c.storage.onNode[node] {
		if attachment := c.attachmentAt(name); !attachment.Status.Attached {
			c.enqueueAttachments(volumeOf(attachment))
		}
	}
}
