package leader_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	"pgregory.net/rapid"

	"orrery/core/leader"
)

// trial is a stage whose API server answers, refuses or is silent, as drawn.
type trial struct {
	*harness
	fates []fate
}

func newTrial(t *testing.T, s leader.Settings, fates []fate) *trial {
	tr := &trial{harness: newHarness(t, s), fates: fates}
	tr.fate = func(call leader.Call) fate { return fates[int(call.ID)%len(fates)] }
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

var drawFates = rapid.SliceOfN(rapid.SampledFrom([]fate{answered, answered, answered, refused, hangs, replyLost}), 1, 30)

// Whatever happens to its calls: a candidate that is cancelled comes to an end, and after that it wants nothing.
func TestCandidate_AlwaysEnds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSettings(rt)
		tr := newTrial(t, s, drawFates.Draw(rt, "fates"))
		if rapid.Bool().Draw(rt, "a lease is there") {
			tr.put(held(rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "holder"), 0, 0))
		}
		cancelAt := rapid.Float64Range(0, 200).Draw(rt, "cancel")
		tr.run(cancelAt).cancel().run(cancelAt + 60)
		if _, ended := tr.c.ExitCode(); !ended || tr.c.Leading() {
			rt.Errorf("a minute after it was cancelled it has ended: %t, leads: %t", ended, tr.c.Leading())
		}
		if wake, ok := tr.c.NextWake(); ok {
			rt.Errorf("having ended it wants to be woken at %v", wake)
		}
		tr.c.Wake(second(1e6))
		tr.c.Cancel(second(1e6))
		if call, ok := tr.c.Call(); ok || len(tr.c.Notices()) > 0 {
			rt.Errorf("having ended it does something yet: %+v", call)
		}
	})
}

// Two forks that are told the same do the same, and what one is told does not reach the other.
func TestFork_IsIndependent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, fates := drawSettings(rt), drawFates.Draw(rt, "fates")
		forkAt := rapid.Float64Range(0, 60).Draw(rt, "fork")
		one := newTrial(t, s, fates)
		one.run(forkAt)
		before := one.log.String()
		fork := one.c.Fork()
		one.run(forkAt + 60)

		whole := newTrial(t, s, fates)
		whole.run(forkAt)
		whole.c = fork
		whole.run(forkAt + 60)
		if diff := cmp.Diff(one.log.String(), whole.log.String()); diff != "" {
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
		t.Errorf("it took the answer of a call it had given up, and goes on to %v", call.Verb)
	}
	in := newHarness(t, settings()).put(held("", 0, 0)).between(0, 1, hangs).run(0)
	in.c.HandleResponse(second(4.999), lost)
	if _, ok := in.c.Call(); !ok {
		t.Error("it did not take an answer that came in time")
	}
}
