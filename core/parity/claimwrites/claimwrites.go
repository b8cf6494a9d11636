// Package claimwrites has Orrery's writes of claims for devices carried out by the API server of package claimserver, which takes
// kube-scheduler's by a client.
package claimwrites

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/oracle/claimserver"
	"orrery/core/world"
)

// CarryOut does what an action of Orrery says, as the live world does it.
func CarryOut(s *claimserver.Server, action world.Action) *world.Outcome {
	s.Lock()
	defer s.Unlock()
	var err error
	switch act := action.(type) {
	case world.ReserveResourceClaim:
		err = reserve(s, act)
	case world.UnreserveResourceClaim:
		if err = s.Say(claimserver.User, act.Claim.Name); err == nil {
			if next, changed := act.Apply(s.Held(act.Claim.Name)); changed {
				s.Put(next)
			}
		}
	case world.DeallocateResourceClaim:
		if err = s.Say(claimserver.Status, act.Claim.Name); err == nil {
			s.Put(act.Apply(s.Held(act.Claim.Name)))
		}
	case world.CreateResourceClaim:
		if err = s.Say(claimserver.Claim, act.Claim.Name); err == nil {
			s.PutNew(act.Claim)
		}
	case world.DeleteResourceClaim:
		if err = s.Say(claimserver.Finalizer, act.Claim.Name); err == nil {
			s.Put(world.WithoutFinalizer(s.Held(act.Claim.Name)))
			if err = s.Say(claimserver.Deletion, act.Claim.Name); err == nil {
				s.Written[act.Claim.Name] = nil
			}
		}
	case world.PatchStatus:
		if err = s.Say(claimserver.PodStatus, act.Pod.Name); err == nil {
			s.PodStatus = act.ExtendedResources
		}
	}
	if err != nil {
		return &world.Outcome{Code: fwk.Error, Reason: apierrors.ReasonForError(err), Message: err.Error()}
	}
	return &world.Outcome{}
}

func reserve(s *claimserver.Server, act world.ReserveResourceClaim) error {
	held := s.Held(act.Claim.Name)
	next, err := act.Apply(held)
	if err != nil {
		return err
	}
	if len(next.Finalizers) > len(held.Finalizers) {
		if err := s.Say(claimserver.Finalizer, held.Name); err != nil {
			return act.FinalizerError(err)
		}
		finalized := *held
		finalized.Finalizers = next.Finalizers
		s.Put(&finalized)
	}
	if err := s.Say(claimserver.Status, held.Name); err != nil {
		return act.StatusError(err)
	}
	s.Put(next)
	return nil
}
