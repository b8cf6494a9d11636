package live_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/shadow"
	"orrery/core/parity/apiserver"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// kube-scheduler rolls StatefulSets with claims out, while "orrery record" and a shadow look on. Each decision of kube-scheduler
// is one that Orrery would have made, or is explained by an event that the two received at different times; and the
// recording, with its claims and volumes, replays to the same decisions.
func TestStorage_RecordedAndShadowed(t *testing.T) {
	pods := count(t, 100)
	s := newRollout(t, pods, provisioningTakes)
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rollout.orrery")
	s.eventually(s.startKubeScheduler().ready)
	record := s.exec("record", "--output=json", "--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig), "--out="+file)
	results := s.shadow()
	s.eventually(func() error { // it exists once the recording has the first lists
		_, err := os.Stat(file)
		return err
	})
	pods = s.rollout(pods, v1.DoNotSchedule)
	s.waitRunning(pods)
	var seen shadow.Counters
	s.eventually(func() error {
		var differs []string
		if seen, differs = results(); seen.Differs > 0 {
			t.Fatalf("%+v: %q", seen, differs)
		}
		if n := seen.Compared() - seen.Unschedulable; n < uint64(pods) {
			return fmt.Errorf("only %d of %d bindings were compared: %+v", n, pods, seen)
		}
		return nil
	})
	_ = record.Process.Signal(syscall.SIGINT)
	if code := record.exit(); code != 0 {
		t.Fatalf("recording: exit code %d: %s", code, record.output)
	}
	// The recording's own comparison allows half a second between the times at which the two see an event. On a loaded machine
	// kube-scheduler sees a claim later than that after its pod; the shadow above allows for it, and no decision differs.
	if err := record.logged(`"agreed": *[1-9][0-9]*,\s*"explained": *[0-9]+`); err != nil {
		t.Errorf("%v: %s", err, record.output)
	}
	s.checkRecording(file)
	t.Logf("%d pods; the shadow: %+v; %s", pods, seen, record.output)
}

// checkRecording replays a recording and compares the volumes and claims at its end with the API server's.
func (s *storageFixture) checkRecording(file string) {
	s.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	e, report, err := play.Replay(bytes.NewReader(data), play.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	if !report.OK() || !report.Exact || report.DigestDiffers || report.Refused > 0 || report.Decisions == 0 {
		s.t.Errorf("the recording's replay: %+v", report)
	}
	for kind, want := range map[world.Kind]int{
		world.PersistentVolume: len(s.volumes()), world.PersistentVolumeClaim: len(s.claims()), world.StorageClass: 3, world.CSINode: len(s.nodes), world.CSIDriver: 1,
	} {
		if got := e.Store().Len(kind); got != want {
			s.t.Errorf("the recording ends with %d objects of kind %s, want %d", got, kind, want)
		}
	}
	s.t.Logf("%d bytes: %+v", len(data), report)
}
