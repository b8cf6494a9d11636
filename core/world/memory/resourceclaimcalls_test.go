package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// oneDevice is the allocation of a device on node n.
var oneDevice = mk.ResourceClaim("").Allocated("n", "gpu", "d", "p", "x").Obj().Status.Allocation

func gpuClaim() *resourcev1.ResourceClaim {
	return mk.ResourceClaim("gpus").Request("gpu", "gpu.example.com", 1).Obj()
}

func TestResourceClaimCalls_Outcomes(t *testing.T) {
	pod := world.PodRefOf(mk.Pod("ada").Obj())
	for _, row := range []struct {
		name string
		act  func(claim world.ObjectRef) []world.Action
		want string
	}{
		{"reserve", func(claim world.ObjectRef) []world.Action {
			return []world.Action{world.ReserveResourceClaim{Pod: pod, Claim: claim, Allocation: oneDevice}}
		}, "ended well"},
		{"reserve a claim without devices", func(claim world.ObjectRef) []world.Action {
			return []world.Action{world.ReserveResourceClaim{Pod: pod, Claim: claim}}
		}, "failed: Invalid: claim default/gpus got deallocated in the meantime"},
		{"reserve no claim", func(world.ObjectRef) []world.Action {
			return []world.Action{world.ReserveResourceClaim{Pod: pod, Claim: world.ObjectRef{Namespace: "default", Name: "none"}}}
		}, `failed: NotFound: resourceclaims.resource.k8s.io "none" not found`},
		{"deallocate an old version", func(claim world.ObjectRef) []world.Action {
			return []world.Action{
				world.ReserveResourceClaim{Pod: pod, Claim: claim, Allocation: oneDevice},
				world.DeallocateResourceClaim{Pod: pod, Claim: claim},
			}
		}, `failed: Conflict: Operation cannot be fulfilled on resourceclaims.resource.k8s.io "gpus": the object has been modified; ` +
			"please apply your changes to the latest version and try again"},
		{"delete a reserved claim", func(claim world.ObjectRef) []world.Action {
			return []world.Action{
				world.ReserveResourceClaim{Pod: pod, Claim: claim, Allocation: oneDevice},
				world.UnreserveResourceClaim{Pod: pod, Claim: claim},
				world.DeleteResourceClaim{Pod: pod, Claim: claim},
			}
		}, "ended well"},
		{"create a second one", func(world.ObjectRef) []world.Action {
			return []world.Action{world.CreateResourceClaim{Pod: pod, Claim: gpuClaim()}}
		}, `failed: AlreadyExists: resourceclaims.resource.k8s.io "gpus" already exists`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t, memory.Options{Kinds: []world.Kind{world.Lease}})
			claim := create(s, gpuClaim())
			s.pass(time.Second)
			var wants strings.Builder
			acts := row.act(s.refTo(claim))
			for i, act := range acts {
				result := "ended well"
				if i == len(acts)-1 {
					result = row.want
				}
				fmt.Fprintf(&wants, "1s effect %d %s\n", s.do(act), result)
			}
			s.wants(time.Second, wants.String())
		})
	}
}

// A reservation has two writes, as on a real API server: the finalizer, then the status.
func TestResourceClaimCalls_ReserveAndRelease(t *testing.T) {
	s := newScene(t, memory.Options{})
	claim := create(s, gpuClaim())
	pod := world.PodRefOf(create(s, mk.Pod("ada").ResourceClaim("gpus").Obj()))
	s.pass(time.Second)
	s.do(world.ReserveResourceClaim{Pod: pod, Claim: s.refTo(claim), Allocation: oneDevice})
	seen := changesOf[*resourcev1.ResourceClaim](s)
	if len(seen) != 2 || len(seen[0].Finalizers) != 1 || seen[0].Status.Allocation != nil {
		t.Fatalf("the watch shows %d changes, want the finalizer and then the status: %+v", len(seen), seen)
	}
	want := gpuClaim()
	want.Status = mk.ResourceClaim("").Allocated("n", "gpu", "d", "p", "x").ReservedFor("ada").Obj().Status
	want.Status.ReservedFor[0].UID = pod.UID
	if diff := cmp.Diff(want.Status, seen[1].Status); diff != "" {
		t.Errorf("the reserved claim's status (-want +got):\n%s", diff)
	}
	s.do(world.UnreserveResourceClaim{Pod: pod, Claim: s.refTo(claim)})
	s.pass(time.Second)
	s.do(world.DeallocateResourceClaim{Pod: pod, Claim: s.refTo(claim)})
	s.pass(time.Second)
	released := must[*resourcev1.ResourceClaim](t)(s.Get(world.ResourceClaim, "default", "gpus"))
	if diff := cmp.Diff(resourcev1.ResourceClaimStatus{}, released.Status); diff != "" {
		t.Errorf("the released claim's status (-want +got):\n%s", diff)
	}
}

func TestPatchStatus_ExtendedResources(t *testing.T) {
	s := newScene(t, memory.Options{})
	pod := create(s, mk.Pod("ada").Obj())
	status := &v1.PodExtendedResourceClaimStatus{ResourceClaimName: "c", RequestMappings: []v1.ContainerExtendedResourceRequest{
		{ContainerName: "main", ResourceName: "example.com/gpu", RequestName: "container-0-request-0"},
	}}
	s.pass(time.Second)
	for range 2 {
		s.do(world.PatchStatus{Pod: world.PodRefOf(pod), ExtendedResources: status})
	}
	if seen := changesOf[*v1.Pod](s); len(seen) != 1 || cmp.Diff(status, seen[0].Status.ExtendedResourceClaimStatus) != "" {
		t.Errorf("two equal patches changed the pod %d times: %+v", len(seen), seen)
	}
}

// changesOf returns the objects of a type that the scheduler's watches show until the present moment's end.
func changesOf[T world.Object](s *scene) []T {
	var seen []T
	for _, in := range s.Advance(0) {
		if e, ok := in.Event.(world.Changed); ok {
			if o, is := e.Object.(T); is {
				seen = append(seen, o)
			}
		}
	}
	return seen
}
