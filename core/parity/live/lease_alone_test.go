package live_test

import (
	"slices"
	"strings"
	"testing"
)

// Who stands for a lease looks at it, and the log tells so: else the next test would show nothing.
func TestElection_IsInAuditLog(t *testing.T) {
	s := newScene(t, threeNodes()...)
	s.scheduleAs(rival, orrery)
	s.eventually(func() error { return s.reignOf(rival, 1) })
	if !slices.ContainsFunc(s.audited(), func(a act) bool {
		return a.User.Username == rival && a.Verb == "get" && a.ObjectRef.Resource == "leases"
	}) {
		t.Error("nobody looked at the lease")
	}
}

// Without leader election nobody asks for a lease: not the leader's, not a candidate's, not to read and not to write one.
func TestElection_DisabledReadsNoLease(t *testing.T) {
	for _, what := range []schedulerProgram{orrery, kubeScheduler} {
		t.Run(what.name(), func(t *testing.T) {
			s := newScene(t, threeNodes()...)
			p := s.scheduleAs(rival, what, "--leader-elect=false", "--feature-gates=CoordinatedLeaderElection=true")
			s.eventually(p.ready)
			s.pods(20, "a", "10m")
			s.bound(20)
			for _, a := range s.audited() {
				if a.User.Username == rival && strings.HasPrefix(a.ObjectRef.Resource, "lease") {
					t.Errorf("it was asked to %s %s", a.Verb, a.ObjectRef.Resource)
				}
			}
			if len(s.acts("pods")) == 0 {
				t.Error("the log tells nothing at all")
			}
		})
	}
}
