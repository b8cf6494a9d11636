package dynamicresources

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// writes are one plugin's writes, until both sides read them back.
type writes struct {
	mu      sync.Mutex // kube-scheduler's PreBind writes on a goroutine
	cluster *cluster
	claims  map[string]*resourcev1.ResourceClaim // nil for one that is deleted
	said    []string                             // in order
	status  *v1.PodExtendedResourceClaimStatus   // of the pod
	failing string                               // the write that fails
}

// The writes, by what is written.
const (
	aClaim      = "claim"
	aFinalizer  = "finalizer"
	aStatus     = "status"
	aUser       = "user"
	aDeletion   = "deletion"
	aPodsStatus = "pod's status"
)

// begin forgets what was written, and has all writes of one kind fail from now on.
func (w *writes) begin(failing string, meanwhile map[string]*resourcev1.ResourceClaim) {
	w.claims, w.said, w.status, w.failing = map[string]*resourcev1.ResourceClaim{}, nil, nil, failing
	for name, claim := range meanwhile {
		w.claims[name] = claim
	}
}

// held is a claim as the API server has it.
func (w *writes) held(name string) *resourcev1.ResourceClaim {
	if claim, written := w.claims[name]; written {
		return claim
	}
	return w.cluster.claim(name)
}

// say remembers a write. It is an error if this kind fails.
func (w *writes) say(what, name string) error {
	w.said = append(w.said, what+" "+name)
	if what == w.failing {
		return apierrors.NewForbidden(resourcev1.Resource("resourceclaims"), name, errors.New("broken"))
	}
	return nil
}

func (w *writes) put(next *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	next = next.DeepCopy()
	next.ResourceVersion = w.cluster.nextVersion()
	w.claims[next.Name] = next
	return next.DeepCopy()
}

func notFound(name string) error {
	return apierrors.NewNotFound(resourcev1.Resource("resourceclaims"), name)
}

// carryOut does what an action of Orrery says, as the live world does it.
func (w *writes) carryOut(action world.Action) *world.Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	switch act := action.(type) {
	case world.ReserveResourceClaim:
		err = w.reserve(act)
	case world.UnreserveResourceClaim:
		if err = w.say(aUser, act.Claim.Name); err == nil {
			if next, changed := act.Apply(w.held(act.Claim.Name)); changed {
				w.put(next)
			}
		}
	case world.DeallocateResourceClaim:
		if err = w.say(aStatus, act.Claim.Name); err == nil {
			w.put(act.Apply(w.held(act.Claim.Name)))
		}
	case world.CreateResourceClaim:
		if err = w.say(aClaim, act.Claim.Name); err == nil {
			w.create(act.Claim)
		}
	case world.DeleteResourceClaim:
		if err = w.say(aFinalizer, act.Claim.Name); err == nil {
			w.put(world.WithoutFinalizer(w.held(act.Claim.Name)))
			if err = w.say(aDeletion, act.Claim.Name); err == nil {
				w.claims[act.Claim.Name] = nil
			}
		}
	case world.PatchStatus:
		if err = w.say(aPodsStatus, act.Pod.Name); err == nil {
			w.status = act.ExtendedResources
		}
	}
	if err != nil {
		return &world.Outcome{Code: fwk.Error, Reason: apierrors.ReasonForError(err), Message: err.Error()}
	}
	return &world.Outcome{}
}

func (w *writes) reserve(act world.ReserveResourceClaim) error {
	held := w.held(act.Claim.Name)
	next, err := act.Apply(held)
	if err != nil {
		return err
	}
	if len(next.Finalizers) > len(held.Finalizers) {
		if err := w.say(aFinalizer, held.Name); err != nil {
			return act.FinalizerError(err)
		}
		finalized := *held
		finalized.Finalizers = next.Finalizers
		w.put(&finalized)
	}
	if err := w.say(aStatus, held.Name); err != nil {
		return act.StatusError(err)
	}
	w.put(next)
	return nil
}

func (w *writes) create(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	created := *claim
	created.UID = types.UID("resourceclaim/" + claim.Namespace + "/" + claim.Name)
	return w.put(&created)
}

// apiServer takes kube-scheduler's writes.
type apiServer struct {
	clientset.Interface
	*writes
}

func (s apiServer) ResourceV1() resourceclient.ResourceV1Interface {
	return claimServer{writes: s.writes}
}

func (s apiServer) CoreV1() coreclient.CoreV1Interface { return podServer{writes: s.writes} }

type claimServer struct {
	resourceclient.ResourceV1Interface
	resourceclient.ResourceClaimInterface
	*writes
}

func (s claimServer) ResourceClaims(string) resourceclient.ResourceClaimInterface { return s }

func (s claimServer) Get(_ context.Context, name string, _ metav1.GetOptions) (*resourcev1.ResourceClaim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if claim := s.held(name); claim != nil {
		return claim.DeepCopy(), nil
	}
	return nil, notFound(name)
}

// Create gives a claim the name that Orrery's plugin would choose without chance.
func (s claimServer) Create(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.CreateOptions) (*resourcev1.ResourceClaim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	named := *claim
	named.Name = claim.GenerateName + "bbbbb"
	if err := s.say(aClaim, named.Name); err != nil {
		return nil, err
	}
	return s.create(&named), nil
}

func (s claimServer) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.say(aDeletion, name); err != nil {
		return err
	}
	s.claims[name] = nil
	return nil
}

func (s claimServer) Update(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.UpdateOptions) (*resourcev1.ResourceClaim, error) {
	return s.write(aFinalizer, claim, func(next *resourcev1.ResourceClaim) { next.Finalizers = claim.Finalizers })
}

func (s claimServer) UpdateStatus(_ context.Context, claim *resourcev1.ResourceClaim, _ metav1.UpdateOptions) (*resourcev1.ResourceClaim, error) {
	return s.write(aStatus, claim, func(next *resourcev1.ResourceClaim) { next.Status = claim.Status })
}

// write refuses a version that is not the last. Such a write is made again, and is not remembered.
func (s claimServer) write(what string, claim *resourcev1.ResourceClaim, change func(*resourcev1.ResourceClaim)) (*resourcev1.ResourceClaim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.held(claim.Name)
	if held == nil {
		return nil, notFound(claim.Name)
	}
	if held.ResourceVersion != claim.ResourceVersion {
		return nil, apierrors.NewConflict(resourcev1.Resource("resourceclaims"), claim.Name, errors.New("it was modified"))
	}
	if err := s.say(what, claim.Name); err != nil {
		return nil, err
	}
	next := *held
	change(&next)
	return s.put(&next), nil
}

// Patch removes the user that the patch names.
func (s claimServer) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*resourcev1.ResourceClaim, error) {
	var patch struct {
		Metadata struct{ UID types.UID }
		Status   struct{ ReservedFor []struct{ UID types.UID } }
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.say(aUser, name); err != nil {
		return nil, err
	}
	next := s.held(name).DeepCopy()
	if next.UID != patch.Metadata.UID {
		return nil, apierrors.NewConflict(resourcev1.Resource("resourceclaims"), name, errors.New("it was replaced"))
	}
	next.Status.ReservedFor = slices.DeleteFunc(next.Status.ReservedFor, func(user resourcev1.ResourceClaimConsumerReference) bool {
		return user.UID == patch.Status.ReservedFor[0].UID
	})
	return s.put(next), nil
}

// podServer takes the patch of a pod's status.
type podServer struct {
	coreclient.CoreV1Interface
	coreclient.PodInterface
	*writes
}

func (s podServer) Pods(string) coreclient.PodInterface { return s }

func (s podServer) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	patched := &v1.Pod{}
	if err := json.Unmarshal(data, patched); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.say(aPodsStatus, name); err != nil {
		return nil, err
	}
	s.status = patched.Status.ExtendedResourceClaimStatus
	return patched, nil
}
