package volumebinding

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// reservedKey is the key of what was reserved.
const reservedKey fwk.StateKey = Name + "/reserved"

// reserved is what a placed pod needs written, and how far that is. A step of PreBind replaces it.
type reserved struct {
	volumes  []volumeWrite
	claims   []claimWrite
	written  int       // of both, in this order
	deadline time.Time // of the wait after the last write
}

// volumeWrite is a volume that is claimed: as the API server has it, and as it is assumed. They are one if it names the
// claim already. What another pod with this claim has assumed is written for this pod, too: the other's write may fail.
type volumeWrite struct {
	stored, assumed *v1.PersistentVolume
	claim           *v1.PersistentVolumeClaim
}

func (w *volumeWrite) needed() bool { return w.assumed != w.stored }

// unread reports whether the store still has the state before a write, or an older one, which a list may have read again. Versions that
// are no numbers are only the same or not.
func unread(stored, before metav1.Object) bool {
	version, old := stored.GetResourceVersion(), before.GetResourceVersion()
	if stored == before || version == old && version != "" {
		return true
	}
	order, err := resourceversion.CompareResourceVersion(version, old)
	return err == nil && order < 0
}

// claimWrite is a claim that is to be provisioned for a node.
type claimWrite struct{ chosen, assumed *v1.PersistentVolumeClaim }

// Clone returns the data itself: nothing changes it.
func (r *reserved) Clone() fwk.StateData { return r }

// Reserve assumes what was chosen for the node. A pod whose claims are all bound needs nothing.
func (pl *VolumeBinding) Reserve(_ context.Context, state fwk.CycleState, _ *v1.Pod, node string) *fwk.Status {
	c, err := readCycle(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	target := c.fit[node]
	if target == nil {
		return nil
	}
	r := &reserved{}
	if _, err = pl.choose(c, target); err == nil {
		err = pl.assume(r, &c.found, node)
	}
	if err != nil {
		pl.restore(r)
		pl.volumes.Errors.Assume++
		return fwk.AsStatus(err)
	}
	state.Write(reservedKey, r)
	return nil
}

// assume assumes a choice, and lists what of it was assumed.
func (pl *VolumeBinding) assume(r *reserved, found *choice, node string) error {
	for _, b := range found.bindings {
		assumed, changed := claimed(b.volume, b.claim)
		if changed {
			if err := pl.volumes.AssumeVolume(assumed); err != nil {
				return err
			}
		}
		r.volumes = append(r.volumes, volumeWrite{pl.volumes.StoredVolume(assumed.Name), assumed, b.claim})
	}
	for _, p := range found.provisions {
		assumed := p.claim.DeepCopy()
		metav1.SetMetaDataAnnotation(&assumed.ObjectMeta, volume.AnnSelectedNode, node)
		if err := pl.volumes.AssumeClaim(assumed); err != nil {
			return err
		}
		r.claims = append(r.claims, claimWrite{p.claim, assumed})
	}
	return nil
}

// claimed returns a volume as it is once it names a claim, and whether that is a change.
func claimed(pv *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) (*v1.PersistentVolume, bool) {
	mine := volume.IsVolumeBoundToClaim(pv, claim)
	if mine && pv.Spec.ClaimRef.UID == claim.UID {
		return pv, false
	}
	changed := pv.DeepCopy()
	ref := world.ClaimReference(world.ObjectRefOf(claim))
	changed.Spec.ClaimRef = &ref
	if !mine && !byController(pv) {
		metav1.SetMetaDataAnnotation(&changed.ObjectMeta, volume.AnnBoundByController, "yes")
	}
	return changed, true
}

// Unreserve restores what was assumed and not written.
func (pl *VolumeBinding) Unreserve(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ string) {
	if r, err := framework.ReadState[*reserved](state, reservedKey); err == nil {
		pl.restore(r)
	}
}

func (pl *VolumeBinding) restore(r *reserved) {
	for i, w := range r.volumes {
		if i >= r.written && w.needed() {
			pl.volumes.RestoreVolume(w.assumed)
		}
	}
	for i, w := range r.claims {
		if len(r.volumes)+i >= r.written {
			pl.volumes.RestoreClaim(w.assumed)
		}
	}
}
