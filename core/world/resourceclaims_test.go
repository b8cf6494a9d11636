package world_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// allocated returns a claim that has a device on node n.
func allocated(device string) *mk.ResourceClaimBuilder {
	return mk.ResourceClaim("c").Allocated("n", "gpu", "d", "p", device)
}

func TestReserveResourceClaim_Apply(t *testing.T) {
	reserve := func(device string) world.ReserveResourceClaim {
		act := world.ReserveResourceClaim{Pod: world.PodRefOf(mk.Pod("ada").Obj()), Claim: world.ObjectRef{UID: mk.ResourceClaim("c").Obj().UID}}
		if device != "" {
			act.Allocation = allocated(device).Obj().Status.Allocation
		}
		return act
	}
	other := mk.ResourceClaim("c").Obj()
	other.UID = "other"
	deleted := mk.ResourceClaim("c").Obj()
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	for name, tt := range map[string]struct {
		device string
		claim  *resourcev1.ResourceClaim
		want   *resourcev1.ResourceClaim
		err    string
	}{
		"a claim gets a device and its first user": {"x", mk.ResourceClaim("c").Obj(), allocated("x").ReservedFor("ada").Obj(), ""},
		"an allocated claim gets one more user":    {"", allocated("x").ReservedFor("bob").Obj(), allocated("x").ReservedFor("bob", "ada").Obj(), ""},
		"a second attempt changes nothing":         {"x", allocated("x").ReservedFor("ada").Obj(), allocated("x").ReservedFor("ada").Obj(), ""},
		"another device in the meantime":           {"x", allocated("y").ReservedFor("ada").Obj(), nil, "claim default/c got allocated elsewhere in the meantime"},
		"the same device for another pod":          {"x", allocated("x").ReservedFor("bob").Obj(), nil, "claim default/c got allocated elsewhere in the meantime"},
		"no device any more":                       {"", mk.ResourceClaim("c").Obj(), nil, "claim default/c got deallocated in the meantime"},
		"a claim that is being deleted":            {"x", deleted, nil, "claim default/c got deleted in the meantime"},
		"a namesake":                               {"x", other, nil, "claim default/c got replaced in the meantime"},
	} {
		t.Run(name, func(t *testing.T) {
			before := tt.claim.DeepCopy()
			got, err := reserve(tt.device).Apply(tt.claim)
			if (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the claim (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tt.claim); diff != "" {
				t.Errorf("the given claim was changed:\n%s", diff)
			}
		})
	}
}

// Only a claim without a timestamp gets one: it is the time of the first allocation.
func TestReserveResourceClaim_StampsAllocation(t *testing.T) {
	first, now := metav1.NewTime(time.Unix(1, 0)), metav1.NewTime(time.Unix(2, 0))
	act := world.ReserveResourceClaim{Pod: world.PodRefOf(mk.Pod("ada").Obj()), AllocatedAt: &now}
	stamped := allocated("x").Obj()
	stamped.Status.Allocation.AllocationTimestamp = &first
	for want, claim := range map[*metav1.Time]*resourcev1.ResourceClaim{&now: allocated("x").Obj(), &first: stamped} {
		got, err := act.Apply(claim)
		if err != nil || !got.Status.Allocation.AllocationTimestamp.Equal(want) {
			t.Errorf("the timestamp is %v (%v), want %v", got.Status.Allocation.AllocationTimestamp, err, want)
		}
	}
}

func TestUnreserveResourceClaim_Apply(t *testing.T) {
	claim := allocated("x").ReservedFor("bob", "ada", "eve").Obj()
	act := world.UnreserveResourceClaim{Pod: world.PodRefOf(mk.Pod("ada").Obj()), Claim: world.ObjectRefOf(claim)}
	got, used := act.Apply(claim)
	if diff := cmp.Diff(allocated("x").ReservedFor("bob", "eve").Obj(), got); diff != "" || !used {
		t.Errorf("used %v, the claim (-want +got):\n%s", used, diff)
	}
	if _, used := act.Apply(got); used {
		t.Error("the pod is taken from the users twice")
	}
}

func TestDeallocateResourceClaim_Apply(t *testing.T) {
	claim := allocated("x").ReservedFor("ada").Obj()
	claim.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Device: "x"}}
	want := mk.ResourceClaim("c").Obj()
	want.Finalizers = []string{resourcev1.Finalizer}
	if diff := cmp.Diff(want, world.DeallocateResourceClaim{}.Apply(claim)); diff != "" {
		t.Errorf("the claim (-want +got):\n%s", diff)
	}
	if got := world.WithoutFinalizer(want); len(got.Finalizers) > 0 || len(want.Finalizers) != 1 {
		t.Errorf("finalizers %v, and %v of the given claim", got.Finalizers, want.Finalizers)
	}
}
