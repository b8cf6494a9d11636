package diagnose_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// Two pods of a gang of three have a place, and wait for the third.
func TestPod_WaitsForItsGang(t *testing.T) {
	member := func(name string) *v1.Pod {
		pod := mk.Pod(name).CPU("1").InGroup("train", "workers").Obj()
		mk.Replica(pod, "0")
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
	fixes := fix.OfGang(e, g)
	text := ""
	for _, line := range g.Lines() {
		text += "gang: " + line + "\n"
	}
	for _, f := range fixes {
		text += fmt.Sprintf("gang tried: %s (%s)\n", f.Text, change.Words(f.Changes))
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
		for _, r := range fix.OfGang(e, g) {
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
				if pod := e.Store().Pod(p.Pod.Namespace, p.Pod.Name); gangs.KeyOf(pod).Workload == "train" && p.Kind == whatif.Placed {
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

// Of a cluster that is only read, pods that wait on Permit of its own scheduler are known by their nominations.
func TestGang_DeadlockOfNominatedPods(t *testing.T) {
	e := engineWithGates(t, "GenericWorkload=true GangScheduling=true", node("n", "4").Pods("20").Obj(),
		mk.Workload("train", mk.Gang("workers", 3)), mk.Workload("tune", mk.Gang("workers", 3)))
	for _, gang := range []string{"train", "tune"} {
		for i := range 3 {
			pod := mk.Pod(fmt.Sprintf("%s-%d", gang, i)).CPU("1").InGroup(gang, "workers")
			if i < 2 {
				pod.Nominated("n")
			}
			if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: pod.Obj()}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	g, err := diagnose.GangOfPod(e, e.Store().Pod("default", "train-2"))
	if err != nil {
		t.Fatal(err)
	}
	if g.State != gangs.Pending || g.Trial.Placed != 2 || g.Trial.First != "train-2" || len(g.Rivals) != 1 || !g.Rivals[0].Deadlock() {
		t.Errorf("got %+v with the trial %+v and the rivals %+v", g, g.Trial, g.Rivals)
	}
	if len(g.Members) != 3 || g.Members[0].Node != "n" {
		t.Errorf("the members are %+v", g.Members)
	}
}

// A group with another policy is no gang, and neither is any group with the gate off.
func TestGang_OfNone(t *testing.T) {
	for gates, policy := range map[string]string{"GenericWorkload=true GangScheduling=true": "helpers", "GenericWorkload=true": "workers"} {
		pod := mk.Pod("web").CPU("1").InGroup("train", policy).Obj()
		e := engineWithGates(t, gates, mk.Workload("train", mk.Gang("workers", 1), mk.BasicGroup("helpers")), pod)
		if g, err := diagnose.GangOfPod(e, pod); g != nil || err != nil {
			t.Errorf("with %s, group %s is %+v, %v", gates, policy, g, err)
		}
		if keys := diagnose.GangsOf(e, "default", "train"); len(keys) != 2 {
			t.Errorf("the groups are %v", keys)
		}
	}
	plain := mk.Pod("plain").Obj()
	if g, err := diagnose.GangOfPod(engineWith(t, plain), plain); g != nil || err != nil {
		t.Errorf("a pod of no group is of gang %+v, %v", g, err)
	}
}

// A gang that fits waits for nothing but the turns of its pods, and needs no change.
func TestGang_GoesByItself(t *testing.T) {
	e := largeGang(t, 3, 2)
	g, err := diagnose.GangOf(e, large)
	if err != nil {
		t.Fatal(err)
	}
	if fixes := fix.OfGang(e, g); !g.Trial.Fits || !*g.Goes || len(fixes) > 0 || g.HeldBackBy != "train-0" || g.Why != "fits, and is in activeQ" {
		t.Errorf("got %+v with the trial %+v", g, g.Trial)
	}
	lines := g.Lines()
	if last := lines[len(lines)-1]; last != "it goes when its pods have their turns" {
		t.Errorf("got %q", lines)
	}
}
