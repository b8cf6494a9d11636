package leader_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"

	"orrery/core/leader"
	"orrery/core/leader/sim"
)

func TestCandidate_CreatesMissingLease(t *testing.T) {
	newHarness(t, settings()).run(2).tells(`
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 announced a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
		2.000 update a #0 since 0 renewed 2 for 15s
	`)
}

// A leader whose Lease is deleted creates it again with the time at which it acquired it, however often the creation fails.
func TestCandidate_RecreatedLeaseKeepsAcquireTime(t *testing.T) {
	st := newHarness(t, settings()).run(2)
	st.store = sim.NewLeases()
	failures := 1
	st.fate = func(call leader.Call) fate {
		if call.Verb == leader.Create && failures > 0 {
			failures--
			return refused
		}
		return answered
	}
	st.run(7)
	if r := st.record(); failures > 0 || !r.AcquireTime.Equal(epoch) {
		t.Errorf("%d creations are still to fail, the Lease is %+v, want it acquired at %v", failures, r, epoch)
	}
}

// Nobody leads before its first success, and no failure to read or to create the Lease is one.
func TestCandidate_StartsWithoutLeader(t *testing.T) {
	st := newHarness(t, settings())
	if _, ended := st.c.ExitCode(); st.c.Leading() || st.c.Leader() != "" || ended {
		t.Errorf("before its first look it leads: %t, sees %q lead, has ended: %t", st.c.Leading(), st.c.Leader(), ended)
	}
	if st.between(0, 4, refused).run(4.3); st.c.Leading() {
		t.Error("it leads though the Lease could not be read")
	}
	st.run(4.5).tells(`
		0.000 get: internal error
		4.400 get: NotFound
		4.400 create a #0 since 4.399826197 renewed 4.399826197 for 15s
		4.400 new leader a
		4.400 announced a became leader
		4.400 started leading
		4.400 update a #0 since 4.399826197 renewed 4.399826197 for 15s
	`)
}

// Two find no Lease; one creates it, and the other must wait like anybody.
func TestCandidate_OneOfTwoCreatorsWins(t *testing.T) {
	a := newHarness(t, settings())
	b := newHarness(t, settings(func(s *leader.Settings) { s.Identity = "b" }))
	b.store = a.store
	b.fate = func(call leader.Call) fate {
		if call.Verb == leader.Create {
			a.run(0) // just before the creation by b is carried out
		}
		return answered
	}
	b.run(5).tells(`
		0.000 get: NotFound
		0.000 create b #0 since 0 renewed 0 for 15s: AlreadyExists
		4.400 get: a #0 since 0 renewed 0 for 15s
		4.400 new leader a
	`)
	if !a.c.Leading() || b.c.Leading() {
		t.Errorf("a leads: %t, b leads: %t", a.c.Leading(), b.c.Leading())
	}
}

// The lock is the Lease of that namespace and name; others are nobody's business.
func TestCall_NamesConfiguredLease(t *testing.T) {
	st := newHarness(t, settings(func(s *leader.Settings) { s.Namespace, s.Name = "team", "our-scheduler" })).put(held("b", 0, 0))
	var named []string
	st.fate = func(call leader.Call) fate {
		named = append(named, call.Verb.String()+" "+call.Namespace+"/"+call.Name)
		return answered
	}
	st.run(0)
	want := []string{"get team/our-scheduler", "create team/our-scheduler", "update team/our-scheduler"}
	if diff := cmp.Diff(want, named); diff != "" || !st.c.Leading() {
		t.Errorf("leading: %t; calls (-want +got):\n%s", st.c.Leading(), diff)
	}
}

// A standby says once of every holder that it is another than before, and of a release that there is none.
func TestCandidate_ReportsNewLeaderOnce(t *testing.T) {
	st := newHarness(t, settings())
	for i, r := range []leader.Record{held("b", 0, 0), held("b", 5, 0), held("c", 10, 1), held("c", 15, 1), held("b", 20, 2)} {
		st.put(r).at(5 * float64(i))
	}
	st.tells(`
		0.000 get: b #0 since 0 renewed 0 for 15s
		0.000 new leader b
		5.000 get: b #0 since 0 renewed 5 for 15s
		10.000 get: c #1 since 0 renewed 10 for 15s
		10.000 new leader c
		15.000 get: c #1 since 0 renewed 15 for 15s
		20.000 get: b #2 since 0 renewed 20 for 15s
		20.000 new leader b
	`)
}

// A candidate whose clock is an hour ahead, or behind, waits for as long as one whose clock is right.
func TestCandidate_WrongClockDoesNotTakeOverEarly(t *testing.T) {
	for name, wrong := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			c, err := leader.New(settings(), epoch.Add(wrong))
			if err != nil {
				t.Fatal(err)
			}
			early := &harness{t: t, c: c, store: newHarness(t, settings()).put(held("b", 0, 0)).store, now: epoch.Add(wrong), fate: func(leader.Call) fate { return answered }}
			early.run(wrong.Seconds())
			late := &harness{t: t, c: early.c.Fork(), store: early.store, fate: early.fate}
			if early.at(wrong.Seconds() + 14.999); early.c.Leading() {
				t.Error("it took over within 15 s")
			}
			if late.at(wrong.Seconds() + 15); !late.c.Leading() {
				t.Error("it did not take over after 15 s")
			}
		})
	}
}

func TestCandidate_LeaseLastsWholeSeconds(t *testing.T) {
	s := settings(func(s *leader.Settings) { s.LeaseDuration = 15900 * time.Millisecond })
	if got := newHarness(t, s).run(0).record().LeaseSeconds; got != 15 {
		t.Errorf("it is good for %d s, want 15", got)
	}
}

func TestCandidate_AcquiresFreeLeaseAtOnce(t *testing.T) {
	st := newHarness(t, settings()).put(held("", 0, 4)).run(0)
	if got := brief(st.record()); got != "a #5 since 0 renewed 0 for 15s" || !st.c.Leading() {
		t.Errorf("the Lease says %s, leading: %t", got, st.c.Leading())
	}
}

// The wait starts with the candidate's own first look. What the record says of times does not matter.
func TestCandidate_TakesOverAfterFullDuration(t *testing.T) {
	for _, row := range []struct {
		name    string
		renewed float64
	}{
		{"renewed just now", 0},
		{"renewed an hour ago", -3600},
		{"renewed in an hour, by a clock that is ahead", 3600},
	} {
		t.Run(row.name, func(t *testing.T) {
			early := newHarness(t, settings()).put(held("b", row.renewed, 0)).run(12)
			late := &harness{t: t, c: early.c.Fork(), store: early.store, fate: early.fate}
			if early.at(14.999999999); early.c.Leading() {
				t.Error("it took over a nanosecond too early")
			}
			if late.at(15); !late.c.Leading() {
				t.Error("it did not take over after 15 s")
			}
			want := leader.Record{Holder: "a", LeaseSeconds: 15, AcquireTime: second(15), RenewTime: second(15), Transitions: 1}
			if diff := cmp.Diff(want, late.record()); diff != "" {
				t.Errorf("the Lease (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCandidate_AnyChangeRestartsWait(t *testing.T) {
	st := newHarness(t, settings()).put(held("b", 0, 0)).run(10)
	st.put(held("b", 10, 0)).at(14).at(28.9)
	if st.c.Leading() {
		t.Error("it took over 14.9 s after the change it saw at 14 s")
	}
	if st.at(33.5); !st.c.Leading() {
		t.Error("it did not take over")
	}
}

// The record says how long it is good for. Once it was the candidate's own setting that counted.
func TestCandidate_RecordDurationCounts(t *testing.T) {
	short := func(s *leader.Settings) { s.LeaseDuration, s.RenewDeadline = 5*time.Second, 4*time.Second }
	own := func(s *leader.Settings) { s.JudgeByOwnDuration = true }
	for _, row := range []struct {
		name     string
		settings leader.Settings
		leads    map[float64]bool
	}{
		{"15 s of the record, 5 s of its own", settings(short), map[float64]bool{5: false, 14.9: false, 15: true}},
		{"the same, by its own", settings(short, own), map[float64]bool{4.9: false, 5: true}},
		{"15 s of both, by its own", settings(own), map[float64]bool{14.9: false, 15: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for at, want := range row.leads {
				st := newHarness(t, row.settings).put(held("b", 0, 0)).run(0)
				if st.at(at); st.c.Leading() != want {
					t.Errorf("at %v s it leads: %t", at, !want)
				}
			}
		})
	}
}

// A leader dies right after a renewal that a standby sees at second 0. The standby looks again 2 to 4.4 seconds after
// each look, and the first look from second 15 on finds the lease expired.
func TestCandidate_FailoverTimeline(t *testing.T) {
	newHarness(t, settings()).put(held("b", 0, 0)).run(19).tells(`
		0.000 get: b #0 since 0 renewed 0 for 15s
		0.000 new leader b
		4.400 get: b #0 since 0 renewed 0 for 15s
		8.525 get: b #0 since 0 renewed 0 for 15s
		11.441 get: b #0 since 0 renewed 0 for 15s
		14.596 get: b #0 since 0 renewed 0 for 15s
		17.662 get: b #0 since 0 renewed 0 for 15s
		17.662 update a #1 since 17.661968717 renewed 17.661968717 for 15s
		17.662 new leader a
		17.662 announced a became leader
		17.662 started leading
		17.662 update a #1 since 17.661968717 renewed 17.661968717 for 15s
	`)
}

func TestCandidate_JitterOnlyStretches(t *testing.T) {
	gaps := func(seed uint64) (gaps []time.Duration) {
		st := newHarness(t, settings(func(s *leader.Settings) { s.Seed = seed }))
		st.fate = func(leader.Call) fate { return refused }
		last := epoch
		st.settle()
		for range 200 {
			at, _ := st.c.NextWake()
			gaps, last = append(gaps, at.Sub(last)), at
			st.now = at
			st.c.Wake(at)
			st.settle()
		}
		return gaps[1:]
	}
	one := gaps(1)
	if diff := cmp.Diff(one, gaps(1)); diff != "" {
		t.Errorf("the same seed gives other gaps:\n%s", diff)
	}
	if cmp.Equal(one, gaps(2)) {
		t.Error("another seed gives the same gaps")
	}
	var low, high bool
	for _, gap := range one {
		if gap < 2*time.Second || gap >= 4400*time.Millisecond {
			t.Errorf("%v between two attempts, want from 2 s to 4.4 s", gap)
		}
		low, high = low || gap < 2300*time.Millisecond, high || gap > 4100*time.Millisecond
	}
	if !low || !high {
		t.Error("the gaps do not spread over the range")
	}
}

// Two read the expired lease; one update comes first and the other fails.
func TestCandidate_OneOfTwoRacersWins(t *testing.T) {
	a := newHarness(t, settings()).put(held("c", 0, 0)).run(12)
	b := newHarness(t, settings(func(s *leader.Settings) { s.Identity = "b" }))
	b.store = a.store
	b.run(12)
	b.fate = func(call leader.Call) fate {
		if call.Verb == leader.Update && a.c.Leader() != "a" {
			a.at(20) // just before the update of b is carried out
		}
		return answered
	}
	b.at(20)
	if !a.c.Leading() || b.c.Leading() || a.record().Holder != "a" {
		t.Errorf("a leads: %t, b leads: %t, the Lease names %s", a.c.Leading(), b.c.Leading(), a.record().Holder)
	}
	if b.c.Leader() != "c" {
		t.Errorf("after a failed update b goes by a record of %s, not by the one it read", b.c.Leader())
	}
}

func TestCandidate_SameIdentityBothLead(t *testing.T) {
	one := newHarness(t, settings()).run(3)
	two := newHarness(t, settings())
	two.store = one.store
	if two.at(3.5); !one.c.Leading() || !two.c.Leading() {
		t.Errorf("the first leads: %t, the second: %t", one.c.Leading(), two.c.Leading())
	}
}

func TestCandidate_CoordinatedIsChosen(t *testing.T) {
	coordinated := func(s *leader.Settings) { s.Coordinated = true }
	chosen := held("a", 0, 3)
	chosen.Strategy = coordinationv1.OldestEmulationVersion
	t.Run("they create nothing and take nothing over", func(t *testing.T) {
		st := newHarness(t, settings(coordinated)).run(30)
		st.put(held("b", 0, 0)).run(60)
		if st.c.Leading() || st.record().Holder != "b" {
			t.Error("it leads")
		}
	})
	t.Run("the one that is named renews and keeps what it was given", func(t *testing.T) {
		st := newHarness(t, settings(coordinated)).put(chosen).run(20)
		got := st.record()
		if !st.c.Leading() || got.Strategy != chosen.Strategy || got.Transitions != 3 || !got.RenewTime.Equal(second(20)) {
			t.Errorf("leading: %t, %+v", st.c.Leading(), got)
		}
	})
	t.Run("at the end of its term it stops renewing, and gives up at the deadline", func(t *testing.T) {
		st := newHarness(t, settings(coordinated)).put(chosen).run(21)
		last := st.record()
		last.PreferredHolder = "b"
		st.put(last).run(60)
		if got := st.record(); !got.RenewTime.Equal(second(20)) {
			t.Errorf("it renewed at %v", got.RenewTime)
		}
		if code, ok := st.c.ExitCode(); !ok || code != 1 {
			t.Errorf("exit code %d, %t", code, ok)
		}
	})
	t.Run("an expired lease is not renewed even by the one it names", func(t *testing.T) {
		st := newHarness(t, settings(coordinated)).put(chosen)
		st.fate = func(call leader.Call) fate {
			if call.Verb == leader.Update {
				return refused
			}
			return answered
		}
		st.run(14)
		st.fate = func(leader.Call) fate { return answered }
		if st.at(18.5); st.c.Leading() {
			t.Error("it renewed a lease that had expired 3.5 s before")
		}
	})
}
