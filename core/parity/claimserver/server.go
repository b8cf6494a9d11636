package claimserver

import (
	"errors"
	"sync"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Server takes one scheduler's writes, until both read them back. All claims are of one namespace.
type Server struct {
	// Stored is a claim before the writes.
	Stored func(name string) *resourcev1.ResourceClaim
	// NextVersion is the resource version of the next write.
	NextVersion func() string
	// Fails decides about a write of something.
	Fails func(what, name string) bool

	// Written has the claims after the writes; nil for one that is deleted.
	Written map[string]*resourcev1.ResourceClaim
	// Versions are the claims after each write, in order.
	Versions []*resourcev1.ResourceClaim
	// Said are the writes in order.
	Said []string
	// PodStatus is what is written in the pod's status.
	PodStatus *v1.PodExtendedResourceClaimStatus

	sync.Mutex // of what is written: kube-scheduler's PreBind writes on a goroutine
}

// The writes, by what is written.
const (
	Claim     = "claim"
	Finalizer = "finalizer"
	Status    = "status"
	User      = "user"
	Deletion  = "deletion"
	PodStatus = "pod's status"
)

// Begin forgets what was written. Another scheduler may have written some claims meanwhile.
func (s *Server) Begin(meanwhile map[string]*resourcev1.ResourceClaim) {
	s.Written, s.Versions, s.Said, s.PodStatus = map[string]*resourcev1.ResourceClaim{}, nil, nil, nil
	for name, claim := range meanwhile {
		s.Written[name] = claim
	}
}

// held is a claim as the API server has it.
func (s *Server) held(name string) *resourcev1.ResourceClaim {
	if claim, written := s.Written[name]; written {
		return claim
	}
	return s.Stored(name)
}

// say remembers a write. It is an error if it is to fail.
func (s *Server) say(what, name string) error {
	s.Said = append(s.Said, what+" "+name)
	if s.Fails(what, name) {
		return apierrors.NewForbidden(resourcev1.Resource("resourceclaims"), name, errors.New("broken"))
	}
	return nil
}

// Put has a claim as written, in its next version.
func (s *Server) Put(next *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	next = next.DeepCopy()
	next.ResourceVersion = s.NextVersion()
	s.Written[next.Name] = next
	s.Versions = append(s.Versions, next)
	return next.DeepCopy()
}

func notFound(name string) error {
	return apierrors.NewNotFound(resourcev1.Resource("resourceclaims"), name)
}

// CarryOut does what an action of Orrery says, as the live world does it.
func (s *Server) CarryOut(action world.Action) *world.Outcome {
	s.Lock()
	defer s.Unlock()
	var err error
	switch act := action.(type) {
	case world.ReserveResourceClaim:
		err = s.reserve(act)
	case world.UnreserveResourceClaim:
		if err = s.say(User, act.Claim.Name); err == nil {
			if next, changed := act.Apply(s.held(act.Claim.Name)); changed {
				s.Put(next)
			}
		}
	case world.DeallocateResourceClaim:
		if err = s.say(Status, act.Claim.Name); err == nil {
			s.Put(act.Apply(s.held(act.Claim.Name)))
		}
	case world.CreateResourceClaim:
		if err = s.say(Claim, act.Claim.Name); err == nil {
			s.create(act.Claim)
		}
	case world.DeleteResourceClaim:
		if err = s.say(Finalizer, act.Claim.Name); err == nil {
			s.Put(world.WithoutFinalizer(s.held(act.Claim.Name)))
			if err = s.say(Deletion, act.Claim.Name); err == nil {
				s.Written[act.Claim.Name] = nil
			}
		}
	case world.PatchStatus:
		if err = s.say(PodStatus, act.Pod.Name); err == nil {
			s.PodStatus = act.ExtendedResources
		}
	}
	if err != nil {
		return &world.Outcome{Code: fwk.Error, Reason: apierrors.ReasonForError(err), Message: err.Error()}
	}
	return &world.Outcome{}
}

func (s *Server) reserve(act world.ReserveResourceClaim) error {
	held := s.held(act.Claim.Name)
	next, err := act.Apply(held)
	if err != nil {
		return err
	}
	if len(next.Finalizers) > len(held.Finalizers) {
		if err := s.say(Finalizer, held.Name); err != nil {
			return act.FinalizerError(err)
		}
		finalized := *held
		finalized.Finalizers = next.Finalizers
		s.Put(&finalized)
	}
	if err := s.say(Status, held.Name); err != nil {
		return act.StatusError(err)
	}
	s.Put(next)
	return nil
}

func (s *Server) create(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	created := *claim
	created.UID = types.UID("resourceclaim/" + claim.Namespace + "/" + claim.Name)
	return s.Put(&created)
}
