package compare

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// volumeDecisions finds what the recorded scheduler decided about volumes: which volume a claim got that waited for a pod,
// or on which node one was made for it. A workload is without that, as it is without the nodes of pods.
type volumeDecisions struct {
	delayed map[string]bool    // classes whose claims wait for a pod
	open    map[types.UID]bool // claims that arrived and waited
	known   map[types.UID]bool // volumes that were there before their claims
	listed  map[world.Kind]bool
}

func newVolumeDecisions() volumeDecisions {
	return volumeDecisions{delayed: map[string]bool{}, open: map[types.UID]bool{}, known: map[types.UID]bool{}, listed: map[world.Kind]bool{}}
}

// made reports whether a change is the consequence of the scheduler's decision.
func (d *volumeDecisions) made(changed world.Changed) bool {
	switch o := changed.Object.(type) {
	case *storagev1.StorageClass:
		d.delayed[o.Name] = o.VolumeBindingMode != nil && *o.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
	case *v1.PersistentVolumeClaim:
		return d.madeOfClaim(changed.Op, o)
	case *v1.PersistentVolume:
		return d.madeOfVolume(changed.Op, o)
	}
	return false
}

// madeOfClaim leaves out every change of a claim that waited, but its deletion.
func (d *volumeDecisions) madeOfClaim(op world.Op, claim *v1.PersistentVolumeClaim) bool {
	if d.open[claim.UID] {
		return op != world.Deleted
	}
	_, selected := claim.Annotations[volume.AnnSelectedNode]
	d.open[claim.UID] = claim.Spec.VolumeName == "" && !selected && d.delayed[volume.GetPersistentVolumeClaimClass(claim)]
	return false
}

// madeOfVolume leaves out the volumes that were made for a claim that waited, and how it got one of the others.
func (d *volumeDecisions) madeOfVolume(op world.Op, pv *v1.PersistentVolume) bool {
	decided := pv.Spec.ClaimRef != nil && d.open[pv.Spec.ClaimRef.UID]
	if !d.known[pv.UID] && !decided {
		d.known[pv.UID] = true
	}
	return decided && (op != world.Deleted || !d.known[pv.UID])
}

// learn takes in a list. It reports whether it is another one of claims or volumes, which may have what was decided.
func (d *volumeDecisions) learn(list world.Listed) (again bool) {
	if again = d.listed[list.Kind] && (list.Kind == world.PersistentVolume || list.Kind == world.PersistentVolumeClaim); again {
		return true
	}
	d.listed[list.Kind] = true
	for _, o := range list.Objects {
		d.made(world.Changed{Object: o})
	}
	return false
}
