package world

import (
	"fmt"
	"net/http"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ReserveResourceClaim reserves a ResourceClaim for a pod that is about to be bound to a node, and allocates it if it has
// no devices yet. The claim may have changed since it was decided on: what counts is the API server's state of it.
type ReserveResourceClaim struct {
	Pod   PodRef
	Node  string
	Claim ObjectRef
	// Allocation is what a claim without devices gets; nil if the claim is allocated.
	Allocation *resourcev1.AllocationResult
	// AllocatedAt becomes the allocation's timestamp if it has none. It is nil unless devices have binding conditions.
	AllocatedAt *metav1.Time
}

// UnreserveResourceClaim removes a pod from the users of a ResourceClaim, which stays allocated.
type UnreserveResourceClaim struct {
	Pod   PodRef
	Claim ObjectRef
}

// DeallocateResourceClaim takes the devices of a ResourceClaim away, in one version of it, to allocate others for a pod.
type DeallocateResourceClaim struct {
	Pod   PodRef
	Claim ObjectRef
}

// CreateResourceClaim creates the claim for the extended resources of a pod that is about to be bound to a node.
type CreateResourceClaim struct {
	Pod   PodRef
	Node  string
	Claim *resourcev1.ResourceClaim
}

// DeleteResourceClaim deletes the claim for the extended resources of a pod, whose devices are not used any more.
type DeleteResourceClaim struct {
	Pod   PodRef
	Claim ObjectRef
}

func (ReserveResourceClaim) action()    {}
func (UnreserveResourceClaim) action()  {}
func (DeallocateResourceClaim) action() {}
func (CreateResourceClaim) action()     {}
func (DeleteResourceClaim) action()     {}

// Apply returns the claim as it is after the reservation. It is an error if the claim cannot be reserved any more. A claim
// that is reserved already, by an attempt without an answer, is returned as it is.
func (a ReserveResourceClaim) Apply(claim *resourcev1.ResourceClaim) (*resourcev1.ResourceClaim, error) {
	key := claim.Namespace + "/" + claim.Name
	reserved := slices.ContainsFunc(claim.Status.ReservedFor, isUser(a.Pod.UID))
	switch {
	case a.Claim.UID != "" && a.Claim.UID != claim.UID:
		return nil, overtaken(key, "replaced")
	case claim.DeletionTimestamp != nil:
		return nil, overtaken(key, "deleted")
	case a.Allocation != nil && claim.Status.Allocation != nil && !(reserved && sameDevices(a.Allocation, claim.Status.Allocation)):
		return nil, overtaken(key, "allocated elsewhere")
	case a.Allocation == nil && claim.Status.Allocation == nil:
		return nil, overtaken(key, "deallocated")
	case reserved:
		return claim, nil
	}
	next := *claim
	if a.Allocation != nil {
		if !slices.Contains(next.Finalizers, resourcev1.Finalizer) {
			next.Finalizers = append(slices.Clip(next.Finalizers), resourcev1.Finalizer)
		}
		next.Status.Allocation = a.Allocation
	}
	if a.AllocatedAt != nil && next.Status.Allocation.AllocationTimestamp == nil {
		stamped := *next.Status.Allocation
		stamped.AllocationTimestamp = a.AllocatedAt
		next.Status.Allocation = &stamped
	}
	user := resourcev1.ResourceClaimConsumerReference{Resource: string(v1.ResourcePods), Name: a.Pod.Name, UID: a.Pod.UID}
	next.Status.ReservedFor = append(slices.Clip(next.Status.ReservedFor), user)
	return &next, nil
}

// overtaken is the refusal to write a claim. No retry helps, so it is no conflict.
func overtaken(key, by string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
		Message: fmt.Sprintf("claim %s got %s in the meantime", key, by),
	}}
}

// StatusError adds to an error what failed: the write of the claim's status.
func (a ReserveResourceClaim) StatusError(err error) error {
	what := "reservation"
	if a.Allocation != nil {
		what = "allocation and reservation"
	}
	return fmt.Errorf("add %s to claim %s/%s: %w", what, a.Claim.Namespace, a.Claim.Name, err)
}

// FinalizerError adds to an error what failed: the write of the claim's finalizer.
func (a ReserveResourceClaim) FinalizerError(err error) error {
	return fmt.Errorf("add finalizer to claim %s/%s: %w", a.Claim.Namespace, a.Claim.Name, err)
}

// Apply returns the claim without the pod, and whether the pod was a user of it.
func (a UnreserveResourceClaim) Apply(claim *resourcev1.ResourceClaim) (*resourcev1.ResourceClaim, bool) {
	if claim.UID != a.Claim.UID || !slices.ContainsFunc(claim.Status.ReservedFor, isUser(a.Pod.UID)) {
		return claim, false
	}
	next := *claim
	next.Status.ReservedFor = slices.DeleteFunc(slices.Clone(claim.Status.ReservedFor), isUser(a.Pod.UID))
	return &next, true
}

// Apply returns the claim without devices and users.
func (DeallocateResourceClaim) Apply(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	next := *claim
	next.Status.Allocation, next.Status.ReservedFor, next.Status.Devices = nil, nil, nil
	return &next
}

// Concerns reports whether a claim is the one to be deleted. The UID of one that was created, and not read since, is not known.
func (a DeleteResourceClaim) Concerns(claim *resourcev1.ResourceClaim) bool {
	if a.Claim.UID != "" {
		return claim.UID == a.Claim.UID
	}
	owner := metav1.GetControllerOf(claim)
	return owner != nil && owner.UID == a.Pod.UID
}

// WithoutFinalizer returns a claim that can be deleted at once, as far as the scheduler is concerned.
func WithoutFinalizer(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	next := *claim
	next.Finalizers = slices.DeleteFunc(slices.Clone(claim.Finalizers), func(f string) bool { return f == resourcev1.Finalizer })
	return &next
}

func isUser(pod types.UID) func(resourcev1.ResourceClaimConsumerReference) bool {
	return func(user resourcev1.ResourceClaimConsumerReference) bool { return user.UID == pod }
}

func sameDevices(a, b *resourcev1.AllocationResult) bool {
	return slices.EqualFunc(a.Devices.Results, b.Devices.Results, func(a, b resourcev1.DeviceRequestAllocationResult) bool {
		return a.Request == b.Request && a.Driver == b.Driver && a.Pool == b.Pool && a.Device == b.Device
	})
}
