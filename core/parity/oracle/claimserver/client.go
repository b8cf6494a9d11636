package claimserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
)

// Client is kube-scheduler's client of a server, for claims and for the status of the pod.
type Client struct {
	clientset.Interface
	*Server
}

// ResourceV1 serves claims.
func (c Client) ResourceV1() resourceclient.ResourceV1Interface { return claimClient{Server: c.Server} }

// CoreV1 serves the pod's status.
func (c Client) CoreV1() coreclient.CoreV1Interface { return podClient{Server: c.Server} }

type claimClient struct {
	resourceclient.ResourceV1Interface
	resourceclient.ResourceClaimInterface
	*Server
}

func (s claimClient) ResourceClaims(string) resourceclient.ResourceClaimInterface { return s }

func (s claimClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*resourcev1.ResourceClaim, error) {
	s.Lock()
	defer s.Unlock()
	if claim := s.Held(name); claim != nil {
		return claim.DeepCopy(), nil
	}
	return nil, notFound(name)
}

// Create gives a claim the name that Orrery's plugin would choose without chance.
func (s claimClient) Create(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.CreateOptions) (*resourcev1.ResourceClaim, error) {
	s.Lock()
	defer s.Unlock()
	named := *claim
	named.Name = claim.GenerateName + "bbbbb"
	if err := s.Say(Claim, named.Name); err != nil {
		return nil, err
	}
	return s.PutNew(&named), nil
}

func (s claimClient) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	s.Lock()
	defer s.Unlock()
	if err := s.Say(Deletion, name); err != nil {
		return err
	}
	s.Written[name] = nil
	return nil
}

func (s claimClient) Update(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.UpdateOptions) (*resourcev1.ResourceClaim, error) {
	return s.write(Finalizer, claim, func(next *resourcev1.ResourceClaim) { next.Finalizers = claim.Finalizers })
}

func (s claimClient) UpdateStatus(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.UpdateOptions) (*resourcev1.ResourceClaim, error) {
	return s.write(Status, claim, func(next *resourcev1.ResourceClaim) { next.Status = claim.Status })
}

// write refuses a version that is not the last. Such a write is made again, and is not remembered.
func (s claimClient) write(what string, claim *resourcev1.ResourceClaim, change func(*resourcev1.ResourceClaim)) (*resourcev1.ResourceClaim, error) {
	s.Lock()
	defer s.Unlock()
	held := s.Held(claim.Name)
	if held == nil {
		return nil, notFound(claim.Name)
	}
	if held.ResourceVersion != claim.ResourceVersion {
		return nil, apierrors.NewConflict(resourcev1.Resource("resourceclaims"), claim.Name, errors.New("it was modified"))
	}
	if err := s.Say(what, claim.Name); err != nil {
		return nil, err
	}
	next := *held
	change(&next)
	return s.Put(&next), nil
}

// Patch removes the user that the patch names.
func (s claimClient) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*resourcev1.ResourceClaim, error) {
	var patch struct {
		Metadata struct{ UID types.UID }
		Status   struct{ ReservedFor []struct{ UID types.UID } }
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	s.Lock()
	defer s.Unlock()
	if err := s.Say(User, name); err != nil {
		return nil, err
	}
	next := s.Held(name).DeepCopy()
	if next.UID != patch.Metadata.UID {
		return nil, apierrors.NewConflict(resourcev1.Resource("resourceclaims"), name, errors.New("it was replaced"))
	}
	next.Status.ReservedFor = slices.DeleteFunc(next.Status.ReservedFor, func(user resourcev1.ResourceClaimConsumerReference) bool {
		return user.UID == patch.Status.ReservedFor[0].UID
	})
	return s.Put(next), nil
}

// podClient takes the patch of a pod's status.
type podClient struct {
	coreclient.CoreV1Interface
	coreclient.PodInterface
	*Server
}

func (s podClient) Pods(string) coreclient.PodInterface { return s }

func (s podClient) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	patched := &v1.Pod{}
	if err := json.Unmarshal(data, patched); err != nil {
		return nil, err
	}
	s.Lock()
	defer s.Unlock()
	if err := s.Say(PodStatus, name); err != nil {
		return nil, err
	}
	s.PodStatus = patched.Status.ExtendedResourceClaimStatus
	return patched, nil
}
