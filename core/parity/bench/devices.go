package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"

	"orrery/core/world"
)

// Orrery writes a claim by one effect, kube-scheduler by two calls: the finalizer, then the devices. The API server shows both
// versions to either.

// reserve carries out a reservation, in the two versions that kube-scheduler writes.
func (s *storageServer) reserve(act world.ReserveResourceClaim, told func([]change)) error {
	finalized := func(claim *resourcev1.ResourceClaim) error {
		if act.Allocation != nil && !slices.Contains(claim.Finalizers, resourcev1.Finalizer) {
			claim.Finalizers = append(slices.Clip(claim.Finalizers), resourcev1.Finalizer)
		}
		return nil
	}
	reserved := func(claim *resourcev1.ResourceClaim) error {
		next, err := act.Apply(claim)
		if err == nil {
			*claim = *next
		}
		return err
	}
	for _, write := range []func(*resourcev1.ResourceClaim) error{finalized, reserved} {
		if _, err := s.updateClaim(act.Claim.Name, write, told); err != nil {
			return err
		}
	}
	return nil
}

// updateClaim writes a claim, and returns a copy that the caller may change.
func (s *storageServer) updateClaim(name string, write func(*resourcev1.ResourceClaim) error, told func([]change)) (*resourcev1.ResourceClaim, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	held, _ := s.objects.Object(world.ResourceClaim, "default", name).(*resourcev1.ResourceClaim)
	if held == nil {
		return nil, fmt.Errorf("writing resource claim %s: it is gone", name)
	}
	next := *held
	if err := write(&next); err != nil {
		return nil, err
	}
	return &next, s.put(world.Changed{Op: world.Modified, Object: &next}, told)
}

// createClaim creates a claim, with a name of its own if it has none.
func (s *storageServer) createClaim(claim *resourcev1.ResourceClaim, told func([]change)) (*resourcev1.ResourceClaim, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	created := *claim
	if created.Name == "" {
		created.Name = fmt.Sprint(created.GenerateName, s.version)
	}
	created.UID = "resourceclaim/default/" + types.UID(created.Name)
	return &created, s.put(world.Changed{Op: world.Added, Object: &created}, told)
}

// put stores a copy of an object in its next version.
func (s *storageServer) put(changed world.Changed, told func([]change)) error {
	s.version++
	changed.Object.SetResourceVersion(strconv.Itoa(s.version))
	stored := *changed.Object.(*resourcev1.ResourceClaim)
	changed.Object = &stored
	return s.store(changed, told)
}

// withClaims adds the claims of deleted pods to the changes: they are deleted, too.
func (s *storageServer) withClaims(changes []change) ([]change, error) {
	for _, c := range changes {
		pod, is := c.old.(*v1.Pod)
		if !is || c.new != nil {
			continue
		}
		for _, name := range claimsOf(pod) {
			if err := s.deleteClaim(name, func(made []change) { changes = append(changes, made...) }); err != nil {
				return nil, err
			}
		}
	}
	return changes, nil
}

func (s *storageServer) deleteClaim(name string, told func([]change)) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.store(world.Changed{Op: world.Deleted, Object: s.objects.Object(world.ResourceClaim, "default", name)}, told)
}

// ResourceV1 is the part of the client for claims.
func (c client) ResourceV1() resourceclient.ResourceV1Interface { return resources{client: c} }

type resources struct {
	resourceclient.ResourceV1Interface
	client client
}

func (r resources) ResourceClaims(string) resourceclient.ResourceClaimInterface {
	return deviceClaims{client: r.client}
}

type deviceClaims struct {
	resourceclient.ResourceClaimInterface
	client client
}

func (d deviceClaims) told(changes []change) { d.client.writes <- write{changes: changes} }

func (d deviceClaims) Create(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.CreateOptions) (*resourcev1.ResourceClaim, error) {
	return d.client.storage.createClaim(claim, d.told)
}

// Update adds the finalizer.
func (d deviceClaims) Update(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.UpdateOptions) (*resourcev1.ResourceClaim, error) {
	return d.client.storage.updateClaim(claim.Name, func(next *resourcev1.ResourceClaim) error {
		next.Finalizers = claim.Finalizers
		return nil
	}, d.told)
}

// UpdateStatus gives the claim its devices and its pod.
func (d deviceClaims) UpdateStatus(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.UpdateOptions) (*resourcev1.ResourceClaim, error) {
	return d.client.storage.updateClaim(claim.Name, func(next *resourcev1.ResourceClaim) error {
		next.Status = claim.Status
		return nil
	}, d.told)
}
