package memory

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
	"orrery/core/world/admission"
)

// syncDeviceClaim is the claim controller's sync of a claim: it takes back the reservations of pods that do not need it, then
// the allocation, then the finalizer, and deletes a generated claim whose pod has ended.
func (c *Cluster) syncDeviceClaim(claim *resourcev1.ResourceClaim) {
	left := slices.DeleteFunc(slices.Clone(claim.Status.ReservedFor), func(r resourcev1.ResourceClaimConsumerReference) bool {
		return !c.isConsumer(claim.Namespace, r)
	})
	unused := len(left) == 0
	switch {
	case len(left) < len(claim.Status.ReservedFor):
		claim = c.unreserve(claim, left)
	case unused && claim.DeletionTimestamp != nil && slices.Contains(claim.Finalizers, resourcev1.Finalizer):
		claim = c.unreserve(claim, nil)
	}
	if claim != nil && unused && claim.DeletionTimestamp == nil && c.outlivesPod(claim) {
		c.beginDeletion(world.ResourceClaim, claim)
	}
}

// isConsumer reports whether a claim's reservation is for a pod that still needs it, or for a consumer that is no pod: whether
// that still exists is not for this controller to say.
func (c *Cluster) isConsumer(namespace string, r resourcev1.ResourceClaimConsumerReference) bool {
	if r.APIGroup != "" || r.Resource != "pods" {
		return true
	}
	pod := c.Pod(namespace, r.Name)
	return pod != nil && pod.UID == r.UID && !isDone(pod)
}

// unreserve leaves a claim the given reservations. Without any its devices are free, and its finalizer goes. It returns the
// present claim, or nil if it is gone.
func (c *Cluster) unreserve(claim *resourcev1.ResourceClaim, left []resourcev1.ResourceClaimConsumerReference) *resourcev1.ResourceClaim {
	protected := slices.Contains(claim.Finalizers, resourcev1.Finalizer)
	next := *claim
	next.Status.ReservedFor = left
	if len(left) == 0 {
		next.Status.ReservedFor = nil
		if protected {
			next.Status.Allocation = nil
			next.Status.Devices = admission.WithoutStale(&next.Status, &claim.Status)
		}
	}
	claim = rewrite(c, world.ResourceClaim, claim, &next)
	if !protected || claim.Status.Allocation != nil {
		return claim
	}
	bare := *claim
	bare.Finalizers = without(claim.Finalizers, resourcev1.Finalizer)
	c.write(world.ResourceClaim, claim, &bare)
	if c.removeIfGone(world.ResourceClaim, &bare) {
		return nil
	}
	return &bare
}

// outlivesPod reports whether a claim was generated for a pod that has ended, or that another one of its name replaced. A claim
// whose pod is gone is left to the garbage collector.
func (c *Cluster) outlivesPod(claim *resourcev1.ResourceClaim) bool {
	owner := metav1.GetControllerOfNoCopy(claim)
	if owner == nil || owner.APIVersion != v1.SchemeGroupVersion.String() || owner.Kind != string(world.Pod) {
		return false
	}
	pod := c.Pod(claim.Namespace, owner.Name)
	return pod != nil && (pod.UID != owner.UID || isDone(pod))
}
