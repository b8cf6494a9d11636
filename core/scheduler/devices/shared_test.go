package devices_test

import (
	"errors"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// shared is a state whose changes are carried out when the test says so.
type shared struct {
	*fixture
	posted []func()
	claims fwk.ResourceClaimTracker
}

func newShared(t *testing.T, objects ...world.Object) *shared {
	t.Helper()
	s := &shared{fixture: newFixture(t, devices.Gates{}, objects...)}
	post := func(change func()) { s.posted = append(s.posted, change) }
	s.claims = devices.NewShared(s.State, s.Store.Informers().Resource().V1().ResourceClaims().Lister, post).ResourceClaims()
	return s
}

func (s *shared) carryOut() {
	for _, change := range s.posted {
		change()
	}
	s.posted = nil
}

// What a plugin posts is what it reads back at once, and the state has it when the engine has carried it out.
func TestShared_PostsChanges(t *testing.T) {
	claim := mk.ResourceClaim("c").Obj()
	claim.ResourceVersion = "1"
	s := newShared(t, claim)
	written := mk.ResourceClaim("c").Allocated("n", "gpu", "d", "p", "1").Obj()
	written.ResourceVersion = "2"
	if err := errors.Join(s.claims.SignalClaimPendingAllocation(claim.UID, written), s.claims.AssumeClaimAfterAPICall(written)); err != nil {
		t.Fatal(err)
	}
	if !s.claims.MaybeRemoveClaimPendingAllocation(claim.UID, true) || s.claims.MaybeRemoveClaimPendingAllocation(claim.UID, false) {
		t.Error("the claim is not in flight once")
	}
	if got, err := s.claims.Get("default", "c"); err != nil || got != written {
		t.Errorf("the claim is %v (%v), want the one written", got, err)
	}
	if got := s.Claim("default", "c"); got.Status.Allocation != nil {
		t.Errorf("the state has changed: %+v", got.Status)
	}
	s.carryOut()
	if got, err := s.claims.Get("default", "c"); err != nil || got != written || s.Claim("default", "c") != written || s.InFlight(claim.UID) != nil {
		t.Errorf("after the changes: %v (%v), in flight %v", got, err, s.InFlight(claim.UID))
	}
	s.claims.AssumedClaimRestore("default", "c")
	s.carryOut()
	if got, err := s.claims.Get("default", "c"); err != nil || got.ResourceVersion != "1" {
		t.Errorf("after Restore: %v (%v)", got, err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// kube-scheduler's plugin waits until a claim that it created can be read, by the error of its own cache.
func TestShared_UnreadClaim(t *testing.T) {
	s := newShared(t)
	err := s.claims.AssumeClaimAfterAPICall(&resourcev1.ResourceClaim{})
	if want := errors.New("object not found"); !errors.Is(err, want) || len(s.posted) > 0 {
		t.Errorf("the error is %v, and %d changes are posted", err, len(s.posted))
	}
}
