package volumes

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// State is the state of all persistent volumes and claims. It is not safe for concurrent use.
type State struct {
	store   store.View
	volumes assumptions[*v1.PersistentVolume]
	claims  assumptions[*v1.PersistentVolumeClaim]
	index   index
	// Errors counts the failures to place pods by this state.
	Errors Errors
}

// Errors counts failures by stage: a node could not be evaluated, what was chosen could not be assumed, or was not bound.
type Errors struct{ Predicate, Assume, Bind uint64 }

// New returns the state of a store without volumes.
func New(s store.View) *State {
	return &State{
		store:   s,
		volumes: newAssumptions("persistentvolumes", heldVolume(s)),
		claims:  newAssumptions("persistentvolumeclaims", heldClaim(s)),
		index:   newIndex(),
	}
}

// Fork returns an independent copy, for a fork of the store.
func (s *State) Fork(with store.View) *State {
	return &State{store: with, volumes: s.volumes.fork(heldVolume(with)), claims: s.claims.fork(heldClaim(with)), index: s.index.fork(), Errors: s.Errors}
}

func heldVolume(s store.View) func(types.NamespacedName) *v1.PersistentVolume {
	return func(name types.NamespacedName) *v1.PersistentVolume {
		volume, _ := s.Object(world.PersistentVolume, "", name.Name).(*v1.PersistentVolume)
		return volume
	}
}

func heldClaim(s store.View) func(types.NamespacedName) *v1.PersistentVolumeClaim {
	return func(name types.NamespacedName) *v1.PersistentVolumeClaim {
		claim, _ := s.Object(world.PersistentVolumeClaim, name.Namespace, name.Name).(*v1.PersistentVolumeClaim)
		return claim
	}
}

// Changed takes in a change of the store.
func (s *State) Changed(d store.Delta) {
	switch d.Kind {
	case world.PersistentVolume:
		if was, ok := d.Old.(*v1.PersistentVolume); ok {
			s.index.remove(was)
			s.volumes.changed(nameOf(was))
		}
		if is, ok := d.New.(*v1.PersistentVolume); ok && !s.given(is) {
			s.index.add(is)
		}
	case world.PersistentVolumeClaim:
		if was, ok := d.Old.(*v1.PersistentVolumeClaim); ok {
			s.claims.changed(nameOf(was))
			s.claimChanged(was)
		}
		if is, ok := d.New.(*v1.PersistentVolumeClaim); ok {
			s.claimChanged(is)
		}
	}
}

// given reports whether the claim that a volume names has the volume.
func (s *State) given(pv *v1.PersistentVolume) bool {
	if pv.Spec.ClaimRef == nil {
		return false
	}
	claim := s.claims.held(nameOfClaim(pv.Spec.ClaimRef))
	return claim != nil && claim.Spec.VolumeName == pv.Name
}

// claimChanged looks at the volume of a claim anew.
func (s *State) claimChanged(claim *v1.PersistentVolumeClaim) {
	if claim.Spec.VolumeName == "" {
		return
	}
	pv := s.StoredVolume(claim.Spec.VolumeName)
	if pv == nil || pv.Spec.ClaimRef == nil {
		return
	}
	s.index.remove(pv)
	if !s.given(pv) {
		s.index.add(pv)
	}
}

// Volume returns a volume with what is assumed of it, or nil.
func (s *State) Volume(name string) *v1.PersistentVolume {
	return s.volumes.get(types.NamespacedName{Name: name})
}

// Claim returns a claim with what is assumed of it, or nil.
func (s *State) Claim(namespace, name string) *v1.PersistentVolumeClaim {
	return s.claims.get(types.NamespacedName{Namespace: namespace, Name: name})
}

// StoredVolume returns a volume as the API server has it, or nil.
func (s *State) StoredVolume(name string) *v1.PersistentVolume {
	return s.volumes.held(types.NamespacedName{Name: name})
}

// StoredClaim returns a claim as the API server has it, or nil.
func (s *State) StoredClaim(namespace, name string) *v1.PersistentVolumeClaim {
	return s.claims.held(types.NamespacedName{Namespace: namespace, Name: name})
}

// AssumeVolume assumes a volume's state. It is an error if it was made from another version than the store's.
func (s *State) AssumeVolume(volume *v1.PersistentVolume) error { return s.volumes.assume(volume) }

// AssumeClaim assumes a claim's state. It is an error if it was made from another version than the store's.
func (s *State) AssumeClaim(claim *v1.PersistentVolumeClaim) error { return s.claims.assume(claim) }

// RestoreVolume ends what is assumed of a volume in this version.
func (s *State) RestoreVolume(volume *v1.PersistentVolume) { s.volumes.restore(volume) }

// RestoreClaim ends what is assumed of a claim in this version.
func (s *State) RestoreClaim(claim *v1.PersistentVolumeClaim) { s.claims.restore(claim) }

// Assumed counts the volumes and claims of which something is assumed.
func (s *State) Assumed() (volumes, claims int) { return len(s.volumes.by), len(s.claims.by) }
