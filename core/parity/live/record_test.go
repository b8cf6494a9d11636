package live_test

import (
	"path/filepath"
	"testing"

	"orrery/core/parity/apiserver"
)

// The recording begins while kube-scheduler is at work on a burst: nothing that was decided unseen is held against it.
func TestRecord_ReplaysExactly(t *testing.T) {
	const nodes = 20
	s := newScene(t, mixtureNodes(nodes)...)
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cluster.orrery")
	s.eventually(s.steadily().ready)
	if _, err := orrery.file(); err != nil { // built before the burst, not during it
		t.Fatal(err)
	}
	m := newMixture(s, nodes)
	wait := m.burst(1000)
	record := s.exec("record", "--output=json", "--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig), "--for=6s", "--out="+file)
	stop := s.streamPods()
	if code := record.exit(); code != 0 {
		t.Fatalf("recording: exit code %d: %s", code, record.said)
	}
	stop()
	wait()
	m.settled()
	if err := record.says(`"agreed": *[1-9][0-9]*,\s*"explained": *[0-9]+,\s*"differs": *0\b`); err != nil {
		t.Errorf("%v: %s", err, record.said)
	}
	replay := s.exec("replay", "--verify", file)
	if code := replay.exit(); code != 0 {
		t.Errorf("replaying the recording: exit code %d: %s", code, replay.said)
	}
	if err := replay.says(`is decided as recorded: [0-9,]+ decisions, digest`); err != nil {
		t.Errorf("%v: %s", err, replay.said)
	}
	t.Logf("%s%s", record.said, replay.said)
}
