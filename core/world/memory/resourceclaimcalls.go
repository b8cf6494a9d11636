package memory

import (
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// The scheduler's writes of claims for devices. A conflict with another writer is retried by the caller in a real cluster;
// here nothing comes between the read and the write.

// writeResourceClaim carries out a write of a claim after which its version is of no concern.
func (c *Cluster) writeResourceClaim(act world.Action) error {
	switch act := act.(type) {
	case world.DeallocateResourceClaim:
		return c.deallocateResourceClaim(act)
	case world.CreateResourceClaim:
		_, err := c.Create(act.Claim)
		return err
	case world.DeleteResourceClaim:
		return c.deleteResourceClaim(act)
	}
	return nil
}

// reserveResourceClaim adds the finalizer, as an update, and then the devices and the pod, as an update of the status.
func (c *Cluster) reserveResourceClaim(act world.ReserveResourceClaim) (version string, err error) {
	claim, err := c.resourceClaim(act.Claim.Namespace, act.Claim.Name)
	if err != nil {
		return "", err
	}
	reserved, err := act.Apply(claim)
	if err != nil || reserved == claim {
		return claim.ResourceVersion, err
	}
	updated, err := c.Update(reserved)
	if err != nil {
		return "", act.FinalizerError(err)
	}
	reserved.ResourceVersion = updated.GetResourceVersion()
	if updated, err = c.UpdateStatus(reserved); err != nil {
		return "", act.StatusError(err)
	}
	return updated.GetResourceVersion(), nil
}

func (c *Cluster) unreserveResourceClaim(act world.UnreserveResourceClaim) (version string, err error) {
	claim, err := c.resourceClaim(act.Claim.Namespace, act.Claim.Name)
	if err != nil {
		return "", err
	}
	without, used := act.Apply(claim)
	if !used {
		return claim.ResourceVersion, nil
	}
	updated, err := c.UpdateStatus(without)
	if err != nil {
		return "", err
	}
	return updated.GetResourceVersion(), nil
}

func (c *Cluster) deallocateResourceClaim(act world.DeallocateResourceClaim) error {
	o, err := c.atVersion(world.ResourceClaim, act.Claim)
	if err != nil {
		return err
	}
	_, err = c.UpdateStatus(act.Apply(o.(*resourcev1.ResourceClaim)))
	return err
}

// deleteResourceClaim removes the finalizer, so that the deletion takes effect at once.
func (c *Cluster) deleteResourceClaim(act world.DeleteResourceClaim) error {
	claim, err := c.resourceClaim(act.Claim.Namespace, act.Claim.Name)
	switch {
	case err != nil:
		return err
	case !act.Concerns(claim):
		return apierrors.NewNotFound(resourcev1.Resource("resourceclaims"), act.Claim.Name)
	}
	if _, err := c.Update(world.WithoutFinalizer(claim)); err != nil {
		return err
	}
	return c.Delete(world.ResourceClaim, claim.Namespace, claim.Name, metav1.DeleteOptions{})
}

func (c *Cluster) resourceClaim(namespace, name string) (*resourcev1.ResourceClaim, error) {
	if err := c.reachable(); err != nil {
		return nil, err
	}
	o, err := c.Get(world.ResourceClaim, namespace, name)
	if err != nil {
		return nil, err
	}
	return o.(*resourcev1.ResourceClaim), nil
}
