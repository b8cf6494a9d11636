package memory

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// provisionerName names the provisioners of all drivers in events.
const provisionerName = "external-provisioner"

// provision asks the provisioner of a claim's class for a volume. Of a delayed class, the scheduler has selected a node.
func (c *Cluster) provision(claim *v1.PersistentVolumeClaim) {
	class := c.classOf(claim)
	switch {
	case class == nil:
		c.eventOn(claim, v1.EventTypeWarning, "ProvisioningFailed", fmt.Sprintf("storageclass.storage.k8s.io %q not found",
			storagevolume.GetPersistentVolumeClaimClass(claim)), volumeController)
		return
	case class.Provisioner == storagevolume.NotSupportedProvisioner || claim.DeletionTimestamp != nil:
		return
	}
	driver := driverOf(class)
	if claim.Annotations[storagevolume.AnnStorageProvisioner] != driver {
		next := *claim
		next.Annotations = withEntry(claim.Annotations, storagevolume.AnnStorageProvisioner, driver)
		next.Annotations[storagevolume.AnnBetaStorageProvisioner] = driver
		c.write(world.PersistentVolumeClaim, claim, &next)
		c.eventOn(claim, v1.EventTypeNormal, "ExternalProvisioning",
			fmt.Sprintf("Waiting for a volume to be created either by the external provisioner '%s' or manually by the "+
				"system administrator. If volume creation is delayed, please verify that the provisioner is running and "+
				"correctly registered.", driver), volumeController)
	}
	if c.options.Provisions != nil && !c.options.Provisions(driver) {
		return
	}
	c.startDriver(c.storage.provisioning, claim.UID, c.options.Latency.Provision, volumeProvisioned{keyOf(claim), claim.UID})
}

// volumeProvisioned is the end of a provisioner's work for a claim.
type volumeProvisioned struct {
	claim types.NamespacedName
	uid   types.UID
}

func (p volumeProvisioned) fire(c *Cluster) {
	claim := c.claimAt(p.claim)
	if claim == nil || claim.UID != p.uid {
		return
	}
	class := c.classOf(claim)
	if class != nil && c.storage.hungUntil[driverOf(class)].After(c.now) {
		c.schedule(c.storage.hungUntil[driverOf(class)], p)
		return
	}
	finish(&c.storage.provisioning, p.uid)
	selected, isSelected := claim.Annotations[storagevolume.AnnSelectedNode]
	if class == nil || claim.DeletionTimestamp != nil || claim.Spec.VolumeName != "" || isDelayed(class) && !isSelected {
		return
	}
	if c.volumeAt(provisionedName(claim)) != nil {
		return
	}
	segment, err := c.chooseSegment(claim, class, selected)
	if err == nil {
		err = c.takeRoom(class, segment, claim.Spec.Resources.Requests.Storage().Value())
	}
	if err != nil {
		c.provisioningFailed(claim, class, err)
		return
	}
	c.createProvisioned(claim, class, segment)
}

// provisioningFailed takes the selected node off a claim, so that the scheduler selects again. An immediate claim is
// retried when there may be room.
func (c *Cluster) provisioningFailed(claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass, err error) {
	c.eventOn(claim, v1.EventTypeWarning, "ProvisioningFailed", fmt.Sprintf(
		"failed to provision volume with StorageClass %q: %v", class.Name, err), provisionerName)
	if isDelayed(class) {
		next := *claim
		next.Annotations = maps.Clone(claim.Annotations)
		delete(next.Annotations, storagevolume.AnnSelectedNode)
		c.write(world.PersistentVolumeClaim, claim, &next)
	}
}

func provisionedName(claim *v1.PersistentVolumeClaim) string { return "pvc-" + string(claim.UID) }

// createProvisioned creates a volume that refers to its claim, so that the volume controller binds the two.
func (c *Cluster) createProvisioned(claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass, segment map[string]string) {
	policy, driver := v1.PersistentVolumeReclaimDelete, driverOf(class)
	if class.ReclaimPolicy != nil {
		policy = *class.ReclaimPolicy
	}
	ref := world.ClaimReference(world.ObjectRefOf(claim))
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        provisionedName(claim),
			Annotations: map[string]string{storagevolume.AnnDynamicallyProvisioned: driver},
		},
		Spec: v1.PersistentVolumeSpec{
			Capacity:    v1.ResourceList{v1.ResourceStorage: *claim.Spec.Resources.Requests.Storage()},
			AccessModes: slices.Clone(claim.Spec.AccessModes), VolumeMode: claim.Spec.VolumeMode,
			ClaimRef:                      &ref,
			PersistentVolumeReclaimPolicy: policy, StorageClassName: class.Name, MountOptions: class.MountOptions,
			VolumeAttributesClassName: claim.Spec.VolumeAttributesClassName, NodeAffinity: affinityTo(segment),
		},
	}
	volume.Spec.PersistentVolumeSource = c.sourceOf(driver, volume.Name)
	if _, err := c.create(world.PersistentVolume, volume); err != nil {
		c.provisioningFailed(claim, class, err)
		return
	}
	c.eventOn(claim, v1.EventTypeNormal, "ProvisioningSucceeded",
		"Successfully provisioned volume "+volume.Name, provisionerName)
}

// sourceOf is the source of a provisioned volume. A driver without a CSIDriver and a CSINode is no CSI driver; its volumes
// are directories.
func (c *Cluster) sourceOf(driver, volume string) v1.PersistentVolumeSource {
	if c.csiDriver(driver) != nil || c.isOnNodes(driver) {
		return v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: volume}}
	}
	return v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{Path: "/var/lib/volumes/" + volume}}
}

// affinityTo requires the nodes of a segment; nil if the segment is everywhere.
func affinityTo(segment map[string]string) *v1.VolumeNodeAffinity {
	if len(segment) == 0 {
		return nil
	}
	term := v1.NodeSelectorTerm{}
	for _, key := range slices.Sorted(maps.Keys(segment)) {
		term.MatchExpressions = append(term.MatchExpressions, v1.NodeSelectorRequirement{
			Key: key, Operator: v1.NodeSelectorOpIn, Values: []string{segment[key]},
		})
	}
	return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}}
}

// startAt returns where in a list of n segments the search for a claim starts, so that claims spread over segments.
func startAt(claim *v1.PersistentVolumeClaim, n int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(claim.Namespace + "/" + claim.Name))
	return int(h.Sum32() % uint32(n))
}
