package live_test

import (
	"path/filepath"
	"testing"

	"orrery/core/parity/apiserver"
)

func TestARecordingOfAClusterIsDecidedAgainAsItWas(t *testing.T) {
	s := newScene(t, threeNodes()...)
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cluster.orrery")
	theirs := s.scheduleAs(scheduler, kubeScheduler)
	s.eventually(theirs.ready)
	record := s.exec("record", "--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig), "--for=6s", "--out="+file)
	stop := s.streamPods()
	if code := record.exit(); code != 0 {
		t.Fatalf("recording: exit code %d: %s", code, record.said)
	}
	s.bound(stop())
	replay := s.exec("replay", "--verify", file)
	if code := replay.exit(); code != 0 {
		t.Errorf("replaying the recording: exit code %d: %s", code, replay.said)
	}
	if err := replay.says(`is decided as recorded: [0-9,]+ decisions, digest`); err != nil {
		t.Errorf("%v: %s", err, replay.said)
	}
	t.Logf("%s%s", record.said, replay.said)
}
