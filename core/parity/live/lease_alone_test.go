package live_test

import (
	"slices"
	"strings"
	"testing"
)

// A candidate's reads of a lease are in the audit log: else the next test would check nothing.
func TestElection_IsInAuditLog(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.scheduleAs(rival, orrery)
	s.eventually(func() error { return s.tenureOf(rival, 1) })
	if !slices.ContainsFunc(s.auditEntries(), func(a auditEntry) bool {
		return a.User.Username == rival && a.Verb == "get" && a.ObjectRef.Resource == "leases"
	}) {
		t.Error("no read of the lease is in the audit log")
	}
}

// Without leader election no lease and no lease candidate is read or written.
// Shows LEAD-05.
func TestElection_DisabledReadsNoLease(t *testing.T) {
	for _, what := range []schedulerProgram{orrery, kubeScheduler} {
		t.Run(what.name(), func(t *testing.T) {
			s := newFixture(t, threeNodes()...)
			p := s.scheduleAs(rival, what, "--leader-elect=false", "--feature-gates=CoordinatedLeaderElection=true")
			s.eventually(p.ready)
			s.pods(20, "a", "10m")
			s.bound(20)
			for _, a := range s.auditEntries() {
				if a.User.Username == rival && strings.HasPrefix(a.ObjectRef.Resource, "lease") {
					t.Errorf("unexpected request: %s %s", a.Verb, a.ObjectRef.Resource)
				}
			}
			if len(s.auditedWrites("pods")) == 0 {
				t.Error("the audit log is empty")
			}
		})
	}
}
