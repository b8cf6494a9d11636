package live

import (
	"context"
	"encoding/json"
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/util/retry"

	"orrery/core/world"
)

// Claims for devices are read before they are written: other writers change them meanwhile, and a change of no concern to
// the pod must not end its binding. A write that such a change overtakes is made again on what is read then.

// writeResourceClaim makes the call of a write of a claim.
func (c *Cluster) writeResourceClaim(ctx context.Context, act world.Action, j *task) error {
	switch act := act.(type) {
	case world.ReserveResourceClaim:
		return c.reserveResourceClaim(ctx, act, j)
	case world.UnreserveResourceClaim:
		return c.unreserveResourceClaim(ctx, act, j)
	case world.DeallocateResourceClaim:
		return c.deallocateResourceClaim(ctx, act, j)
	case world.CreateResourceClaim:
		return c.createResourceClaim(ctx, act, j)
	case world.DeleteResourceClaim:
		return c.deleteResourceClaim(ctx, act)
	}
	return nil
}

func (c *Cluster) resourceClaims(namespace string) resourceclient.ResourceClaimInterface {
	return c.options.Client.ResourceV1().ResourceClaims(namespace)
}

// reserveResourceClaim adds the finalizer, and then the devices and the pod to the status: one call cannot write both. A
// claim that has all of it was written by an attempt without an answer.
func (c *Cluster) reserveResourceClaim(ctx context.Context, act world.ReserveResourceClaim, j *task) error {
	claims := c.resourceClaims(act.Claim.Namespace)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		claim, err := claims.Get(ctx, act.Claim.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		reserved, err := act.Apply(claim)
		if err != nil {
			return err
		}
		if reserved == claim {
			j.version = claim.ResourceVersion
			return nil
		}
		if len(reserved.Finalizers) > len(claim.Finalizers) {
			finalized := *claim
			finalized.Finalizers = reserved.Finalizers
			updated, err := claims.Update(ctx, &finalized, metav1.UpdateOptions{})
			if err != nil {
				return act.FinalizerError(err)
			}
			reserved.ResourceVersion = updated.ResourceVersion
		}
		updated, err := claims.UpdateStatus(ctx, reserved, metav1.UpdateOptions{})
		if err != nil {
			return act.StatusError(err)
		}
		j.version = updated.ResourceVersion
		return nil
	})
}

// unreserveResourceClaim patches one user away, whatever the others are by now.
func (c *Cluster) unreserveResourceClaim(ctx context.Context, act world.UnreserveResourceClaim, j *task) error {
	type user struct {
		Patch string    `json:"$patch"`
		UID   types.UID `json:"uid"`
	}
	var patch struct {
		Metadata struct {
			UID types.UID `json:"uid,omitempty"`
		} `json:"metadata"`
		Status struct {
			ReservedFor []user `json:"reservedFor"`
		} `json:"status"`
	}
	patch.Metadata.UID, patch.Status.ReservedFor = act.Claim.UID, []user{{"delete", act.Pod.UID}}
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("writing the patch of resource claim %q: %w", act.Claim.Name, err)
	}
	patched, err := c.resourceClaims(act.Claim.Namespace).Patch(ctx, act.Claim.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{}, "status")
	if err == nil {
		j.version = patched.ResourceVersion
	}
	return err
}

// deallocateResourceClaim updates the version that was decided on: if the claim changed since, its devices may be in use. A
// claim without devices was deallocated by an attempt without an answer.
func (c *Cluster) deallocateResourceClaim(ctx context.Context, act world.DeallocateResourceClaim, j *task) error {
	claims := c.resourceClaims(act.Claim.Namespace)
	claim, err := claims.Get(ctx, act.Claim.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if j.uncertain && claim.UID == act.Claim.UID && claim.Status.Allocation == nil {
		return nil
	}
	next := act.Apply(claim)
	next.UID, next.ResourceVersion = act.Claim.UID, act.Claim.ResourceVersion
	_, err = claims.UpdateStatus(ctx, next, metav1.UpdateOptions{})
	return err
}

// createResourceClaim creates a claim under its own name, so that a second attempt finds what the first one created.
func (c *Cluster) createResourceClaim(ctx context.Context, act world.CreateResourceClaim, j *task) error {
	claims := c.resourceClaims(act.Claim.Namespace)
	_, err := claims.Create(ctx, act.Claim, metav1.CreateOptions{})
	if err == nil || !j.uncertain || !apierrors.IsAlreadyExists(err) {
		return err
	}
	claim, getErr := claims.Get(ctx, act.Claim.Name, metav1.GetOptions{})
	switch {
	case getErr != nil && resultOf(getErr) == callRefused:
		return err
	case getErr != nil:
		return getErr
	case ownedBy(claim, act.Pod.UID):
		return nil
	}
	return err
}

func ownedBy(claim *resourcev1.ResourceClaim, pod types.UID) bool {
	owner := metav1.GetControllerOf(claim)
	return owner != nil && owner.UID == pod
}

// deleteResourceClaim removes the finalizer first: without it the claim would stay until another component removes it. A
// claim that is gone is as good as deleted.
func (c *Cluster) deleteResourceClaim(ctx context.Context, act world.DeleteResourceClaim) error {
	claims := c.resourceClaims(act.Claim.Namespace)
	var claim *resourcev1.ResourceClaim
	err := retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
		if claim, err = claims.Get(ctx, act.Claim.Name, metav1.GetOptions{}); err != nil || !act.Concerns(claim) {
			return err
		}
		_, err = claims.Update(ctx, world.WithoutFinalizer(claim), metav1.UpdateOptions{})
		return err
	})
	if err == nil && act.Concerns(claim) {
		err = claims.Delete(ctx, act.Claim.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(claim.UID))})
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
