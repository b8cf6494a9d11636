package devices

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// A binding may end while the write of its claim is under way, or without an answer. The write may have given the claim its
// devices, which no watch has shown yet, and it is undone by a second write. Until the answer to that one, and until the store
// shows what is left, the claim is in flight without a binding.

// Abandon keeps a claim in flight whose binding has ended, and reports whether it is in flight.
func (s *State) Abandon(uid types.UID) bool {
	_, inFlight := s.inFlight[uid]
	if inFlight {
		s.abandoned[uid] = ""
	}
	return inFlight
}

// Abandoned reports whether a claim is in flight without a binding.
func (s *State) Abandoned(uid types.UID) bool {
	_, abandoned := s.abandoned[uid]
	return abandoned
}

// Settle ends the flight of an abandoned claim that was undone in a version, once the store shows that version or a later one;
// at once if the version is not known.
func (s *State) Settle(claim world.ObjectRef, version string) {
	if !s.Abandoned(claim.UID) {
		return
	}
	stored := s.StoredClaim(claim.Namespace, claim.Name)
	if version == "" || stored == nil || stored.UID != claim.UID || reached(stored.ResourceVersion, version) {
		s.GiveUp(claim.UID)
		return
	}
	s.abandoned[claim.UID] = version
}

// endAbandoned ends the flight of a claim that is gone, or that is shown as it was undone. Before, the devices of its new
// version are not taken.
func (s *State) endAbandoned(was, is *resourcev1.ResourceClaim) {
	if len(s.abandoned) == 0 {
		return
	}
	if was != nil && (is == nil || is.UID != was.UID) && s.Abandoned(was.UID) {
		s.GiveUp(was.UID)
	}
	if is != nil && s.abandoned[is.UID] != "" && reached(is.ResourceVersion, s.abandoned[is.UID]) {
		s.GiveUp(is.UID)
	}
}
