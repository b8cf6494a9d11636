package claimserver

import (
	"errors"
	"sync"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
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

// Held is a claim as the API server has it.
func (s *Server) Held(name string) *resourcev1.ResourceClaim {
	if claim, written := s.Written[name]; written {
		return claim
	}
	return s.Stored(name)
}

// Say remembers a write. It is an error if it is to fail.
func (s *Server) Say(what, name string) error {
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

// PutNew has a claim as written, with a UID of its own.
func (s *Server) PutNew(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	created := *claim
	created.UID = types.UID("resourceclaim/" + claim.Namespace + "/" + claim.Name)
	return s.Put(&created)
}
