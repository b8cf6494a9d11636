package compare

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/devices"
	"orrery/core/world"
)

// release does what the claim controller does when a pod is gone: its own claims are deleted, and others are without it and
// without devices if it was the last pod. The claim that the scheduler made for its extended resources is one of its own.
func (s *simulation) release(pod *v1.Pod) []world.Event {
	names := devices.ClaimNames(pod)
	for _, claim := range s.engine.Devices().ExtendedClaims(pod.UID) {
		names = append(names, claim.Name)
	}
	var events []world.Event
	for _, name := range names {
		claim, ok := s.engine.Store().Object(world.ResourceClaim, pod.Namespace, name).(*resourcev1.ResourceClaim)
		if !ok {
			continue
		}
		left := without(claim, pod.UID) // for this pods are tried again, and not for a claim's end
		events = append(events, world.Changed{Op: world.Modified, Object: left})
		if metav1.IsControlledBy(claim, pod) {
			events = append(events, world.Changed{Op: world.Deleted, Object: left})
		}
	}
	return events
}

// without returns a claim without a pod.
func without(claim *resourcev1.ResourceClaim, pod types.UID) *resourcev1.ResourceClaim {
	left := *claim
	left.ResourceVersion = ""
	left.Status.ReservedFor = slices.DeleteFunc(slices.Clone(claim.Status.ReservedFor),
		func(r resourcev1.ResourceClaimConsumerReference) bool { return r.UID == pod })
	if len(left.Status.ReservedFor) == 0 {
		left.Status.Allocation = nil
	}
	return &left
}

// claimAgain gives a pod that is created again claims like those that were made for it before.
func (s *simulation) claimAgain(pod *v1.Pod, recreation int) []world.Event {
	var events []world.Event
	statuses := slices.Clone(pod.Status.ResourceClaimStatuses)
	for i, status := range statuses {
		if status.ResourceClaimName == nil {
			continue
		}
		claim, ok := s.engine.Store().Object(world.ResourceClaim, pod.Namespace, *status.ResourceClaimName).(*resourcev1.ResourceClaim)
		if !ok || !ownedByPodOfName(claim, pod.Name) {
			continue
		}
		fresh := *claim
		fresh.Name = fmt.Sprintf("%s again %d", cmp.Or(claim.GenerateName, claim.Name), recreation)
		fresh.UID, fresh.ResourceVersion, fresh.Status = types.UID(string(pod.UID)+" "+fresh.Name), "", resourcev1.ResourceClaimStatus{}
		fresh.OwnerReferences = slices.Clone(claim.OwnerReferences)
		for j := range fresh.OwnerReferences {
			fresh.OwnerReferences[j].UID = pod.UID
		}
		statuses[i].ResourceClaimName = &fresh.Name
		events = append(events, world.Changed{Op: world.Added, Object: &fresh})
	}
	pod.Status.ResourceClaimStatuses = statuses
	return events
}

func ownedByPodOfName(claim *resourcev1.ResourceClaim, pod string) bool {
	owner := metav1.GetControllerOfNoCopy(claim)
	return owner != nil && owner.Kind == "Pod" && owner.Name == pod
}
