package live_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"orrery/core/parity/apiserver"
	"orrery/core/trace/segments"
	"orrery/core/trace/stream"
)

// attach runs "orrery attach" as an administrator, which finds the leader of the fixture's lease.
func (s *fixture) attach(target ...string) *process {
	s.t.Helper()
	return s.exec(append([]string{
		"attach", "--output=json", "--since=0s", "--kubeconfig=" + s.adminKubeconfig(),
		"--leader-elect-resource-name=" + s.lease,
	}, target...)...)
}

func (s *fixture) adminKubeconfig() string {
	s.t.Helper()
	file, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		s.t.Fatal(err)
	}
	return file
}

// A reader finds the leader by its lease, reaches its pod by the API server's port-forward, and sees each decision. When the leader is killed
// it says so, finds the next one, and sees its decisions.
func TestAttach_FollowsFailover(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.leaseDuration = s.shortLease()
	k := s.startKubelet("node-0")
	first := k.runAs("attached-1", nil, func() *process { return s.schedule() })
	s.eventually(func() error { return first.logged("Successfully acquired lease") })
	s.eventually(first.ready)
	second := k.runAs("attached-2", nil, func() *process { return s.schedule() })
	s.eventually(second.ready)

	reader := s.attach()
	s.eventually(func() error { return reader.printedState("attached", "attached-1") })
	s.pods(20, "before", "10m")
	s.eventually(func() error { return s.printedBindings(reader, "before", 20) })

	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error { return reader.printedState("lost", "attached-1") })
	s.eventually(func() error { return reader.printedState("attached", "attached-2") })
	s.pods(20, "after", "10m")
	s.eventually(func() error { return s.printedBindings(reader, "after", 20) })
	reader.checkSame()
}

// explain is answered by the scheduler that runs, about a pod that it could not place.
func TestAttach_Explains(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	k := s.startKubelet("node-0")
	p := k.runAs("explained-1", nil, func() *process { return s.schedule() })
	s.eventually(func() error { return p.logged("Successfully acquired lease") })
	s.eventually(p.ready)
	s.pods(1, "huge", "1000")
	s.eventually(func() error {
		explain := s.exec("explain", "default/huge-0", "--attach", "--kubeconfig="+s.adminKubeconfig(), "--leader-elect-resource-name="+s.lease)
		explain.exit()
		return explain.logged("(?s)huge-0.*Insufficient cpu")
	})
}

// A reader that takes nothing is dropped, and said to be. Another one goes on, and so does scheduling.
func TestAttach_DropsStalledReader(t *testing.T) {
	pods := count(t, 600)
	s := newFixture(t, nodesFor(2*pods)...)
	p := s.schedule()
	s.eventually(p.ready)
	s.eventually(func() error { return p.logged("Successfully acquired lease") })

	// What the reader has not taken beyond the window is left with the server.
	client := http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true,
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: 16 << 10, MaxReceiveBufferPerConnection: 64 << 10},
	}}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d%s", p.port, stream.Path), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+apiserver.Admin)
	stalled, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.Body.Close()
	if stalled.StatusCode != http.StatusOK || stalled.ProtoMajor != 2 {
		t.Fatalf("%s %s", stalled.Proto, stalled.Status)
	}
	for round := 0; p.logged(`A reader left the stream"[^\n]*the reader took more than 10 s`) != nil; round++ {
		if round == 10 {
			t.Fatal("the reader is not dropped")
		}
		s.pods(pods/10, fmt.Sprintf("round%d", round), "10m")
		s.eventually(func() error { return s.atLeastBound((round + 1) * (pods / 10)) })
		until := time.Now().Add(5 * time.Second)
		s.eventually(func() error {
			if p.logged(`A reader left the stream`) == nil || time.Now().After(until) {
				return nil
			}
			return fmt.Errorf("waiting for the reader to be dropped")
		})
	}
	s.eventually(func() error {
		_, text := p.get("/metrics", apiserver.Admin)
		if !strings.Contains(text, `orrery_stream_readers_dropped_total{reason="stalled"} 1`) {
			return fmt.Errorf("/metrics does not count the dropped reader")
		}
		return nil
	})
}

// A scheduler that is killed leaves a segment that is read up to its end, less what the last second had. The next one goes on in the same
// directory.
func TestRecordDir_SegmentCutByCrashIsRead(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.leaseDuration = s.shortLease()
	dir, began := t.TempDir(), time.Now()
	first := s.schedule("--record-dir=" + dir)
	s.eventually(first.ready)
	s.eventually(func() error { return writtenAfter(dir, began) }) // it may record only later than it is ready
	s.pods(40, "kept", "10m")
	s.bound(40)
	bound := time.Now()
	s.eventually(func() error { return writtenAfter(dir, bound.Add(2*time.Second)) })
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-first.end
	checkRecording := func(of string) {
		t.Helper()
		verify := s.exec("trace", "verify", dir)
		verify.exit()
		if err := verify.logged("is decided as recorded"); err != nil {
			t.Errorf("%s: %v: %s", of, err, verify.output)
		}
	}
	checkRecording("cut by a crash")
	explain := s.exec("explain", "default/kept-0", "--trace", dir, "--at", bound.UTC().Format(time.RFC3339Nano))
	if code := explain.exit(); code != 0 || explain.logged("kept-0") != nil {
		t.Errorf("explaining a pod of it: exit code %d: %s", code, explain.output)
	}

	second := s.schedule("--record-dir=" + dir)
	s.eventually(second.ready)
	s.pods(10, "next", "10m")
	s.bound(50)
	again := time.Now()
	s.eventually(func() error { return writtenAfter(dir, again.Add(2*time.Second)) })
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-second.end
	checkRecording("gone on with")
}

// writtenAfter returns nil once the last segment of a directory was written to after a time.
func writtenAfter(dir string, at time.Time) error {
	d, err := segments.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if last := d.Last().Modified; last.Before(at) {
		return fmt.Errorf("the last segment was written to at %v, and not after %v", last, at)
	}
	return nil
}
