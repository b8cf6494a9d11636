package leader_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"

	"orrery/core/process/leader"
	"orrery/core/process/leader/sim"
)

// Shows LEAD-24 and LEAD-37.
func TestCandidate_CreatesMissingLease(t *testing.T) {
	newHarness(t, settings()).run(2).wantLog(`
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 event a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
		2.000 update a #0 since 0 renewed 2 for 15s
	`)
}

// A leader whose Lease is deleted creates it again with its first acquire time, also after failed creations.
func TestCandidate_RecreatedLeaseKeepsAcquireTime(t *testing.T) {
	st := newHarness(t, settings()).run(2)
	st.store = sim.NewLeases()
	failures := 1
	st.fault = func(call leader.Call) fault {
		if call.Verb == leader.Create && failures > 0 {
			failures--
			return fails
		}
		return succeeds
	}
	st.run(7)
	if r := st.record(); failures > 0 || !r.AcquireTime.Equal(epoch) {
		t.Errorf("%d failures left, the Lease is %+v, want acquireTime %v", failures, r, epoch)
	}
}

// A candidate leads only once it has written the Lease.
// Shows LEAD-29, LEAD-37 and CONF-18.
func TestCandidate_StartsWithoutLeader(t *testing.T) {
	st := newHarness(t, settings())
	if _, ended := st.c.ExitCode(); st.c.Leading() || st.c.Leader() != "" || ended {
		t.Errorf("before its first read: leading %t, leader %q, ended %t", st.c.Leading(), st.c.Leader(), ended)
	}
	if st.between(0, 4, fails).run(4.3); st.c.Leading() {
		t.Error("leads though the Lease could not be read")
	}
	st.run(4.5).wantLog(`
		0.000 get: internal error
		4.400 get: NotFound
		4.400 create a #0 since 4.399826197 renewed 4.399826197 for 15s
		4.400 new leader a
		4.400 event a became leader
		4.400 started leading
		4.400 update a #0 since 4.399826197 renewed 4.399826197 for 15s
	`)
}

// Two candidates find no Lease; one creates it, and the other waits.
// Shows LEAD-37.
func TestCandidate_OneOfTwoCreatorsWins(t *testing.T) {
	a := newHarness(t, settings())
	b := newHarness(t, settings(func(s *leader.Settings) { s.Identity = "b" }))
	b.store = a.store
	b.fault = func(call leader.Call) fault {
		if call.Verb == leader.Create {
			a.run(0) // just before b's create is executed
		}
		return succeeds
	}
	b.run(5).wantLog(`
		0.000 get: NotFound
		0.000 create b #0 since 0 renewed 0 for 15s: AlreadyExists
		4.400 get: a #0 since 0 renewed 0 for 15s
		4.400 new leader a
	`)
	if !a.c.Leading() || b.c.Leading() {
		t.Errorf("a leads: %t, b leads: %t", a.c.Leading(), b.c.Leading())
	}
}

// Calls name the configured Lease only.
// Shows LEAD-03 and LEAD-17.
func TestCall_NamesConfiguredLease(t *testing.T) {
	st := newHarness(t, settings(func(s *leader.Settings) { s.Namespace, s.Name = "team", "our-scheduler" })).put(held("b", 0, 0))
	var named []string
	st.fault = func(call leader.Call) fault {
		named = append(named, call.Verb.String()+" "+call.Namespace+"/"+call.Name)
		return succeeds
	}
	st.run(0)
	want := []string{"get team/our-scheduler", "create team/our-scheduler", "update team/our-scheduler"}
	if diff := cmp.Diff(want, named); diff != "" || !st.c.Leading() {
		t.Errorf("leading: %t; calls (-want +got):\n%s", st.c.Leading(), diff)
	}
}

// A standby reports every change of the holder once.
// Shows LEAD-35.
func TestCandidate_ReportsNewLeaderOnce(t *testing.T) {
	st := newHarness(t, settings())
	for i, r := range []leader.Record{held("b", 0, 0), held("b", 5, 0), held("c", 10, 1), held("c", 15, 1), held("b", 20, 2)} {
		st.put(r).at(5 * float64(i))
	}
	st.wantLog(`
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

// A candidate whose clock is an hour ahead or behind waits as long as one whose clock is right.
// Shows LEAD-12.
func TestCandidate_WrongClockDoesNotTakeOverEarly(t *testing.T) {
	for name, offset := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			c, err := leader.New(settings(), epoch.Add(offset))
			if err != nil {
				t.Fatal(err)
			}
			early := &harness{t: t, c: c, store: newHarness(t, settings()).put(held("b", 0, 0)).store, now: epoch.Add(offset), fault: func(leader.Call) fault { return succeeds }}
			early.run(offset.Seconds())
			late := &harness{t: t, c: early.c.Fork(), store: early.store, fault: early.fault}
			if early.at(offset.Seconds() + 14.999); early.c.Leading() {
				t.Error("took over within 15 s")
			}
			if late.at(offset.Seconds() + 15); !late.c.Leading() {
				t.Error("did not take over after 15 s")
			}
		})
	}
}

// Shows LEAD-36.
func TestCandidate_LeaseLastsWholeSeconds(t *testing.T) {
	s := settings(func(s *leader.Settings) { s.LeaseDuration = 15900 * time.Millisecond })
	if got := newHarness(t, s).run(0).record().LeaseSeconds; got != 15 {
		t.Errorf("leaseDurationSeconds is %d, want 15", got)
	}
}

// Shows LEAD-42.
func TestCandidate_AcquiresFreeLeaseAtOnce(t *testing.T) {
	st := newHarness(t, settings()).put(held("", 0, 4)).run(0)
	if got := brief(st.record()); got != "a #5 since 0 renewed 0 for 15s" || !st.c.Leading() {
		t.Errorf("the Lease is %s, leading: %t", got, st.c.Leading())
	}
}

// The wait starts with the candidate's first read. The times in the record do not matter.
// Shows LEAD-06, LEAD-10, LEAD-36, LEAD-39 and LEAD-40.
func TestCandidate_TakesOverAfterFullDuration(t *testing.T) {
	for _, row := range []struct {
		name    string
		renewed float64
	}{
		{"renewed just now", 0},
		{"renewed an hour ago", -3600},
		{"renewed in an hour, by a clock ahead", 3600},
	} {
		t.Run(row.name, func(t *testing.T) {
			early := newHarness(t, settings()).put(held("b", row.renewed, 0)).run(12)
			late := &harness{t: t, c: early.c.Fork(), store: early.store, fault: early.fault}
			if early.at(14.999999999); early.c.Leading() {
				t.Error("took over a nanosecond too early")
			}
			if late.at(15); !late.c.Leading() {
				t.Error("did not take over after 15 s")
			}
			want := leader.Record{Holder: "a", LeaseSeconds: 15, AcquireTime: second(15), RenewTime: second(15), Transitions: 1}
			if diff := cmp.Diff(want, late.record()); diff != "" {
				t.Errorf("the Lease (-want +got):\n%s", diff)
			}
		})
	}
}

// Shows LEAD-38.
func TestCandidate_AnyChangeRestartsWait(t *testing.T) {
	st := newHarness(t, settings()).put(held("b", 0, 0)).run(10)
	st.put(held("b", 10, 0)).at(14).at(28.9)
	if st.c.Leading() {
		t.Error("took over 14.9 s after it saw the change at 14 s")
	}
	if st.at(33.5); !st.c.Leading() {
		t.Error("did not take over")
	}
}

// The record's duration counts, unless UseOwnLeaseDuration is set.
// Shows LEAD-41.
func TestCandidate_RecordDurationCounts(t *testing.T) {
	short := func(s *leader.Settings) { s.LeaseDuration, s.RenewDeadline = 5*time.Second, 4*time.Second }
	own := func(s *leader.Settings) { s.UseOwnLeaseDuration = true }
	for _, row := range []struct {
		name     string
		settings leader.Settings
		leads    map[float64]bool
	}{
		{"record 15 s, own 5 s", settings(short), map[float64]bool{5: false, 14.9: false, 15: true}},
		{"record 15 s, own 5 s, UseOwnLeaseDuration", settings(short, own), map[float64]bool{4.9: false, 5: true}},
		{"both 15 s, UseOwnLeaseDuration", settings(own), map[float64]bool{14.9: false, 15: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for at, want := range row.leads {
				st := newHarness(t, row.settings).put(held("b", 0, 0)).run(0)
				if st.at(at); st.c.Leading() != want {
					t.Errorf("leading at %v s: %t", at, !want)
				}
			}
		})
	}
}

// A leader dies right after a renewal that a standby sees at second 0. The standby reads again 2 to 4.4 seconds after
// each read, and the first read from second 15 on finds the lease expired.
// Shows LEAD-45.
func TestCandidate_FailoverTimeline(t *testing.T) {
	newHarness(t, settings()).put(held("b", 0, 0)).run(19).wantLog(`
		0.000 get: b #0 since 0 renewed 0 for 15s
		0.000 new leader b
		4.400 get: b #0 since 0 renewed 0 for 15s
		8.525 get: b #0 since 0 renewed 0 for 15s
		11.441 get: b #0 since 0 renewed 0 for 15s
		14.596 get: b #0 since 0 renewed 0 for 15s
		17.662 get: b #0 since 0 renewed 0 for 15s
		17.662 update a #1 since 17.661968717 renewed 17.661968717 for 15s
		17.662 new leader a
		17.662 event a became leader
		17.662 started leading
		17.662 update a #1 since 17.661968717 renewed 17.661968717 for 15s
	`)
}

// Shows LEAD-08 and LEAD-28.
func TestCandidate_JitterOnlyStretches(t *testing.T) {
	gaps := func(seed uint64) (gaps []time.Duration) {
		st := newHarness(t, settings(func(s *leader.Settings) { s.Seed = seed }))
		st.fault = func(leader.Call) fault { return fails }
		last := epoch
		st.runCalls()
		for range 200 {
			at, _ := st.c.NextWake()
			gaps, last = append(gaps, at.Sub(last)), at
			st.now = at
			st.c.Wake(at)
			st.runCalls()
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
		t.Error("the gaps do not cover the range")
	}
}

// Two candidates read the expired lease; the second update fails.
// Shows LEAD-44.
func TestCandidate_OneOfTwoRacersWins(t *testing.T) {
	a := newHarness(t, settings()).put(held("c", 0, 0)).run(12)
	b := newHarness(t, settings(func(s *leader.Settings) { s.Identity = "b" }))
	b.store = a.store
	b.run(12)
	b.fault = func(call leader.Call) fault {
		if call.Verb == leader.Update && a.c.Leader() != "a" {
			a.at(20) // just before b's update is executed
		}
		return succeeds
	}
	b.at(20)
	if !a.c.Leading() || b.c.Leading() || a.record().Holder != "a" {
		t.Errorf("a leads: %t, b leads: %t, the holder is %s", a.c.Leading(), b.c.Leading(), a.record().Holder)
	}
	if b.c.Leader() != "c" {
		t.Errorf("after a failed update b's observed holder is %s, want the one it read", b.c.Leader())
	}
}

// Shows LEAD-16.
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
	t.Run("a coordinated candidate neither creates nor takes over the lease", func(t *testing.T) {
		st := newHarness(t, settings(coordinated)).run(30)
		st.put(held("b", 0, 0)).run(60)
		if st.c.Leading() || st.record().Holder != "b" {
			t.Error("leads without being chosen")
		}
	})
	t.Run("the holder renews and keeps strategy and transitions", func(t *testing.T) {
		st := newHarness(t, settings(coordinated)).put(chosen).run(20)
		got := st.record()
		if !st.c.Leading() || got.Strategy != chosen.Strategy || got.Transitions != 3 || !got.RenewTime.Equal(second(20)) {
			t.Errorf("leading: %t, %+v", st.c.Leading(), got)
		}
	})
	t.Run("with another preferred holder it stops renewing, and ends at the deadline", func(t *testing.T) {
		st := newHarness(t, settings(coordinated)).put(chosen).run(21)
		last := st.record()
		last.PreferredHolder = "b"
		st.put(last).run(60)
		if got := st.record(); !got.RenewTime.Equal(second(20)) {
			t.Errorf("renewed at %v", got.RenewTime)
		}
		if code, ok := st.c.ExitCode(); !ok || code != 1 {
			t.Errorf("exit code %d, %t", code, ok)
		}
	})
	t.Run("the holder does not renew an expired lease", func(t *testing.T) {
		st := newHarness(t, settings(coordinated)).put(chosen)
		st.fault = func(call leader.Call) fault {
			if call.Verb == leader.Update {
				return fails
			}
			return succeeds
		}
		st.run(14)
		st.fault = func(leader.Call) fault { return succeeds }
		if st.at(18.5); st.c.Leading() {
			t.Error("renewed a lease that had expired 3.5 s before")
		}
	})
}
