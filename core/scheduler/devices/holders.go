package devices

import (
	"iter"

	resourcev1 "k8s.io/api/resource/v1"
)

// Holders visits the claims that have devices: by namespace and name with what is assumed of them, then those in flight, by UID.
func (s *State) Holders() iter.Seq[*resourcev1.ResourceClaim] {
	return func(yield func(*resourcev1.ResourceClaim) bool) {
		for _, claim := range s.Claims() {
			if claim.Status.Allocation != nil && !yield(claim) {
				return
			}
		}
		for _, uid := range s.inFlightInOrder() {
			if !yield(s.inFlight[uid]) {
				return
			}
		}
	}
}
