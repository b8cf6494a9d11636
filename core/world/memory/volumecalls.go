package memory

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// The scheduler's updates of volumes and claims before it binds a pod.

// claimVolume reserves a volume for a claim.
func (c *Cluster) claimVolume(act world.ClaimVolume) error {
	o, err := c.atVersion(world.PersistentVolume, act.Volume)
	if err != nil {
		return err
	}
	claimed := o.(*v1.PersistentVolume).DeepCopy()
	ref := world.ClaimReference(act.Claim)
	claimed.Spec.ClaimRef = &ref
	if act.ByController {
		claimed.Annotations = withEntry(claimed.Annotations, storagevolume.AnnBoundByController, "yes")
	}
	_, err = c.Update(claimed)
	return err
}

// selectNode tells a claim's provisioner where the volume is needed.
func (c *Cluster) selectNode(act world.SelectNode) error {
	o, err := c.atVersion(world.PersistentVolumeClaim, act.Claim)
	if err != nil {
		return err
	}
	told := *o.(*v1.PersistentVolumeClaim)
	told.Annotations = withEntry(told.Annotations, storagevolume.AnnSelectedNode, act.Node)
	_, err = c.Update(&told)
	return err
}

// atVersion returns the object of a reference; another UID or version is a conflict.
func (c *Cluster) atVersion(kind world.Kind, ref world.ObjectRef) (world.Object, error) {
	if err := c.reachable(); err != nil {
		return nil, err
	}
	o, err := c.Get(kind, ref.Namespace, ref.Name)
	if err != nil {
		return nil, err
	}
	return o, checkVersion(kind, o, ref.UID, ref.ResourceVersion)
}

func (c *Cluster) claimAt(key types.NamespacedName) *v1.PersistentVolumeClaim {
	claim, _ := c.objects[world.PersistentVolumeClaim][key].(*v1.PersistentVolumeClaim)
	return claim
}

func (c *Cluster) volumeAt(name string) *v1.PersistentVolume {
	volume, _ := c.objects[world.PersistentVolume][types.NamespacedName{Name: name}].(*v1.PersistentVolume)
	return volume
}
