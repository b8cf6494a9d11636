package play_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

func TestReplay_HasTheRecordedDigest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed, pods := rapid.Uint64Range(0, 1<<20).Draw(rt, "seed"), rapid.IntRange(0, 60).Draw(rt, "pods")
		e, file := recorded(t, seed, pods, play.About{})
		again, report := replay(t, file, play.Options{})
		if !report.OK() {
			rt.Fatalf("the replay differs: %v", report.First)
		}
		if e.Digest() != again.Digest() {
			rt.Fatalf("replayed to %v, recorded %v", again.Digest(), e.Digest())
		}
		if report.Damage != nil || !report.Exact || report.Decisions != report.Same {
			rt.Fatalf("the report says %+v", *report)
		}
	})
}

func TestReplay_ReportsOtherSeedOrConfiguration(t *testing.T) {
	_, file := recorded(t, 1, 60, play.About{})
	_, report := replay(t, file, play.Options{Adjust: func(o *engine.Options) { o.Seed++ }})
	if report.OK() || report.Different == 0 {
		t.Fatalf("another seed makes no difference: %+v", *report)
	}
	first := report.First
	if first.Recorded == nil || first.Replayed == nil || first.Recorded.Node == first.Replayed.Node {
		t.Errorf("the first difference is %v, want two nodes", first)
	}
	if text := first.String(); !strings.Contains(text, "recorded default/pod-") || !strings.Contains(text, ", and now default/pod-") {
		t.Errorf("the difference reads %q", text)
	}
}

func TestHeaderOf_KeepsOptions(t *testing.T) {
	o := engine.Options{Seed: 1 << 63, Start: start, TieBreak: engine.ByHeap, RequeueRule: 1, PodMaxInUnschedulablePodsDuration: time.Minute, Shadow: true}
	h, err := play.HeaderOf(o)
	if err != nil {
		t.Fatal(err)
	}
	back, err := play.OptionsOf(h)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := play.HeaderOf(back); err != nil || again.Configuration != h.Configuration || again.Seed != h.Seed {
		t.Errorf("options and back give another header: %v, %v", again, err)
	}
	if !back.Shadow || back.TieBreak != o.TieBreak || back.RequeueRule != o.RequeueRule || back.PodMaxInUnschedulablePodsDuration != o.PodMaxInUnschedulablePodsDuration || !back.Start.Equal(start) {
		t.Errorf("options come back as %+v", back)
	}
	h.TieBreak = "coin"
	if _, err := play.OptionsOf(h); err == nil || !strings.Contains(err.Error(), "use a newer one") {
		t.Errorf("an unknown tie break gives %v", err)
	}
}

func TestVerdict_NamesMatchTheEngines(t *testing.T) {
	for v := engine.Placed; v <= engine.Skipped; v++ {
		if got := trace.Verdict(v).String(); got != v.String() {
			t.Errorf("verdict %d is %q here and %q in the engine", v, got, v)
		}
	}
}

func TestReplay_StopsAtDamage(t *testing.T) {
	_, file := recorded(t, 2, 60, play.About{})
	_, report := replay(t, file[:len(file)-3], play.Options{})
	if report.Damage == nil || !report.OK() {
		t.Errorf("the report says %+v, want damage and no difference", *report)
	}
}

// cut returns a recording from a time on.
func cut(t *testing.T, file []byte, from time.Time) []byte {
	t.Helper()
	var part bytes.Buffer
	if err := trace.Cut(bytes.NewReader(file), &part, from, time.Time{}); err != nil {
		t.Fatal(err)
	}
	return part.Bytes()
}

func TestReplay_OfSnapshotIsLoose(t *testing.T) {
	o := options(4)
	e, c := newEngine(t, o), simulatedCluster(4, 80)
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{})
	if err != nil {
		t.Fatal(err)
	}
	drive.Run(c, start.Add(sceneLength+time.Minute), drive.NewScheduler(e, r))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, report := replay(t, cut(t, file.Bytes(), start.Add(sceneLength/2)), play.Options{})
	if report.Exact || report.Same == 0 || report.Decisions != report.Same+report.Different+report.Missing {
		t.Errorf("the report says %+v, want a loose replay with some decisions the same", *report)
	}
	for _, b := range again.Bindings() {
		t.Errorf("in the replay the binding of %s never ends", b.Pod)
	}
	if err := again.Check(); err != nil {
		t.Error(err)
	}
}

func TestRecorder_WritesMarks(t *testing.T) {
	kinds := map[trace.MarkKind]int{}
	for seed := range uint64(8) {
		_, file := recorded(t, seed, 60, play.About{})
		for _, m := range infoOf(t, file).Marks {
			kinds[m.Mark.Kind]++
		}
	}
	if kinds[trace.Preemption] == 0 || kinds[trace.FirstFailure] != 8 {
		t.Errorf("eight scenes have the marks %v, want preemptions and eight first failures", kinds)
	}
}
