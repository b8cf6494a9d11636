package nodevolumelimits

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/csimigration"
)

// volumeID identifies a volume of a CSI driver.
type volumeID struct {
	driver, handle string
	// unbound says that the handle is a claim, "namespace/name", as there is no volume yet.
	unbound bool
}

func (id volumeID) compare(other volumeID) int {
	switch byName := cmp.Or(strings.Compare(id.handle, other.handle), strings.Compare(id.driver, other.driver)); {
	case byName != 0 || id.unbound == other.unbound:
		return byName
	case id.unbound:
		return 1
	}
	return -1
}

// volumeSet is sorted, and as small as it can be: there is one for every node.
type volumeSet []volumeID

// newVolumeSet takes volumes in any order, some repeatedly.
func newVolumeSet(volumes []volumeID) volumeSet {
	slices.SortFunc(volumes, volumeID.compare)
	return slices.Clone(slices.Compact(volumes))
}

func (s volumeSet) has(id volumeID) bool {
	_, found := slices.BinarySearchFunc(s, id, volumeID.compare)
	return found
}

// objects are what volumes are read from.
type objects struct {
	claims      corelisters.PersistentVolumeClaimLister
	volumes     corelisters.PersistentVolumeLister
	classes     storagelisters.StorageClassLister
	attachments storagelisters.VolumeAttachmentLister
	csiNodes    fwk.CSINodeLister
	portworx    bool // the gate CSIMigrationPortworx
	// portworxAnywhere says that Portworx counts as migrated where the node does not say so, too.
	portworxAnywhere bool
}

// reading is one reading of pods' volumes.
type reading struct {
	*objects
	scope csimigration.Scope
	read  *readObjects // receives the names of the objects; may be nil
	found func(volumeID)
}

var errNoClaimName = errors.New("PersistentVolumeClaim had no name")

// pod finds the volumes of a pod. The claims of a pod that is to be scheduled have to exist; a missing claim of a pod that runs
// is no volume.
func (r *reading) pod(pod *v1.Pod, isNew bool) error {
	for i := range pod.Spec.Volumes {
		source := &pod.Spec.Volumes[i]
		var err error
		switch {
		case source.PersistentVolumeClaim != nil:
			err = r.claim(pod, source.PersistentVolumeClaim.ClaimName, false, isNew)
		case source.Ephemeral != nil:
			err = r.claim(pod, ephemeral.VolumeClaimName(pod, source), true, isNew)
		default:
			err = r.inline(pod, source)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) claim(pod *v1.Pod, name string, isEphemeral, isNew bool) error {
	if name == "" {
		return errNoClaimName
	}
	r.read.add(aClaim, pod.Namespace, name)
	claim, err := r.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
	switch {
	case err != nil && isNew:
		return fmt.Errorf("looking up PVC %s/%s: %w", pod.Namespace, name, err)
	case err != nil:
		return nil
	}
	if isEphemeral {
		if err := ephemeral.VolumeIsForPod(pod, claim); err != nil {
			return err
		}
	}
	if id := r.ofClaim(claim); id.driver != "" && id.handle != "" {
		r.found(id)
	}
	return nil
}

// ofClaim is the volume of a claim. One without a driver does not count.
func (r *reading) ofClaim(claim *v1.PersistentVolumeClaim) volumeID {
	name := claim.Spec.VolumeName
	if name == "" {
		return r.unbound(claim)
	}
	r.read.add(aVolume, "", name)
	pv, err := r.volumes.Get(name)
	if err != nil {
		return r.unbound(claim)
	}
	csi := pv.Spec.CSI
	if csi == nil {
		if !r.scope.Counts(csimigration.PluginOf(pv)) {
			return volumeID{}
		}
		translated, err := csimigration.ToCSI(pv)
		if err != nil {
			return volumeID{}
		}
		csi = translated.Spec.CSI
	}
	return volumeID{driver: csi.Driver, handle: csi.VolumeHandle}
}

// unbound is the volume that a claim will have, by its class. A claim without a class is bound before its pod is scheduled.
func (r *reading) unbound(claim *v1.PersistentVolumeClaim) volumeID {
	class, err := r.classes.Get(volume.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return volumeID{}
	}
	driver := class.Provisioner
	if csimigration.IsInTree(driver) {
		if !r.scope.Counts(driver) {
			return volumeID{}
		}
		driver = csimigration.DriverOf(driver)
	}
	return volumeID{driver, claim.Namespace + "/" + claim.Name, true}
}

// inline finds the volume that stands in a pod, if its plugin is in scope.
func (r *reading) inline(pod *v1.Pod, source *v1.Volume) error {
	plugin := csimigration.PluginOfInline(source)
	if !r.scope.Counts(plugin) {
		return nil
	}
	translated, err := csimigration.InlineToCSI(source, pod.Namespace)
	if err != nil {
		return fmt.Errorf("converting volume(%s) from inline to csi: %w", source.Name, err)
	}
	r.found(volumeID{driver: csimigration.DriverOf(plugin), handle: translated.Spec.CSI.VolumeHandle})
	return nil
}
