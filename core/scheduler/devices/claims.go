package devices

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// assumption is the assumed state of a claim, the store's version of it, and the version that was written, if it is known.
type assumption struct {
	stored, state *resourcev1.ResourceClaim
	written       string
}

// Claim returns a claim with what is assumed of it, or nil.
func (s *State) Claim(namespace, name string) *resourcev1.ResourceClaim {
	if one, ok := s.assumed[types.NamespacedName{Namespace: namespace, Name: name}]; ok {
		return one.state
	}
	return s.StoredClaim(namespace, name)
}

// StoredClaim returns a claim as the API server has it, or nil.
func (s *State) StoredClaim(namespace, name string) *resourcev1.ResourceClaim {
	claim, _ := s.store.Object(world.ResourceClaim, namespace, name).(*resourcev1.ResourceClaim)
	return claim
}

// Claims returns all claims with what is assumed of them, by namespace and name.
func (s *State) Claims() []*resourcev1.ResourceClaim {
	all := make([]*resourcev1.ResourceClaim, 0, s.store.Len(world.ResourceClaim))
	for object := range s.store.Objects(world.ResourceClaim) {
		all = append(all, s.Claim(object.GetNamespace(), object.GetName()))
	}
	return all
}

// Assume assumes the state of a claim that was written, in a version that may be unknown. It is an error if the store does not
// have the claim.
func (s *State) Assume(claim *resourcev1.ResourceClaim, version string) error {
	name := nameOf(claim)
	stored := s.StoredClaim(name.Namespace, name.Name)
	switch {
	case stored == nil:
		return apierrors.NewNotFound(resourcev1.Resource("resourceclaims"), name.String())
	case stored.UID != claim.UID:
		return fmt.Errorf("resource claim %s was replaced: its UID is %s, not %s", name, stored.UID, claim.UID)
	}
	if claim == stored || reached(stored.ResourceVersion, version) {
		s.Restore(name.Namespace, name.Name) // the store shows it already
		return nil
	}
	s.replaceTaken(s.Claim(name.Namespace, name.Name), claim)
	s.setAssumption(name, &assumption{stored, claim, version})
	s.generation++
	return nil
}

// Restore ends what is assumed of a claim.
func (s *State) Restore(namespace, name string) {
	one, ok := s.assumed[types.NamespacedName{Namespace: namespace, Name: name}]
	if !ok {
		return
	}
	s.replaceTaken(one.state, one.stored)
	s.setAssumption(nameOf(one.state), nil)
	s.generation++
}

// setAssumption keeps what is assumed of a claim; nil for nothing.
func (s *State) setAssumption(name types.NamespacedName, one *assumption) {
	if s.guard != nil {
		s.guard.Lock()
		defer s.guard.Unlock()
	}
	if one == nil {
		delete(s.assumed, name)
	} else {
		s.assumed[name] = *one
	}
}

// SetInFlight takes the devices of a claim that is about to be written. The UID is that under which it is removed: the
// implicit claim of extended resources has none of its own yet.
func (s *State) SetInFlight(uid types.UID, claim *resourcev1.ResourceClaim) {
	s.replaceTaken(s.inFlight[uid], claim)
	s.inFlight[uid] = claim
	s.generation++
}

// InFlight returns a claim that is about to be written; nil if it is not.
func (s *State) InFlight(uid types.UID) *resourcev1.ResourceClaim { return s.inFlight[uid] }

// RemoveInFlight ends what SetInFlight began, and reports whether it had begun.
func (s *State) RemoveInFlight(uid types.UID) bool {
	claim, ok := s.inFlight[uid]
	if ok {
		s.replaceTaken(claim, nil)
		delete(s.inFlight, uid)
		delete(s.abandoned, uid)
		s.generation++
	}
	return ok
}

// GiveUp ends what SetInFlight began. The claim's devices are free, unless a write was made that gave them to it.
func (s *State) GiveUp(uid types.UID) {
	claim := s.inFlight[uid]
	if !s.RemoveInFlight(uid) {
		return
	}
	known := s.Claim(claim.Namespace, claim.Name)
	written := known != nil && known.UID == uid && equality.Semantic.DeepEqual(known.Status.Allocation, claim.Status.Allocation)
	if !written && claim.Status.Allocation != nil && len(claim.Status.Allocation.Devices.Results) > 0 {
		s.freed = append(s.freed, claim)
	}
}

// TakeFreed returns the claims that were given up since the last call, with the devices that they have no longer. No claim of the store
// changes with that, so that pods which wait for devices would not be tried again.
func (s *State) TakeFreed() []*resourcev1.ResourceClaim {
	freed := s.freed
	s.freed = nil
	return freed
}

// InFlightClaims returns the claims that are about to be written, as they will be, by UID.
func (s *State) InFlightClaims() []*resourcev1.ResourceClaim {
	uids := s.inFlightInOrder()
	all := make([]*resourcev1.ResourceClaim, len(uids))
	for i, uid := range uids {
		all[i] = s.inFlight[uid]
	}
	return all
}

// AssumedClaims returns the names of the claims of which something is assumed, sorted.
func (s *State) AssumedClaims() []types.NamespacedName {
	return slices.SortedFunc(maps.Keys(s.assumed), compareNames)
}

// Pending counts the claims in flight, those of them that are abandoned, and those of which something is assumed.
func (s *State) Pending() (inFlight, abandoned, assumed int) {
	return len(s.inFlight), len(s.abandoned), len(s.assumed)
}

// claimChanged takes in a version of a claim; either may be nil.
func (s *State) claimChanged(was, is *resourcev1.ResourceClaim) {
	var name types.NamespacedName
	if is != nil {
		name = nameOf(is)
	} else {
		name = nameOf(was)
	}
	s.endAbandoned(was, is)
	one, assumed := s.assumed[name]
	switch {
	case !assumed:
		s.replaceTaken(was, is)
	case is != nil && is.UID == one.state.UID && !reached(is.ResourceVersion, one.written) &&
		is.Status.Allocation == nil && one.state.Status.Allocation != nil:
		state := *is
		state.Status = one.state.Status
		s.setAssumption(name, &assumption{is, &state, one.written})
	default:
		s.replaceTaken(one.state, is)
		s.setAssumption(name, nil)
	}
}

// replaceTaken takes the devices of one version of a claim instead of those of another; either may be nil.
func (s *State) replaceTaken(was, is *resourcev1.ResourceClaim) {
	for _, id := range s.taken.replace(was, is) {
		if s.index != nil {
			s.index.taken(id)
		}
	}
}

// reached reports whether a version is the wanted one or a later one. Versions that are no numbers cannot be compared.
func reached(version, wanted string) bool {
	is, err := strconv.ParseUint(version, 10, 64)
	want, err2 := strconv.ParseUint(wanted, 10, 64)
	return err == nil && err2 == nil && is >= want
}

// inFlightInOrder lists the claims in flight by UID.
func (s *State) inFlightInOrder() []types.UID {
	uids := make([]types.UID, 0, len(s.inFlight))
	for uid := range s.inFlight {
		uids = append(uids, uid)
	}
	slices.SortFunc(uids, cmp.Compare[types.UID])
	return uids
}

func nameOf(o world.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}
