package leader_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	"pgregory.net/rapid"

	"orrery/core/process/leader"
)

// faultyHarness is a harness whose calls have drawn faults.
type faultyHarness struct {
	*harness
	faults []fault
}

func newFaultyHarness(t *testing.T, s leader.Settings, faults []fault) *faultyHarness {
	tr := &faultyHarness{harness: newHarness(t, s), faults: faults}
	tr.fault = func(call leader.Call) fault { return faults[int(call.ID)%len(faults)] }
	return tr
}

func drawSettings(t *rapid.T) leader.Settings {
	return settings(func(s *leader.Settings) {
		s.Strict = rapid.Bool().Draw(t, "strict")
		s.ReleaseOnCancel = rapid.Bool().Draw(t, "release")
		s.Coordinated = rapid.IntRange(0, 4).Draw(t, "coordinated") == 0
		s.Seed = rapid.Uint64().Draw(t, "seed")
		s.CallTimeout = rapid.SampledFrom([]time.Duration{0, 700 * time.Millisecond, 5 * time.Second}).Draw(t, "call timeout")
	})
}

var drawFaults = rapid.SliceOfN(rapid.SampledFrom([]fault{succeeds, succeeds, succeeds, fails, hangs, responseLost}), 1, 30)

// With any faults a cancelled candidate ends, and after that it has no call, notice or timer.
func TestCandidate_AlwaysEnds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSettings(rt)
		tr := newFaultyHarness(t, s, drawFaults.Draw(rt, "faults"))
		if rapid.Bool().Draw(rt, "lease exists") {
			tr.put(held(rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "holder"), 0, 0))
		}
		cancelAt := rapid.Float64Range(0, 200).Draw(rt, "cancel")
		tr.run(cancelAt).cancel().run(cancelAt + 60)
		if _, ended := tr.c.ExitCode(); !ended || tr.c.Leading() {
			rt.Errorf("a minute after Cancel: ended %t, leading %t", ended, tr.c.Leading())
		}
		if wake, ok := tr.c.NextWake(); ok {
			rt.Errorf("after its end NextWake is %v", wake)
		}
		tr.c.Wake(second(1e6))
		tr.c.Cancel(second(1e6))
		if call, ok := tr.c.Call(); ok || len(tr.c.Notices()) > 0 {
			rt.Errorf("after its end it has a call or a notice: %+v", call)
		}
	})
}

// Forks with the same inputs act the same, and inputs of one do not change the other.
func TestFork_IsIndependent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, faults := drawSettings(rt), drawFaults.Draw(rt, "faults")
		forkAt := rapid.Float64Range(0, 60).Draw(rt, "fork")
		one := newFaultyHarness(t, s, faults)
		one.run(forkAt)
		before := one.log.String()
		fork := one.c.Fork()
		one.run(forkAt + 60)

		other := newFaultyHarness(t, s, faults)
		other.run(forkAt)
		other.c = fork
		other.run(forkAt + 60)
		if diff := cmp.Diff(one.log.String(), other.log.String()); diff != "" {
			rt.Errorf("forked after\n%s\n(-first +fork):\n%s", before, diff)
		}
	})
}

func TestCandidate_IgnoresLateResponse(t *testing.T) {
	st := newHarness(t, settings()).put(held("", 0, 0))
	lost := leader.Response{Call: 1, Lease: &coordinationv1.Lease{Spec: st.record().Spec()}}
	st.between(0, 1, hangs).run(0)
	st.c.HandleResponse(second(5), lost)
	if call, ok := st.c.Call(); ok {
		t.Errorf("accepted the response of an abandoned call, the next call is %v", call.Verb)
	}
	in := newHarness(t, settings()).put(held("", 0, 0)).between(0, 1, hangs).run(0)
	in.c.HandleResponse(second(4.999), lost)
	if _, ok := in.c.Call(); !ok {
		t.Error("did not accept a response in time")
	}
}
