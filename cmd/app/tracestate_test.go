package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orrery/core/testing/race"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo"
)

// Every command that reads a trace reads one that begins with a state, or says why it does not.
func TestTraceFromState_IsReadByEveryCommand(t *testing.T) {
	race.Alone(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "half.orrery")
	pod := recordFromState(t, file, "morning-rush")
	config := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(config, []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"replay", "--verify", file}, 0, "is decided as recorded"},
		{[]string{"trace", "info", file}, 0, "beginning with its state in the middle of it"},
		{[]string{"trace", "info", file}, 0, "1, from each of which a replay can go on"},
		{[]string{"trace", "cut", file, "--from", "+20s", "--out", filepath.Join(dir, "cut.orrery")}, 0, "wrote"},
		{[]string{"replay", "--verify", filepath.Join(dir, "cut.orrery")}, 0, "is decided as recorded"},
		{[]string{"compare", file, "--config", config}, 0, "pods"},
		{[]string{"demo", file}, 0, "default/"},
		{[]string{"explain", pod, "--trace", file, "--at", "+10s"}, 0, pod},
		{[]string{"explain", pod, "--trace", file, "--at", "+10s", "-o", "json"}, 0, "\"name\""},
	} {
		var out, problems bytes.Buffer
		if code := execute("orrery", row.args, &out, &problems, nil); code != row.code || !strings.Contains(out.String(), row.want) {
			t.Errorf("orrery %q: exit code %d, %q, %q; want %d and %q", row.args, code, out.String(), problems.String(), row.code, row.want)
		}
	}
	salt := filepath.Join(dir, "salt")
	if err := os.WriteFile(salt, []byte("salt and pepper"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	code := execute("orrery", []string{"trace", "hash", file, "--salt-file", salt, "--out", filepath.Join(dir, "hashed.orrery")}, &out, &problems, nil)
	if code == 0 || !strings.Contains(problems.String(), "a scheduler's state, in which names cannot be replaced") {
		t.Errorf("hashing names: exit code %d, %q", code, problems.String())
	}
}

// recordFromState writes the second half of an embedded recording, from the scheduler's state on. It returns a pod that was there then.
func recordFromState(t *testing.T, file, name string) (pod string) {
	t.Helper()
	recording, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := play.NewPlayer(recording, play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	half := len(p.Records()) / 2
	if err := p.SeekRecord(half); err != nil {
		t.Fatal(err)
	}
	state, err := play.StateOf(p.Engine())
	if err != nil {
		t.Fatal(err)
	}
	h := p.Header()
	h.Origin, h.Start = trace.FromState, p.Engine().Now()
	to, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	w, err := trace.NewWriter(to, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append([]trace.Record{{At: h.Start, Body: state}}, p.Records()[half:]...) {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for o := range p.Engine().Store().Objects(world.Pod) {
		pod = o.GetNamespace() + "/" + o.GetName()
	}
	return pod
}
