package live_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/world"
)

// deviceClaim is a claim of podA with the parameters of a driver, which the scheduler must not lose.
func deviceClaim(change ...func(*resourcev1.ResourceClaim)) *resourcev1.ResourceClaim {
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: newClaim, Namespace: "default", UID: "c"}}
	claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: podA.Name, UID: podA.UID, Controller: ptr.To(true)}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu"}}
	for _, f := range change {
		f(claim)
	}
	return claim
}

func hasDevice(name string) func(*resourcev1.ResourceClaim) {
	return func(claim *resourcev1.ResourceClaim) { claim.Status.Allocation = device(name) }
}

func device(name string) *resourcev1.AllocationResult {
	return &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{{Request: "gpu", Driver: "d", Pool: "p", Device: name}},
	}}
}

func usedBy(pods ...*v1.Pod) func(*resourcev1.ResourceClaim) {
	return func(claim *resourcev1.ResourceClaim) {
		for _, pod := range pods {
			claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		}
	}
}

func finalized(claim *resourcev1.ResourceClaim) { claim.Finalizers = []string{resourcev1.Finalizer} }

func reserving(allocation *resourcev1.AllocationResult) func(*resourcev1.ResourceClaim) world.Action {
	return func(claim *resourcev1.ResourceClaim) world.Action {
		return world.ReserveResourceClaim{Pod: world.PodRefOf(podA), Node: "x", Claim: world.ObjectRefOf(claim), Allocation: allocation}
	}
}

func unreserving(claim *resourcev1.ResourceClaim) world.Action {
	return world.UnreserveResourceClaim{Pod: world.PodRefOf(podA), Claim: world.ObjectRefOf(claim)}
}

func deallocating(claim *resourcev1.ResourceClaim) world.Action {
	return world.DeallocateResourceClaim{Pod: world.PodRefOf(podA), Claim: world.ObjectRefOf(claim)}
}

func deletingClaim(claim *resourcev1.ResourceClaim) world.Action {
	return world.DeleteResourceClaim{Pod: world.PodRefOf(podA), Claim: world.ObjectRefOf(claim)}
}

func deletingUnread(claim *resourcev1.ResourceClaim) world.Action {
	return world.DeleteResourceClaim{Pod: world.PodRefOf(podA), Claim: world.ObjectRef{Namespace: claim.Namespace, Name: claim.Name}}
}

func ofB(claim *resourcev1.ResourceClaim) { claim.OwnerReferences[0].UID = podB.UID }

func creating(*resourcev1.ResourceClaim) world.Action {
	return world.CreateResourceClaim{Pod: world.PodRefOf(podA), Node: "x", Claim: deviceClaim()}
}

func TestResourceClaimEffects(t *testing.T) {
	const modified = "1 Conflict the object has been modified"
	for name, c := range map[string]struct {
		held      *resourcev1.ResourceClaim
		act       func(*resourcev1.ResourceClaim) world.Action
		meanwhile func(s *harness)
		fault     func(r *http.Request) fault
		outcome   string
		want      *resourcev1.ResourceClaim
		requests  string
	}{
		"reserve and allocate": {
			held: deviceClaim(), act: reserving(device("1")), outcome: "1 ok",
			want: deviceClaim(finalized, hasDevice("1"), usedBy(podA)), requests: "PUT new, PUT new status",
		},
		"reserve what is allocated": {
			held: deviceClaim(finalized, hasDevice("1"), usedBy(podB)), act: reserving(nil), outcome: "1 ok",
			want: deviceClaim(finalized, hasDevice("1"), usedBy(podB, podA)), requests: "PUT new status",
		},
		"reserve after an unrelated change": {
			held: deviceClaim(), act: reserving(device("1")), outcome: "1 ok",
			meanwhile: func(s *harness) {
				s.put(deviceClaim(func(c *resourcev1.ResourceClaim) { c.Labels = map[string]string{"a": "b"} }))
			},
			want:     deviceClaim(finalized, hasDevice("1"), usedBy(podA), func(c *resourcev1.ResourceClaim) { c.Labels = map[string]string{"a": "b"} }),
			requests: "PUT new, PUT new status",
		},
		"reserve what another scheduler allocated": {
			held: deviceClaim(), act: reserving(device("1")), outcome: "1 Invalid claim default/new got allocated elsewhere in the meantime",
			meanwhile: func(s *harness) { s.put(deviceClaim(hasDevice("2"))) }, want: deviceClaim(hasDevice("2")),
		},
		"reserve with a conflict between the writes": {
			held: deviceClaim(), act: reserving(device("1")), outcome: "1 ok",
			fault: times(1, "PUT", "/status", fault{code: http.StatusConflict}),
			want:  deviceClaim(finalized, hasDevice("1"), usedBy(podA)), requests: "PUT new, PUT new status",
		},
		"reserve with a lost response": {
			held: deviceClaim(), act: reserving(device("1")), outcome: "1 ok", fault: times(1, "PUT", "/status", fault{lost: true}),
			want: deviceClaim(finalized, hasDevice("1"), usedBy(podA)), requests: "PUT new, PUT new status",
		},
		"reserve, refused": {
			held: deviceClaim(), act: reserving(device("1")), fault: times(1, "PUT", "/status", fault{code: http.StatusForbidden}),
			outcome: "1  add allocation and reservation to claim default/new: the stub was told to say so", want: deviceClaim(finalized), requests: "PUT new",
		},
		"unreserve": {
			held: deviceClaim(hasDevice("1"), usedBy(podA, podB)), act: unreserving, outcome: "1 ok",
			want: deviceClaim(hasDevice("1"), usedBy(podB)), requests: "PATCH new status",
		},
		"deallocate": {
			held: deviceClaim(finalized, hasDevice("1"), usedBy(podA)), act: deallocating, outcome: "1 ok", want: deviceClaim(finalized), requests: "PUT new status",
		},
		"deallocate what another pod uses by now": {
			held: deviceClaim(hasDevice("1")), act: deallocating, outcome: modified,
			meanwhile: func(s *harness) { s.put(deviceClaim(hasDevice("1"), usedBy(podB))) },
			want:      deviceClaim(hasDevice("1"), usedBy(podB)), requests: "PUT new status",
		},
		"deallocate with a lost response": {
			held: deviceClaim(finalized, hasDevice("1")), act: deallocating, outcome: "1 ok", fault: times(1, "PUT", "/status", fault{lost: true}),
			want: deviceClaim(finalized), requests: "PUT new status",
		},
		"delete":                                {held: deviceClaim(finalized), act: deletingClaim, outcome: "1 ok", requests: "PUT new, DELETE new"},
		"delete what was created, and not read": {held: deviceClaim(finalized), act: deletingUnread, outcome: "1 ok", requests: "PUT new, DELETE new"},
		"delete another pod's, which was not read": {
			held: deviceClaim(ofB), act: deletingUnread, outcome: "1 ok", want: deviceClaim(ofB),
		},
		"delete what is gone": {
			held: deviceClaim(), act: deletingClaim, outcome: "1 ok", meanwhile: func(s *harness) { s.remove(deviceClaim()) },
		},
		"create": {act: creating, outcome: "1 ok", want: deviceClaim(), requests: "POST new"},
		"create with a lost response": {
			act: creating, outcome: "1 ok", fault: times(1, "POST", "", fault{lost: true}), want: deviceClaim(), requests: "POST new, POST new",
		},
		"create a namesake": {
			held: deviceClaim(), act: creating, outcome: `1 AlreadyExists "new" already exists`, want: deviceClaim(), requests: "POST new",
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []world.Object{podA, podB}
			if c.held != nil {
				objects = append(objects, c.held)
			}
			play(t, func(s *harness) {
				s.listed()
				act := c.act(s.resourceClaim(newClaim))
				if c.meanwhile != nil {
					c.meanwhile(s)
				}
				if c.fault != nil {
					s.setFault(c.fault)
				}
				s.do(act)
				want(t, "outcome", []string{c.outcome}, s.outcomes(1))
				want(t, "requests", c.requests, strings.Join(s.written(), ", "))
				got := s.resourceClaim(newClaim)
				if got != nil {
					got = got.DeepCopy()
					got.TypeMeta, got.ResourceVersion = metav1.TypeMeta{}, ""
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("the claim (-want +got):\n%s", diff)
				}
			}, objects...)
		})
	}
}
