package live_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"orrery/core/parity/apiserver"
)

// The recording starts while kube-scheduler schedules a burst: decisions made before are not compared. Of the others none
// differs in a shadow beside it, which allows for more time between what the two see than the recording's own comparison.
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
	record := s.exec("record", "--output=json", "--kubeconfig="+kubeconfig, "--config="+s.configFile(kubeconfig), "--out="+file)
	results := s.shadow()
	s.eventually(func() error { // it exists once the recording has the first lists
		_, err := os.Stat(file)
		return err
	})
	const later = 50
	s.pods(later, "later", "10m")
	wait()
	m.waitBound()
	m.waitCompared(results, later)
	_ = record.Process.Signal(syscall.SIGINT)
	if code := record.exit(); code != 0 {
		t.Fatalf("recording: exit code %d: %s", code, record.output)
	}
	if err := record.logged(`"agreed": *[1-9][0-9]*,\s*"explained": *[0-9]+`); err != nil {
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
