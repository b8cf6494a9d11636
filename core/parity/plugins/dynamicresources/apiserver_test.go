package dynamicresources

import (
	"context"
	"errors"
	"strconv"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
)

// apiServer takes kube-scheduler's writes of claims. They are read back when the comparison applies them.
type apiServer struct {
	clientset.Interface
	resourceclient.ResourceV1Interface
	resourceclient.ResourceClaimInterface
	cluster *cluster
	// meanwhile are claims that another scheduler changed, and that no watch has shown.
	meanwhile map[string]*resourcev1.ResourceClaim
	written   map[string]*resourcev1.ResourceClaim
	patched   []string
}

func (s *apiServer) ResourceV1() resourceclient.ResourceV1Interface { return s }

func (s *apiServer) ResourceClaims(string) resourceclient.ResourceClaimInterface { return s }

// held is a claim as the API server has it.
func (s *apiServer) held(name string) *resourcev1.ResourceClaim {
	if claim := s.written[name]; claim != nil {
		return claim
	}
	if claim := s.meanwhile[name]; claim != nil {
		return claim
	}
	return s.cluster.claim(name)
}

func (s *apiServer) Get(_ context.Context, name string, _ metav1.GetOptions) (*resourcev1.ResourceClaim, error) {
	if claim := s.held(name); claim != nil {
		return claim.DeepCopy(), nil
	}
	return nil, apierrors.NewNotFound(resourcev1.Resource("resourceclaims"), name)
}

func (s *apiServer) Update(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.UpdateOptions) (*resourcev1.ResourceClaim, error) {
	return s.write(claim, func(next *resourcev1.ResourceClaim) { next.Finalizers = claim.Finalizers })
}

func (s *apiServer) UpdateStatus(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.UpdateOptions) (*resourcev1.ResourceClaim, error) {
	return s.write(claim, func(next *resourcev1.ResourceClaim) { next.Status = claim.Status })
}

func (s *apiServer) Patch(_ context.Context, name string, _ types.PatchType, _ []byte, _ metav1.PatchOptions, _ ...string) (*resourcev1.ResourceClaim, error) {
	s.patched = append(s.patched, name)
	return nil, errors.New("patches are only counted")
}

func (s *apiServer) write(claim *resourcev1.ResourceClaim, change func(*resourcev1.ResourceClaim)) (*resourcev1.ResourceClaim, error) {
	held := s.held(claim.Name)
	if held == nil {
		return nil, apierrors.NewNotFound(resourcev1.Resource("resourceclaims"), claim.Name)
	}
	if held.ResourceVersion != claim.ResourceVersion {
		return nil, apierrors.NewConflict(resourcev1.Resource("resourceclaims"), claim.Name, errors.New("it was modified"))
	}
	next := held.DeepCopy()
	change(next)
	s.cluster.version++
	next.ResourceVersion = strconv.Itoa(s.cluster.version)
	s.written[claim.Name] = next
	return next.DeepCopy(), nil
}
