package diagnose_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	v1 "k8s.io/api/core/v1"

	"orrery/core/diagnose"
	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/whatif"
	"orrery/core/whatif/change"
	"orrery/core/world"
)

// Two pods of a gang of three have a place, and wait for the third.
func TestPod_WaitsForItsGang(t *testing.T) {
	member := func(name string) *v1.Pod {
		pod := mk.Pod(name).CPU("1").InGroup("train", "workers").Obj()
		pod.Spec.WorkloadRef.PodGroupReplicaKey = "0"
		return pod
	}
	gang := mk.Workload("train", mk.Gang("workers", 3))
	e := engineWithGates(t, "GenericWorkload=true GangScheduling=true", mk.Node("n").CPU("2").Pods("10").Obj(), gang, member("a"), member("b"), member("c"))
	for more := true; more; {
		_, more = e.Step()
	}
	waits := "waits for its gang train/workers/0 until 2026-03-01T06:05:00Z: of at least 3 pods 2 have a place, and c has none"
	for name, want := range map[string]string{"a": waits, "b": waits, "c": ""} {
		d, err := diagnose.Pod(e, world.PodRefOf(member(name)))
		if err != nil {
			t.Fatal(err)
		}
		if d.Waiting != want {
			t.Errorf("pod %s: %q, want %q", name, d.Waiting, want)
		}
	}
}

// gangAnswer is what is known of the gang of default/web; empty if it is of none.
func gangAnswer(t *testing.T, e *engine.Engine) string {
	t.Helper()
	g := gangOfWeb(t, e)
	if g == nil {
		return ""
	}
	text := ""
	for _, line := range g.Lines() {
		text += "gang: " + line + "\n"
	}
	for _, r := range g.Remedies {
		text += fmt.Sprintf("gang tried: %s, goes after %s (%s)\n", r.Text, r.At.Sub(e.Now()), change.Words(r.Changes))
	}
	return text
}

func gangOfWeb(t *testing.T, e *engine.Engine) *diagnose.Gang {
	t.Helper()
	before := e.Digest()
	g, err := diagnose.GangOfPod(e, e.Store().Pod("default", "web"))
	if err != nil {
		t.Fatal(err)
	}
	if e.Digest() != before {
		t.Error("diagnosing changed the engine")
	}
	return g
}

// Every remedy of a story about a gang gives enough of its pods a node in a what-if, too, where all controllers act.
func TestStories_GangRemediesAgreeWithWhatIf(t *testing.T) {
	files, err := filepath.Glob("testdata/gang-*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no stories", err)
	}
	tried := 0
	for _, file := range files {
		story, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, _ := diagnosed(t, string(story.Files[0].Data), string(story.Files[1].Data))
		g := gangOfWeb(t, e)
		for _, r := range g.Remedies {
			tried++
			least := g.MinCount
			if c := r.Changes[0]; c.Verb == change.SetMinCount {
				least = c.Count
			}
			a, err := whatif.Evaluate(e, r.Changes, whatif.Options{})
			if err != nil {
				t.Fatal(err)
			}
			placed := 0
			for _, p := range a.Pods {
				if pod := e.Store().Pod(p.Pod.Namespace, p.Pod.Name); pod.Spec.WorkloadRef != nil && pod.Spec.WorkloadRef.Name == "train" && p.Kind == whatif.Placed {
					placed++
				}
			}
			if placed < least || a.Truncated {
				t.Errorf("%s: what if %s: %d pods of the gang are placed, want %d; %+v", filepath.Base(file), change.Words(r.Changes), placed, least, a)
			}
		}
	}
	if tried < 8 {
		t.Errorf("%d remedies were tried", tried)
	}
}
