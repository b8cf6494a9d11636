package outcome_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/scheduler/devices/outcome"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func claim() *mk.ResourceClaimBuilder { return mk.ResourceClaim("c").Request("gpu", "gpu", 1) }

func allocated() *mk.ResourceClaimBuilder { return claim().Allocated("n", "gpu", "d", "p", "1") }

func TestOf(t *testing.T) {
	pod, ref := world.PodRefOf(mk.Pod("ada").Obj()), world.ObjectRefOf(claim().Obj())
	other := ref
	other.UID = "other"
	finalized := claim().Obj()
	finalized.Finalizers = []string{resourcev1.Finalizer}
	for name, tt := range map[string]struct {
		held *resourcev1.ResourceClaim
		act  world.Action
		want *resourcev1.ResourceClaim
	}{
		"reserve and allocate": {
			claim().Obj(), world.ReserveResourceClaim{Pod: pod, Claim: ref, Allocation: allocated().Obj().Status.Allocation}, allocated().ReservedFor("ada").Obj(),
		},
		"reserve a claim that lost its devices": {claim().Obj(), world.ReserveResourceClaim{Pod: pod, Claim: ref}, claim().Obj()},
		"reserve a namesake": {
			allocated().Obj(), world.ReserveResourceClaim{Pod: pod, Claim: other}, allocated().Obj(),
		},
		"unreserve":     {allocated().ReservedFor("ada", "bob").Obj(), world.UnreserveResourceClaim{Pod: pod, Claim: ref}, allocated().ReservedFor("bob").Obj()},
		"deallocate":    {allocated().ReservedFor("ada").Obj(), world.DeallocateResourceClaim{Pod: pod, Claim: ref}, finalized},
		"create":        {nil, world.CreateResourceClaim{Pod: pod, Claim: claim().Obj()}, claim().Obj()},
		"delete":        {allocated().Obj(), world.DeleteResourceClaim{Pod: pod, Claim: ref}, nil},
		"another write": {claim().Obj(), world.Bind{}, claim().Obj()},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.New()
			if tt.held != nil {
				tt.held.ResourceVersion = "7"
				apply(t, s, world.Changed{Object: tt.held})
			}
			for _, event := range outcome.Of(tt.act, s) {
				apply(t, s, event.(world.Changed))
			}
			got, _ := s.Object(world.ResourceClaim, "default", "c").(*resourcev1.ResourceClaim)
			if got != nil {
				got = got.DeepCopy()
				got.ResourceVersion = ""
			}
			if tt.want != nil {
				tt.want.UID = claim().Obj().UID
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the claim (-want +got):\n%s", diff)
			}
		})
	}
}

func apply(t *testing.T, s *store.Store, c world.Changed) {
	t.Helper()
	if _, err := s.Apply(c); err != nil {
		t.Fatal(err)
	}
}
