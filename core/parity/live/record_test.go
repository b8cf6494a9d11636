package live_test

import (
	"path/filepath"
	"testing"

	"orrery/core/parity/apiserver"
)

// The recording starts while kube-scheduler schedules a burst: decisions made before are not compared.
func TestRecord_ReplaysExactly(t *testing.T) {
	const nodes = 20
	s := newFixture(t, workloadNodes(nodes)...)
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cluster.orrery")
	s.eventually(s.startKubeScheduler().ready)
	if _, err := orrery.file(); err != nil { // built before the burst, not during it
		t.Fatal(err)
	}
	m := newWorkload(s, nodes)
	wait := m.burst(1000)
	record := s.exec("record", "--output=json", "--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig), "--for=6s", "--out="+file)
	stop := s.streamPods()
	if code := record.exit(); code != 0 {
		t.Fatalf("recording: exit code %d: %s", code, record.output)
	}
	stop()
	wait()
	m.waitBound()
	if err := record.logged(`"agreed": *[1-9][0-9]*,\s*"explained": *[0-9]+,\s*"differs": *0\b`); err != nil {
		t.Errorf("%v: %s", err, record.output)
	}
	replay := s.exec("replay", "--verify", file)
	if code := replay.exit(); code != 0 {
		t.Errorf("replaying the recording: exit code %d: %s", code, replay.output)
	}
	if err := replay.logged(`is decided as recorded: [0-9,]+ decisions, digest`); err != nil {
		t.Errorf("%v: %s", err, replay.output)
	}
	t.Logf("%s%s", record.output, replay.output)
}
