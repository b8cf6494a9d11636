package dynamicresources_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// answer delivers the answer to the effects of Unreserve.
func (b *binding) answer(outcome world.Outcome) {
	b.t.Helper()
	emitted := b.emitted
	b.emitted = nil
	for i, act := range emitted {
		b.plugin.EffectDone(world.EffectID(i+1), act, outcome)
	}
	if err := b.state.Check(); err != nil {
		b.t.Error(err)
	}
}

// underWay is a binding that ended while its claim was written. The store has the claim in version 5.
func underWay(t *testing.T) *binding {
	t.Helper()
	held := claim().Request("gpu", "gpu", 1).Obj()
	held.ResourceVersion = "5"
	b := newFixture(t, "", append(gpus(), held)...).bind(user(), mk.Node("n").Obj())
	b.step(nil)
	wants(t, "Unreserve", "unreserve c", b.end())
	return b
}

// The write may have been made. Its device stays taken until the write is undone, and the store shows what is left.
func TestUnreserve_DuringWrite(t *testing.T) {
	written := func() world.Object {
		o := claim().Request("gpu", "gpu", 1).Allocated("n", "gpu", driver, "a", "1").Obj()
		o.ResourceVersion = "7"
		return o
	}
	for name, tt := range map[string]struct {
		then func(*binding)
		free bool
	}{
		"no answer yet":                  {func(*binding) {}, false},
		"undone, and not shown":          {func(b *binding) { b.answer(world.Outcome{Version: "7"}) }, false},
		"there was nothing to undo":      {func(b *binding) { b.answer(world.Outcome{Version: "5"}) }, true},
		"of an unknown version":          {func(b *binding) { b.answer(world.Outcome{}) }, true},
		"refused":                        {func(b *binding) { b.answer(*refused(metav1.StatusReasonNotFound, "gone")) }, true},
		"once more without an answer":    {func(b *binding) { b.answer(*refused(metav1.StatusReasonTimeout, "no answer")) }, false},
		"the connection was refused":     {func(b *binding) { b.answer(*refused("", "connection refused")) }, false},
		"too many requests":              {func(b *binding) { b.answer(*refused(metav1.StatusReasonTooManyRequests, "later")) }, false},
		"the API server failed":          {func(b *binding) { b.answer(*refused(metav1.StatusReasonInternalError, "webhook")) }, false},
		"the claim is deleted":           {func(b *binding) { b.apply(world.Deleted, b.state.StoredClaim("default", "c")) }, true},
		"undone, and the store shows it": {func(b *binding) { b.answer(world.Outcome{Version: "7"}); b.apply(world.Modified, written()) }, false},
		"shown, and undone":              {func(b *binding) { b.apply(world.Modified, written()); b.answer(world.Outcome{Version: "7"}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := underWay(t)
			tt.then(b)
			if err := b.state.Check(); err != nil {
				t.Error(err)
			}
			if free := taken(b.fixture) == 0; free != tt.free {
				t.Errorf("the device is free: %v, want %v", free, tt.free)
			}
			inFlight, _, _ := b.state.Pending()
			if shown := b.state.Claim("default", "c"); shown != nil && shown.Status.Allocation != nil && inFlight > 0 {
				t.Errorf("%d claims are in flight", inFlight)
			}
		})
	}
}

// The pod is tried again with back-off: there may be no event when the write is undone.
func TestPreFilter_FailsUntilWriteIsUndone(t *testing.T) {
	b := underWay(t)
	_, got := b.fixture.cycle(user())
	wants(t, "PreFilter", "Error: resource claim default/c: an earlier write of it is not undone yet", got)
	b.answer(*refused(metav1.StatusReasonTimeout, "no answer"))
	if len(b.emitted) != 1 || written(b.emitted[0]) != "unreserve c" {
		t.Errorf("effects %+v", b.emitted)
	}
	b.answer(world.Outcome{Version: "5"})
	_, got = b.fixture.cycle(user())
	wants(t, "PreFilter", "", got)
}

// The devices of an implicit claim stay taken until it is deleted.
func TestUnreserve_AfterCreation(t *testing.T) {
	f := extended(t)
	b := f.bind(mk.Pod("p").Request(gpu, "2").Obj(), mk.Node("n").Obj())
	b.step(nil)
	b.step(&world.Outcome{})
	wants(t, "the failure", "update pod default/p ExtendedResourceClaimStatus: no", func() string {
		b.step(&world.Outcome{})
		return b.step(refused(metav1.StatusReasonForbidden, "no"))
	}())
	wants(t, "Unreserve", "delete p-extended-resources-bbbbb", b.end())
	if taken(f) != 2 {
		t.Errorf("%d devices are taken, want 2", taken(f))
	}
	b.answer(world.Outcome{})
	if taken(f) != 0 {
		t.Errorf("%d devices are taken", taken(f))
	}
}
