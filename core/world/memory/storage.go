package memory

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// storage holds the indexes of storage objects, and what their drivers are doing. The slices are names, sorted and
// immutable.
type storage struct {
	// references are what refers to a claim, whether it exists or not; free are the volumes of a class that refer to none.
	references map[types.NamespacedName]references
	free       map[string]map[types.NamespacedName]struct{}
	// unbound are the claims of a class that are not bound yet.
	unbound map[string]map[types.NamespacedName]struct{}
	// attachments are the VolumeAttachments of a volume, onNode those of a node.
	attachments, onNode map[string][]string
	// unusedSince is when the last pod of a VolumeAttachment was gone.
	unusedSince map[types.UID]time.Time
	// provisioning holds the claims that a provisioner makes a volume for.
	provisioning map[types.UID]struct{}
	// attaching and detaching hold the VolumeAttachments that a driver is working on.
	attaching, detaching map[types.UID]struct{}
	// pools is the room that is left, by driver and segment.
	pools map[poolKey]pool
	// hungUntil is the end of a provisioner's hang, detachFailsUntil the end of a volume's failed detachments.
	hungUntil, detachFailsUntil map[string]time.Time
}

// references are the pods of a claim's namespace, and the volumes, that refer to it.
type references struct{ pods, volumes []string }

func newStorage() storage {
	return storage{
		references:       map[types.NamespacedName]references{},
		free:             map[string]map[types.NamespacedName]struct{}{},
		unbound:          map[string]map[types.NamespacedName]struct{}{},
		attachments:      map[string][]string{},
		onNode:           map[string][]string{},
		unusedSince:      map[types.UID]time.Time{},
		provisioning:     map[types.UID]struct{}{},
		attaching:        map[types.UID]struct{}{},
		detaching:        map[types.UID]struct{}{},
		pools:            map[poolKey]pool{},
		hungUntil:        map[string]time.Time{},
		detachFailsUntil: map[string]time.Time{},
	}
}

// startDriver makes a driver work on an object, unless it is doing so. The end of the work takes the object off the set.
func (c *Cluster) startDriver(underway map[types.UID]struct{}, object types.UID, takes Delay, end simEvent) {
	if _, is := underway[object]; !is {
		underway[object] = struct{}{}
		c.schedule(c.now.Add(c.latency.delay(takes)), end)
	}
}

func (s *storage) clone() storage {
	return storage{
		references: maps.Clone(s.references), free: cloneSets(s.free), unbound: cloneSets(s.unbound),
		attachments: maps.Clone(s.attachments), onNode: maps.Clone(s.onNode),
		unusedSince: maps.Clone(s.unusedSince), provisioning: maps.Clone(s.provisioning),
		attaching: maps.Clone(s.attaching), detaching: maps.Clone(s.detaching), pools: maps.Clone(s.pools),
		hungUntil: maps.Clone(s.hungUntil), detachFailsUntil: maps.Clone(s.detachFailsUntil),
	}
}

func cloneSets[K comparable](sets map[K]map[types.NamespacedName]struct{}) map[K]map[types.NamespacedName]struct{} {
	other := make(map[K]map[types.NamespacedName]struct{}, len(sets))
	for key, set := range sets {
		other[key] = maps.Clone(set)
	}
	return other
}

// storageChanged enqueues what depends on a changed storage object.
func (c *Cluster) storageChanged(old, changed world.Object) {
	o := changed
	if o == nil {
		o = old
	}
	switch o := o.(type) {
	case *v1.PersistentVolumeClaim:
		c.claimChanged(o, changed == nil)
	case *v1.PersistentVolume:
		c.volumeChanged(o, changed == nil)
	case *storagev1.VolumeAttachment:
		c.enqueueAttachments(volumeOf(o))
		c.notifyMounts(volumeOf(o))
		if changed == nil {
			c.enqueueVolume(volumeOf(o))
			c.retryAttachments(o.Spec.NodeName)
		}
	case *storagev1.StorageClass:
		c.enqueueClass(o.Name)
		c.enqueueClass("")
		c.enqueueCapacity(o.Provisioner)
	case *storagev1.CSIDriver:
		c.enqueueCapacity(o.Name)
	case *storagev1.CSINode:
		c.retryAttachments(o.Name)
	}
}

func (c *Cluster) claimChanged(claim *v1.PersistentVolumeClaim, gone bool) {
	c.enqueueClaim(keyOf(claim))
	for _, volume := range c.storage.references[keyOf(claim)].volumes {
		c.enqueueVolume(volume)
	}
	if name := claim.Spec.VolumeName; name != "" {
		c.enqueueVolume(name)
		c.enqueueAttachments(name)
		c.notifyMounts(name)
	}
	if gone {
		c.enqueueSetsOf(claim)
		c.enqueueOwner(claim)
	}
}

func (c *Cluster) volumeChanged(volume *v1.PersistentVolume, gone bool) {
	if !gone {
		c.enqueueVolume(volume.Name)
	}
	switch ref := volume.Spec.ClaimRef; {
	case ref != nil:
		c.enqueueClaim(claimKey(ref))
	case !gone && volume.Status.Phase == v1.VolumeAvailable:
		c.enqueueClass(storagevolume.GetPersistentVolumeClass(volume))
	}
}

// podStorageChanged enqueues the claims and volumes of a pod, if the change matters to them.
func (c *Cluster) podStorageChanged(old, changed *v1.Pod) {
	pod := changed
	if pod == nil {
		pod = old
	}
	if len(pod.Spec.Volumes) == 0 || old != nil && changed != nil && usesAlike(old, changed) {
		return
	}
	if old == nil && hasEphemeralClaim(pod) || changed == nil && c.dependents[pod.UID] != nil {
		c.enqueue(workItem{kind: world.Pod, key: keyOf(pod), uid: pod.UID}, 0)
	}
	for _, key := range claimsOf(pod) {
		if c.claimAt(key) != nil {
			c.enqueueClaim(key)
		}
	}
	c.enqueueVolumesOf(pod)
}

// enqueueVolumesOf enqueues the attachments of a pod's volumes.
func (c *Cluster) enqueueVolumesOf(pod *v1.Pod) {
	for _, key := range claimsOf(pod) {
		if claim := c.claimAt(key); claim != nil && claim.Spec.VolumeName != "" {
			c.enqueueAttachments(claim.Spec.VolumeName)
		}
	}
}

// usesAlike reports whether two states of a pod use their claims alike.
func usesAlike(a, b *v1.Pod) bool {
	return a.Spec.NodeName == b.Spec.NodeName && isTerminal(a) == isTerminal(b) && graceLeft(a) == graceLeft(b)
}

func (c *Cluster) enqueueClaim(key types.NamespacedName) {
	c.enqueue(workItem{kind: world.PersistentVolumeClaim, key: key}, 0)
}

func (c *Cluster) enqueueVolume(name string) {
	c.enqueue(workItem{kind: world.PersistentVolume, key: types.NamespacedName{Name: name}}, 0)
}

// enqueueClass enqueues the unbound claims of a class; the empty class is that of claims without one.
func (c *Cluster) enqueueClass(name string) {
	if len(c.storage.unbound[name]) > 0 {
		c.enqueue(workItem{kind: world.StorageClass, key: types.NamespacedName{Name: name}}, 0)
	}
}

// enqueueAttachments enqueues a volume's attachments.
func (c *Cluster) enqueueAttachments(volume string) {
	c.enqueue(workItem{kind: world.VolumeAttachment, key: types.NamespacedName{Name: volume}}, 0)
}

// syncStorage runs the controller of a storage object; it reports false for any other kind.
func (c *Cluster) syncStorage(e workItem) bool {
	switch e.kind {
	case world.PersistentVolumeClaim:
		if claim := c.claimAt(e.key); claim != nil {
			c.syncClaim(claim)
		}
	case world.PersistentVolume:
		if volume := c.volumeAt(e.key.Name); volume != nil {
			c.syncVolume(volume)
		}
	case world.StorageClass:
		for _, key := range slices.SortedFunc(maps.Keys(c.storage.unbound[e.key.Name]), compareKeys) {
			c.syncClaim(c.claimAt(key))
		}
	case world.VolumeAttachment:
		c.syncAttachments(e.key.Name)
	case world.CSIStorageCapacity:
		c.publishCapacity(e.key.Name)
	default:
		return false
	}
	return true
}

// eventOn records an event of a controller on an object.
func (c *Cluster) eventOn(on world.Object, kind, reason, note, controller string) {
	c.history.recordEvent(c.now, world.EmitEvent{
		Regarding: world.PodRef{Namespace: on.GetNamespace(), Name: on.GetName(), UID: on.GetUID()},
		Type:      kind, Reason: reason, Note: note, Controller: controller,
	})
}

func claimKey(ref *v1.ObjectReference) types.NamespacedName {
	return types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
}

func isBindCompleted(claim *v1.PersistentVolumeClaim) bool {
	return metav1.HasAnnotation(claim.ObjectMeta, storagevolume.AnnBindCompleted)
}

// classOf returns the class of a claim, nil if it has none or the class does not exist.
func (c *Cluster) classOf(claim *v1.PersistentVolumeClaim) *storagev1.StorageClass {
	return c.storageClass(storagevolume.GetPersistentVolumeClaimClass(claim))
}

func (c *Cluster) storageClass(name string) *storagev1.StorageClass {
	class, _ := c.objects[world.StorageClass][types.NamespacedName{Name: name}].(*storagev1.StorageClass)
	return class
}

// rewrite writes an object unless it equals the old one, and returns the present one.
func rewrite[T world.Object](c *Cluster, kind world.Kind, old, changed T) T {
	if equality.Semantic.DeepEqual(old, changed) {
		return old
	}
	c.write(kind, old, changed)
	return changed
}
