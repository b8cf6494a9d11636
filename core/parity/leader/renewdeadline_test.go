package leader

import (
	"testing"
	"time"

	"orrery/core/process/leader"
)

// A leader whose calls are all lost leads for longer than its renew deadline: the deadline counts from the start of the next
// renewal, and the leader's work is cancelled only after the release, which fails. So two replicas can lead at once with
// kube-scheduler's settings and one clock, because of a network failure alone.
func TestClientGo_LeadsBeyondRenewDeadline(t *testing.T) {
	const elections = 30
	for _, row := range []struct {
		name     string
		release  bool
		leadsFor time.Duration
	}{
		{"without release: retry period 2 s + renew deadline 10 s", false, 12 * time.Second},
		{"with release: 5 s more for a call that hangs", true, 17 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			overlaps := 0
			for seed := range uint64(elections) {
				renewed, ended, took := cutOffLeader(t, seed, row.release)
				if got := ended.Sub(renewed).Truncate(100 * time.Millisecond); got != row.leadsFor {
					t.Errorf("it led for %v after its last renewal, want %v", got, row.leadsFor)
				}
				if took.Before(ended) {
					overlaps++
				}
			}
			t.Logf("two replicas led at once in %d of %d elections", overlaps, elections)
			if (overlaps > 0) != row.release {
				t.Errorf("two replicas led at once in %d of %d elections", overlaps, elections)
			}
		})
	}
}

// cutOffLeader loses every call of the leader after a certain one. It returns when the leader renewed last, when its work was
// cancelled, and when the other replica's began.
func cutOffLeader(t *testing.T, seed uint64, release bool) (renewed, ended, took time.Time) {
	s := script{seed: seed, length: 2 * time.Minute, settings: leader.Defaults("")}
	s.settings.ReleaseOnCancel = release
	s.settings.RenewDeadline += time.Millisecond
	s.settings.CallTimeout += 2 * time.Millisecond
	s.replicas = []plan{{number: 0, until: s.length}, {number: 1, start: 1001 * time.Millisecond, until: s.length}}
	const lastGood = 20
	for call := lastGood + 1; call < lastGood+40; call++ {
		s.faults = append(s.faults, fault{replica: 0, call: call, kind: lost})
	}
	electors := play(t, &s)
	return electors[0].calls[lastGood-1].ended, first(electors[0], leader.StoppedLeading), first(electors[1], leader.StartedLeading)
}

func first(e *elector, kind leader.NoticeKind) time.Time {
	for _, n := range e.notices {
		if n.Kind == kind {
			return n.At
		}
	}
	return time.Time{}
}
