package collect

import (
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/objects/requests"
	"orrery/core/scheduler/plugins/volumezone"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
	"orrery/views"
)

// claimObject returns a claim's state; nil for a name that is neither a claim's nor in a pod.
func (x *storageIndex) claimObject(name types.NamespacedName) *storageObject {
	c := x.claim(name)
	if c == nil {
		if len(x.users.pods[name]) == 0 {
			return nil
		}
		return &storageObject{rank: rank{name: name, state: uint8(views.ClaimMissing), since: micro(x.users.first(name).CreationTimestamp.Time)}}
	}
	state, since := x.claimState(c)
	o := &storageObject{rank: rank{name: name, state: uint8(state)}, class: volume.GetPersistentVolumeClaimClass(c), bytes: storageOf(c.Spec.Resources.Requests), volume: c.Spec.VolumeName}
	if state < views.ClaimDelayed {
		o.since = micro(since)
	}
	return o
}

// claimState returns a claim's state, and since when it is in it: for states whose beginning nothing tells, since it was
// created.
func (x *storageIndex) claimState(c *v1.PersistentVolumeClaim) (views.ClaimState, time.Time) {
	state, provisioner := x.engine.Volumes().StateOf(c)
	created := c.CreationTimestamp.Time
	switch {
	case provisioner:
		return views.ClaimProvisioning, created
	case state == volumes.ClaimLost:
		return views.ClaimLost, created
	case state == volumes.ClaimVolumeMissing:
		return views.ClaimNoVolume, created
	case state == volumes.ClaimTerminating:
		return views.ClaimTerminating, c.DeletionTimestamp.Time
	case state == volumes.ClaimUnbound:
		return views.ClaimUnbound, created
	case state == volumes.ClaimDelayed:
		if pod := x.users.first(nameOf(c)); pod != nil && pod.Spec.NodeName == "" && world.PendingMessage(pod) != "" {
			return views.ClaimNoNode, pod.CreationTimestamp.Time
		}
		return views.ClaimDelayed, created
	}
	if a := x.stuckAttachment(c.Spec.VolumeName); a != nil {
		return views.ClaimStuck, x.stuckSince(a)
	}
	return views.ClaimBound, created
}

// volumeObject returns a volume's state.
func (x *storageIndex) volumeObject(pv *v1.PersistentVolume) *storageObject {
	state, since := x.volumeState(pv)
	o := &storageObject{
		rank: rank{name: types.NamespacedName{Name: pv.Name}, state: uint8(state)}, class: volume.GetPersistentVolumeClass(pv),
		bytes: storageOf(pv.Spec.Capacity), where: volumezone.PlaceOf(pv),
	}
	if ref := pv.Spec.ClaimRef; ref != nil {
		o.claim = types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
	}
	if state < views.VolumeAvailable {
		o.since = micro(since)
	}
	return o
}

func (x *storageIndex) volumeState(pv *v1.PersistentVolume) (views.VolumeState, time.Time) {
	if a := x.stuckAttachment(pv.Name); a != nil {
		return views.VolumeStuck, x.stuckSince(a)
	}
	changed := pv.CreationTimestamp.Time
	if at := pv.Status.LastPhaseTransitionTime; at != nil {
		changed = at.Time
	}
	switch {
	case pv.DeletionTimestamp != nil:
		return views.VolumeTerminating, pv.DeletionTimestamp.Time
	case pv.Status.Phase == v1.VolumeFailed:
		return views.VolumeFailed, changed
	case pv.Status.Phase == v1.VolumeReleased:
		return views.VolumeReleased, changed
	case pv.Status.Phase == v1.VolumeBound:
		return views.VolumeBound, changed
	case pv.Status.Phase == v1.VolumeAvailable:
		return views.VolumeAvailable, changed
	}
	return views.VolumePending, changed
}

// stuckAttachment returns an attachment of a volume to a node that is not ready, or whose attacher reports an error; nil if
// there is none.
func (x *storageIndex) stuckAttachment(volume string) *storagev1.VolumeAttachment {
	for _, name := range x.ofVolume[volume] {
		if a := x.attachment(name); a != nil && x.attachmentTrouble(a) != "" {
			return a
		}
	}
	return nil
}

// attachmentTrouble returns what is wrong with an attachment; empty if nothing is.
func (x *storageIndex) attachmentTrouble(a *storagev1.VolumeAttachment) string {
	if problem := a.Status.DetachError; problem != nil && a.DeletionTimestamp != nil {
		return "detaching failed: " + problem.Message
	}
	if problem := a.Status.AttachError; problem != nil && !a.Status.Attached {
		return "attaching failed: " + problem.Message
	}
	return x.nodeTrouble(a.Spec.NodeName)
}

// nodeTrouble returns why nothing is detached from a node; empty for one that is ready.
func (x *storageIndex) nodeTrouble(name string) string {
	switch node := x.engine.Store().Node(name); {
	case node == nil:
		return "node does not exist"
	case flagsOf(node)&views.NotReady != 0:
		return "NotReady"
	}
	return ""
}

// stuckSince is when an attachment's node stopped being ready, or when it was made or deleted.
func (x *storageIndex) stuckSince(a *storagev1.VolumeAttachment) time.Time {
	if node := x.engine.Store().Node(a.Spec.NodeName); node != nil && flagsOf(node)&views.NotReady != 0 {
		for i := range node.Status.Conditions {
			if c := &node.Status.Conditions[i]; c.Type == v1.NodeReady {
				return c.LastTransitionTime.Time
			}
		}
	}
	if a.DeletionTimestamp != nil {
		return a.DeletionTimestamp.Time
	}
	return a.CreationTimestamp.Time
}

func storageOf(list v1.ResourceList) int64 {
	return requests.Amount(v1.ResourceStorage, list[v1.ResourceStorage])
}

// micro is a time in microseconds; zero for none.
func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
