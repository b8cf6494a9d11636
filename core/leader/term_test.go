package leader_test

import (
	"testing"
	"time"

	"orrery/core/leader"
)

// between gives calls of a time another fate.
func (s *harness) between(from, to float64, f fate) *harness {
	s.fate = func(leader.Call) fate {
		if !s.now.Before(second(from)) && s.now.Before(second(to)) {
			return f
		}
		return answered
	}
	return s
}

// The leader renews at even seconds. From second 11 on its calls fail; the round that starts at 12 ends at 22, or when
// strict at 20, counted from the renewal at 10.
func TestCandidate_RenewalFailures(t *testing.T) {
	for _, row := range []struct {
		name    string
		trouble fate
		to      float64
		// ends is when it stops leading, 0 for never.
		ends, endsStrict float64
	}{
		{"3 attempts fail and the 4th succeeds", refused, 17, 0, 0},
		{"8 seconds of errors from the first failure on", refused, 20, 0, 20},
		{"errors up to the deadline", refused, 60, 22, 20},
		{"calls hang for a while; each is given up after 5 s", hangs, 16, 0, 0},
		{"calls hang for ever", hangs, 60, 22, 20},
		{"writes are carried out but never answered", replyLost, 60, 22, 20},
		{"one answer is lost: it reads, finds itself and goes on", replyLost, 12.5, 0, 0},
	} {
		for _, mode := range []struct {
			name     string
			settings leader.Settings
			ends     float64
		}{{"", settings(), row.ends}, {", strict", settings(strict), row.endsStrict}} {
			t.Run(row.name+mode.name, func(t *testing.T) {
				st := newHarness(t, mode.settings).between(11, row.to, row.trouble)
				var ended float64
				for at := 0.0; at <= 40; at += 0.5 {
					if st.run(at); ended == 0 && at > 0 && !st.c.Leading() {
						ended = at
					}
				}
				if ended != mode.ends {
					t.Errorf("it stopped leading at %v s, want %v (0 is never)\n%s", ended, mode.ends, st.log.String())
				}
			})
		}
	}
}

// Without a timeout of its own one update that is never answered fills all the time there is.
func TestCandidate_HangingCallEndsAtDeadline(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings leader.Settings
		ends     float64
	}{
		{"the round's, of client-go", settings(), 14},
		{"the last renewal's, if strict", settings(strict), 12},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.settings.CallTimeout = 0
			st := newHarness(t, row.settings).run(3)
			st.log.Reset()
			st.between(4, 60, hangs).run(row.ends - 0.001)
			if !st.c.Leading() {
				t.Error("it gave up before the deadline")
			}
			ended := ""
			if row.settings.Strict {
				ended = "12.000 ended leading\n12.000 announced a stopped leading\n12.000 stopped"
			} else {
				ended = "14.000 announced a stopped leading\n14.000 ended leading\n14.000 stopped"
			}
			st.run(row.ends).tells("4.000 update a #0 since 0 renewed 4 for 15s: no answer\n" + ended)
		})
	}
}

func TestCandidate_RetriesRefusedRenewalAfterGet(t *testing.T) {
	newHarness(t, settings()).between(4, 5, refused).run(3).at(4).tells(`
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 announced a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
		2.000 update a #0 since 0 renewed 2 for 15s
		4.000 update a #0 since 0 renewed 4 for 15s: internal error
		4.000 get: internal error
	`).run(8).tells(`
		6.000 update a #0 since 0 renewed 6 for 15s
		8.000 update a #0 since 0 renewed 8 for 15s
	`)
}

// Somebody changes the Lease between two renewals, but not who holds it.
func TestCandidate_ConflictTakesSlowPath(t *testing.T) {
	st := newHarness(t, settings()).run(3)
	other := st.record()
	st.put(other).run(6).tells(`
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 announced a became leader
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
	st.run(1).tells(`
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 announced a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
	`)
	st.between(2, 6.9, hangs).run(6.9).between(7, 8, refused).run(11).tells(`
		2.000 update a #0 since 0 renewed 2 for 15s: no answer
		4.500 get: no answer
		7.000 update a #0 since 0 renewed 7 for 15s: internal error
		7.000 get: internal error
		8.000 update a #0 since 0 renewed 8 for 15s
		10.000 update a #0 since 0 renewed 10 for 15s
	`)
}

func TestTicker_KeepsTickDuringAttempt(t *testing.T) {
	st := newHarness(t, settings(func(s *leader.Settings) { s.CallTimeout = 1500 * time.Millisecond })).run(1)
	st.log.Reset()
	st.between(2, 4.9, hangs).run(6).tells(`
		2.000 update a #0 since 0 renewed 2 for 15s: no answer
		3.500 get: no answer
		5.000 update a #0 since 0 renewed 5 for 15s
	`)
}

func TestCandidate_CountsTransitions(t *testing.T) {
	st := newHarness(t, settings()).run(10)
	if got := brief(st.record()); got != "a #0 since 0 renewed 10 for 15s" {
		t.Errorf("after five renewals the Lease says %s", got)
	}
	b := newHarness(t, settings(func(s *leader.Settings) { s.Identity = "b" }))
	b.store = st.store
	b.at(20).at(35)
	if got := brief(b.record()); got != "b #1 since 35 renewed 35 for 15s" {
		t.Errorf("b took over, and the Lease says %s", got)
	}
	again := newHarness(t, settings())
	again.store = st.store
	again.at(40).at(55)
	if got := brief(again.record()); got != "a #2 since 55 renewed 55 for 15s" {
		t.Errorf("a took it back, and the Lease says %s", got)
	}
}

func TestCandidate_EndOfLeader(t *testing.T) {
	leads := `
		0.000 get: NotFound
		0.000 create a #0 since 0 renewed 0 for 15s
		0.000 new leader a
		0.000 announced a became leader
		0.000 started leading
		0.000 update a #0 since 0 renewed 0 for 15s
		2.000 update a #0 since 0 renewed 2 for 15s
	`
	t.Run("cancelled, it ends its work, then releases", func(t *testing.T) {
		st := newHarness(t, settings(releases)).run(3).cancel().tells(leads + `
			3.000 ended leading
			3.000 get: a #0 since 0 renewed 2 for 15s
			3.000 update nobody #0 since 3 renewed 3 for 1s
			3.000 announced a stopped leading
			3.000 stopped
		`)
		if code, ok := st.c.ExitCode(); !ok || code != 0 {
			t.Errorf("exit code %d, %t", code, ok)
		}
	})
	t.Run("cancelled without a release, the others have to wait", func(t *testing.T) {
		newHarness(t, settings()).run(3).cancel().tells(leads + `
			3.000 ended leading
			3.000 announced a stopped leading
			3.000 stopped
		`)
	})
	t.Run("having lost, it releases first, and the release may hang", func(t *testing.T) {
		st := newHarness(t, settings(releases)).run(2).tells(leads).between(2.5, 60, hangs).run(30).tells(`
			4.000 update a #0 since 0 renewed 4 for 15s: no answer
			9.000 get: no answer
			14.000 get: no answer
			19.000 announced a stopped leading
			19.000 ended leading
			19.000 stopped
		`)
		if code, ok := st.c.ExitCode(); !ok || code != 1 {
			t.Errorf("exit code %d, %t", code, ok)
		}
	})
	t.Run("strict, it ends its work first, and sooner", func(t *testing.T) {
		newHarness(t, settings(strict, releases)).run(2).tells(leads).between(2.5, 60, hangs).run(30).tells(`
			4.000 update a #0 since 0 renewed 4 for 15s: no answer
			9.000 get: no answer
			12.000 ended leading
			12.000 get: no answer
			17.000 announced a stopped leading
			17.000 stopped
		`)
	})
	t.Run("cancelled before it led, it only stops", func(t *testing.T) {
		newHarness(t, settings(releases)).put(held("b", 0, 0)).run(1).cancel().tells(`
			0.000 get: b #0 since 0 renewed 0 for 15s
			0.000 new leader b
			1.000 stopped
		`)
	})
}

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

// The line is cut at 3 s and whole again at 12 s, when a leader that lost looks at the Lease to release it. By then b
// holds it, whose clock is fast.
func TestCandidate_ReleaseOfOthersLease(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings leader.Settings
		holder   string
	}{
		{"client-go's candidate takes the lease from the other", settings(releases), ""},
		{"a strict one leaves it alone", settings(releases, strict), "b"},
	} {
		t.Run(row.name, func(t *testing.T) {
			st := newHarness(t, row.settings).run(3).between(3, 12, hangs).run(11).put(held("b", 11, 1)).run(40)
			if got := st.record().Holder; got != row.holder {
				t.Errorf("the Lease names %q, want %q\n%s", got, row.holder, st.log.String())
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
		{"client-go's candidate goes on until the deadline of the round", settings(), 14},
		{"a strict one ends at once", settings(strict), 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			st := newHarness(t, row.settings).run(3).put(held("b", 3, 1))
			for at := 3.0; at < row.ends; at += 0.5 {
				if st.run(at); !st.c.Leading() {
					t.Fatalf("it ended at %v s", at)
				}
			}
			if st.run(row.ends); st.c.Leading() {
				t.Errorf("it still leads at %v s", row.ends)
			}
		})
	}
}

// The process is stopped right after a renewal, for 20 s.
func TestCandidate_PausedLeader(t *testing.T) {
	for _, row := range []struct {
		name     string
		settings leader.Settings
		ends     float64
	}{
		{"client-go's candidate starts a new round, of 10 s", settings(), 33},
		{"a strict one has given up", settings(strict), 23},
	} {
		t.Run(row.name, func(t *testing.T) {
			st := newHarness(t, row.settings).run(3).put(held("b", 20, 1)).at(23)
			if want := row.ends > 23; st.c.Leading() != want {
				t.Errorf("right after it leads: %t", !want)
			}
			if st.run(row.ends); st.c.Leading() {
				t.Errorf("at %v s it still leads", row.ends)
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
	look := func(renewals ...float64) time.Time {
		st := newHarness(t, settings())
		for i, at := range renewals {
			st.put(held("b", at, 0)).at(float64(i * 5))
		}
		_, since := st.c.Observed()
		return since
	}
	if got := look(1.1, 1.9); !got.Equal(second(0)) {
		t.Errorf("renewals at 1.1 s and 1.9 s: it goes by what it saw at %v", got.Sub(epoch))
	}
	if got := look(1.9, 2.0); !got.Equal(second(5)) {
		t.Errorf("renewals at 1.9 s and 2.0 s: it goes by what it saw at %v", got.Sub(epoch))
	}
}
