//go:build processes

package live_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
	"orrery/core/scheduler/release"
)

// ownPlane starts a control plane of another release, which is the test's own until it ends.
func ownPlane(t *testing.T, r release.Release) {
	t.Helper()
	if _, err := orrery.file(); err != nil { // built where all tests find it
		t.Fatal(err)
	}
	shared, dir, of := server, scratch, served
	t.Setenv(program.Switch, r.String())
	err := startServer()
	t.Cleanup(func() {
		if err == nil {
			_ = server.Close()
		}
		_ = os.RemoveAll(scratch)
		server, scratch, served = shared, dir, of
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The API server is upgraded from one release to the next, on the same data, while pods are created. "orrery run" and a console, which began
// before, go on; then the replicas are upgraded as a Deployment does it, one after the other. No pod is lost, none is bound twice.
func TestUpgrade_ServerUnderRunAndConsole(t *testing.T) {
	newer := served
	if newer == release.Oldest || !program.HasModule(newer-1) {
		t.Skipf("there is no program of the release before %s", newer)
	}
	file, err := program.BuildOf(newer, program.KubeAPIServer)
	if err != nil {
		t.Fatal(err)
	}
	ownPlane(t, newer-1)
	pods := count(t, 300)
	s := newFixture(t, nodesFor(2*pods)...)
	s.leaseDuration = 4 * longLease // longer than the API server is away
	watches := s.watchBindings()
	first := s.schedule()
	s.eventually(first.ready)
	session := s.openConsole(apiserver.Admin, nil)
	made := s.createSlowly(pods)
	s.eventually(func() error { return s.atLeastBound(pods / 4) })

	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	server.Upgrade(file)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	version, err := s.client.Discovery().ServerVersion()
	if err != nil || version.GitVersion != "v"+newer.Patch() {
		t.Fatalf("the API server is %v: %v", version, err)
	}
	watches = append(watches, s.watchBindings()...)
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	s.bound(pods)
	s.eventually(func() error {
		if st := session.State(); st.Lost != nil {
			return st.Lost
		}
		if n := len(podsIn(session)); n != pods {
			return fmt.Errorf("the console has %d pods, want %d", n, pods)
		}
		return nil
	})

	served = newer
	second := s.scheduleAs(rival, orrery)
	s.eventually(second.follows)
	_ = first.Process.Signal(syscall.SIGTERM)
	s.eventually(func() error { return s.leads(rival) })
	for i := range pods {
		if _, err := s.create(apiserver.Pod(fmt.Sprintf("after-%d", i), "80m", "1Mi")); err != nil {
			t.Fatal(err)
		}
	}
	s.bound(2 * pods)
	s.checkBindings(append(watches, s.watchBindings()...))
	if code := first.exit(); code != 0 {
		t.Errorf("the first replica's exit code is %d", code)
	}
	for _, b := range s.bindingsWithoutLease() {
		t.Errorf("a binding without the lease: %s", b)
	}
	by := map[string]int{}
	for _, a := range s.auditedWrites("pods") {
		by[a.User.Username]++
	}
	t.Logf("from %s to %s; bindings by user: %v", release.Release(newer-1), newer, by)
}
