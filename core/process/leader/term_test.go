package leader_test

import (
	"testing"
	"time"

	"orrery/core/process/leader"
)

// between gives calls in a time span a fault.
func (s *harness) between(from, to float64, f fault) *harness {
	s.fault = func(leader.Call) fault {
		if !s.now.Before(second(from)) && s.now.Before(second(to)) {
			return f
		}
		return succeeds
	}
	return s
}

// The leader renews at even seconds. From second 11 on its calls fail; the round that starts at 12 ends at 22, or when
// strict at 20, counted from the renewal at 10.
// Shows LEAD-31.
func TestCandidate_RenewalFailures(t *testing.T) {
	for _, row := range []struct {
		name  string
		fault fault
		to    float64
		// ends is when the candidate stops leading, 0 for never.
		ends, endsStrict float64
	}{
		{"3 attempts fail and the 4th succeeds", fails, 17, 0, 0},
		{"8 seconds of errors from the first failure on", fails, 20, 0, 20},
		{"errors up to the deadline", fails, 60, 22, 20},
		{"calls hang for a while; each is abandoned after 5 s", hangs, 16, 0, 0},
		{"calls hang without end", hangs, 60, 22, 20},
		{"writes are executed without a response", responseLost, 60, 22, 20},
		{"one response is lost: it reads itself as the holder and leads on", responseLost, 12.5, 0, 0},
	} {
		for _, mode := range []struct {
			name     string
			settings leader.Settings
			ends     float64
		}{{"", settings(), row.ends}, {", strict", settings(strict), row.endsStrict}} {
			t.Run(row.name+mode.name, func(t *testing.T) {
				st := newHarness(t, mode.settings).between(11, row.to, row.fault)
				var ended float64
				for at := 0.0; at <= 40; at += 0.5 {
					if st.run(at); ended == 0 && at > 0 && !st.c.Leading() {
						ended = at
					}
				}
				if ended != mode.ends {
					t.Errorf("stopped leading at %v s, want %v (0 is never)\n%s", ended, mode.ends, st.log.String())
				}
			})
		}
	}
}

// Without a call timeout one update without a response lasts until the deadline.
// Shows LEAD-33.
func TestCandidate_HangingCallEndsAtDeadline(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings leader.Settings
		ends     float64
	}{
		{"client-go: the round's deadline", settings(), 14},
		{"strict: the last renewal's deadline", settings(strict), 12},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.settings.CallTimeout = 0
			st := newHarness(t, row.settings).run(3)
			st.log.Reset()
			st.between(4, 60, hangs).run(row.ends - 0.001)
			if !st.c.Leading() {
				t.Error("stopped leading before the deadline")
			}
			ended := ""
			if row.settings.Strict {
				ended = "12.000 stopped leading\n12.000 event a stopped leading\n12.000 candidacy ended"
			} else {
				ended = "14.000 event a stopped leading\n14.000 stopped leading\n14.000 candidacy ended"
			}
			st.run(row.ends).wantLog("4.000 update a #0 since 0 renewed 4 for 15s: no response\n" + ended)
		})
	}
}

// Shows LEAD-08.
func TestCandidate_RetriesRefusedRenewalAfterGet(t *testing.T) {
	newHarness(t, settings()).between(4, 5, fails).run(3).at(4).wantLog(`
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 event a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
		2.000 update a #0 since 0 renewed 2 for 15s
		4.000 update a #0 since 0 renewed 4 for 15s: internal error
		4.000 get: internal error
	`).run(8).wantLog(`
		6.000 update a #0 since 0 renewed 6 for 15s
		8.000 update a #0 since 0 renewed 8 for 15s
	`)
}

// Another client changes the Lease between two renewals, but not its holder.
func TestCandidate_ConflictTakesSlowPath(t *testing.T) {
	st := newHarness(t, settings()).run(3)
	other := st.record()
	st.put(other).run(6).wantLog(`
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 event a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
		2.000 update a #0 since 0 renewed 2 for 15s
		4.000 update a #0 since 0 renewed 4 for 15s: Conflict
		4.000 get: a #0 since 0 renewed 2 for 15s
		4.000 update a #0 since 0 renewed 4 for 15s
		6.000 update a #0 since 0 renewed 6 for 15s
	`)
	if st.c.SlowPaths() != 1 {
		t.Errorf("%d slow paths counted, want 1", st.c.SlowPaths())
	}
}

// The attempt of second 2 takes until 7, and ticks at 4 and 6 pass meanwhile. One of them is kept: an attempt follows at
// once, and the next comes with the tick at 8.
func TestTicker_SkipsMissedTicks(t *testing.T) {
	st := newHarness(t, settings(func(s *leader.Settings) { s.CallTimeout = 2500 * time.Millisecond }))
	st.run(1).wantLog(`
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 event a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
	`)
	st.between(2, 6.9, hangs).run(6.9).between(7, 8, fails).run(11).wantLog(`
		2.000 update a #0 since 0 renewed 2 for 15s: no response
		4.500 get: no response
		7.000 update a #0 since 0 renewed 7 for 15s: internal error
		7.000 get: internal error
		8.000 update a #0 since 0 renewed 8 for 15s
		10.000 update a #0 since 0 renewed 10 for 15s
	`)
}

func TestTicker_KeepsTickDuringAttempt(t *testing.T) {
	st := newHarness(t, settings(func(s *leader.Settings) { s.CallTimeout = 1500 * time.Millisecond })).run(1)
	st.log.Reset()
	st.between(2, 4.9, hangs).run(6).wantLog(`
		2.000 update a #0 since 0 renewed 2 for 15s: no response
		3.500 get: no response
		5.000 update a #0 since 0 renewed 5 for 15s
	`)
}

// Shows LEAD-43.
func TestCandidate_CountsTransitions(t *testing.T) {
	st := newHarness(t, settings()).run(10)
	if got := brief(st.record()); got != "a #0 since 0 renewed 10 for 15s" {
		t.Errorf("after five renewals the Lease is %s", got)
	}
	b := newHarness(t, settings(func(s *leader.Settings) { s.Identity = "b" }))
	b.store = st.store
	b.at(20).at(35)
	if got := brief(b.record()); got != "b #1 since 35 renewed 35 for 15s" {
		t.Errorf("b took over, and the Lease is %s", got)
	}
	again := newHarness(t, settings())
	again.store = st.store
	again.at(40).at(55)
	if got := brief(again.record()); got != "a #2 since 55 renewed 55 for 15s" {
		t.Errorf("a took over again, and the Lease is %s", got)
	}
}

// Shows LEAD-24, LEAD-25, LEAD-26, LEAD-27, LEAD-32 and CONF-18.
func TestCandidate_EndOfLeader(t *testing.T) {
	leads := `
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 event a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
		2.000 update a #0 since 0 renewed 2 for 15s
	`
	t.Run("cancelled: stops leading, then releases", func(t *testing.T) {
		st := newHarness(t, settings(releases)).run(3).cancel().wantLog(leads + `
			3.000 stopped leading
			3.000 get: a #0 since 0 renewed 2 for 15s
			3.000 update none #0 since 3 renewed 3 for 1s
			3.000 event a stopped leading
			3.000 candidacy ended
		`)
		if code, ok := st.c.ExitCode(); !ok || code != 0 {
			t.Errorf("exit code %d, %t", code, ok)
		}
	})
	t.Run("cancelled without a release", func(t *testing.T) {
		newHarness(t, settings()).run(3).cancel().wantLog(leads + `
			3.000 stopped leading
			3.000 event a stopped leading
			3.000 candidacy ended
		`)
	})
	t.Run("lost: releases first, and the release may hang", func(t *testing.T) {
		st := newHarness(t, settings(releases)).run(2).wantLog(leads).between(2.5, 60, hangs).run(30).wantLog(`
			4.000 update a #0 since 0 renewed 4 for 15s: no response
			9.000 get: no response
			14.000 get: no response
			19.000 event a stopped leading
			19.000 stopped leading
			19.000 candidacy ended
		`)
		if code, ok := st.c.ExitCode(); !ok || code != 1 {
			t.Errorf("exit code %d, %t", code, ok)
		}
	})
	t.Run("lost, strict: stops leading first, and sooner", func(t *testing.T) {
		newHarness(t, settings(strict, releases)).run(2).wantLog(leads).between(2.5, 60, hangs).run(30).wantLog(`
			4.000 update a #0 since 0 renewed 4 for 15s: no response
			9.000 get: no response
			12.000 stopped leading
			12.000 get: no response
			17.000 event a stopped leading
			17.000 candidacy ended
		`)
	})
	t.Run("cancelled before it led", func(t *testing.T) {
		newHarness(t, settings(releases)).put(held("b", 0, 0)).run(1).cancel().wantLog(`
			0.000 get: b #0 since 0 renewed 0 for 15s
			0.000 new leader b
			1.000 candidacy ended
		`)
	})
}

// Shows LEAD-34.
func TestCandidate_AcquiresReleasedLease(t *testing.T) {
	a := newHarness(t, settings(releases)).run(10)
	b := newHarness(t, settings(func(s *leader.Settings) { s.Identity = "b" }))
	b.store = a.store
	b.run(10)
	a.cancel()
	if b.run(10 + 4.4); !b.c.Leading() || b.record().Transitions != 1 {
		t.Errorf("b leads: %t, %s", b.c.Leading(), brief(b.record()))
	}
}

// The connection is lost from 3 s to 12 s. Then a leader that lost reads the Lease to release it, which b, with a fast clock,
// holds by then.
func TestCandidate_ReleaseOfOthersLease(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings leader.Settings
		holder   string
	}{
		{"client-go's candidate releases the other's lease", settings(releases), ""},
		{"a strict one does not", settings(releases, strict), "b"},
	} {
		t.Run(row.name, func(t *testing.T) {
			st := newHarness(t, row.settings).run(3).between(3, 12, hangs).run(11).put(held("b", 11, 1)).run(40)
			if got := st.record().Holder; got != row.holder {
				t.Errorf("the holder is %q, want %q\n%s", got, row.holder, st.log.String())
			}
		})
	}
}

func TestCandidate_LeaderSeesOtherHolder(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings leader.Settings
		ends     float64
	}{
		{"client-go's candidate leads until the deadline of the round", settings(), 14},
		{"a strict one ends at once", settings(strict), 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			st := newHarness(t, row.settings).run(3).put(held("b", 3, 1))
			for at := 3.0; at < row.ends; at += 0.5 {
				if st.run(at); !st.c.Leading() {
					t.Fatalf("stopped leading at %v s", at)
				}
			}
			if st.run(row.ends); st.c.Leading() {
				t.Errorf("still leading at %v s", row.ends)
			}
		})
	}
}

// The process is paused right after a renewal, for 20 s.
func TestCandidate_PausedLeader(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings leader.Settings
		ends     float64
	}{
		{"client-go's candidate starts a new round, of 10 s", settings(), 33},
		{"a strict one stops leading at once", settings(strict), 23},
	} {
		t.Run(row.name, func(t *testing.T) {
			st := newHarness(t, row.settings).run(3).put(held("b", 20, 1)).at(23)
			if want := row.ends > 23; st.c.Leading() != want {
				t.Errorf("leading right after the pause: %t", !want)
			}
			if st.run(row.ends); st.c.Leading() {
				t.Errorf("still leading at %v s", row.ends)
			}
		})
	}
}

// The machine is suspended right after a renewal: its own clock stands still, and the wall clock goes on.
func TestCandidate_SuspendedLeader(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings leader.Settings
		lead     time.Duration
		leads    bool
	}{
		{"client-go's candidate does not look at the wall clock", settings(), 20 * time.Second, true},
		{"a strict one stops leading at once", settings(strict), 20 * time.Second, false},
		{"a strict one that was suspended for less leads on", settings(strict), 5 * time.Second, true},
		{"a wall clock that is set back does not matter", settings(strict), -time.Hour, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			st := newHarness(t, row.settings).run(3)
			st.c.SetWallLead(row.lead)
			if st.at(3); st.c.Leading() != row.leads {
				t.Errorf("leading after that: %t\n%s", !row.leads, st.log.String())
			}
			if st.run(20); st.c.Leading() != row.leads {
				t.Errorf("leading after more renewals: %t", !row.leads)
			}
		})
	}
}

func TestHealth_LeaderWithStuckTimers(t *testing.T) {
	st := newHarness(t, settings()).run(2)
	if err := st.c.Health(second(2+15+20), 20*time.Second); err != nil {
		t.Errorf("within lease duration and grace: %v", err)
	}
	err := st.c.Health(second(2+15+20.001), 20*time.Second)
	if err == nil || err.Error() != "failed election to renew leadership on lease kube-scheduler" {
		t.Errorf("got %v", err)
	}
	standby := newHarness(t, settings()).put(held("b", 0, 0)).run(2)
	if err := standby.c.Health(second(3600), 0); err != nil {
		t.Errorf("a standby: %v", err)
	}
}

// Times are compared by the second, so the renewal at 1.9 s looks like the one at 1.1 s.
func TestRecord_RenewalsWithinSecondLookEqual(t *testing.T) {
	observedSince := func(renewals ...float64) time.Time {
		st := newHarness(t, settings())
		for i, at := range renewals {
			st.put(held("b", at, 0)).at(float64(i * 5))
		}
		_, since := st.c.Observed()
		return since
	}
	if got := observedSince(1.1, 1.9); !got.Equal(second(0)) {
		t.Errorf("renewals at 1.1 s and 1.9 s: observed since %v", got.Sub(epoch))
	}
	if got := observedSince(1.9, 2.0); !got.Equal(second(5)) {
		t.Errorf("renewals at 1.9 s and 2.0 s: observed since %v", got.Sub(epoch))
	}
}
