package play_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// eventLog is a follower that logs everything it observes.
type eventLog struct{ lines []string }

func (d *eventLog) Applied(in world.Input, err error) {
	line := fmt.Sprintf("told %s %T %v", in.At.Format("05.000000"), in.Event, err)
	if ended, ok := in.Event.(world.EffectDone); ok {
		line += fmt.Sprintf(" of %d", ended.Effect)
	}
	d.lines = append(d.lines, line)
}

func (d *eventLog) Stepped(decision *engine.Decision) {
	if decision != nil {
		d.lines = append(d.lines, fmt.Sprintf("decided %d %s %s %s", decision.Seq, decision.Pod, decision.Verdict, decision.Node))
	}
}

func (d *eventLog) Emitted(e world.Effect) {
	d.lines = append(d.lines, fmt.Sprintf("wanted %d %T", e.ID, e.Action))
}

func (d *eventLog) Fork() play.Follower { return &eventLog{append([]string(nil), d.lines...)} }

func newEventLog(*engine.Engine) play.Follower { return &eventLog{} }

// TestFollower_ObservesWhatTheRecordersObserverDid compares two logs: one of an engine driven in its world, and one of
// its replay.
func TestFollower_ObservesWhatTheRecordersObserverDid(t *testing.T) {
	for seed := range uint64(4) {
		var file bytes.Buffer
		live, e := &eventLog{}, newEngine(t, options(seed))
		r, err := play.NewRecorder(&file, e, options(seed), play.About{})
		if err != nil {
			t.Fatal(err)
		}
		drive.Run(simulatedCluster(seed, 60), start.Add(sceneLength), drive.NewScheduler(e, drive.Observers{r, live}))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		var again *eventLog
		_, report := replay(t, file.Bytes(), play.Options{Follower: func(*engine.Engine) play.Follower {
			again = &eventLog{}
			return again
		}})
		if !report.OK() {
			t.Fatal(report.First)
		}
		if diff := cmp.Diff(live.lines, again.lines); diff != "" {
			t.Errorf("scene %d: the replay's follower was told something else (-live +replayed):\n%s", seed, diff)
		}
	}
}

func TestFollower_IsForkedWithTheEngine(t *testing.T) {
	_, file := recorded(t, 9, 80, play.About{})
	open := func() *play.Player {
		p, err := play.NewPlayer(bytes.NewReader(file), play.Options{Follower: newEventLog})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	lines := func(p *play.Player) []string { return p.Follower().(*eventLog).lines }
	straight := open()
	if err := straight.SeekRecord(straight.End().Record); err != nil {
		t.Fatal(err)
	}
	whole := lines(straight)
	p := open()
	logged := map[int]int{} // log lines by the number of records played
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(0, 40).Draw(rt, "prefetched") {
			if _, _, err := p.Prefetch(); err != nil {
				rt.Fatal(err)
			}
		}
		to := rapid.IntRange(0, len(p.Records())).Draw(rt, "record")
		if err := p.SeekRecord(to); err != nil {
			rt.Fatal(err)
		}
		got := lines(p)
		if len(got) > len(whole) || !slices.Equal(whole[:len(got)], got) {
			rt.Fatalf("at record %d the follower remembers something else than on the straight way", to)
		}
		if before, known := logged[to]; known && before != len(got) {
			rt.Fatalf("at record %d the follower remembers %d lines, and remembered %d", to, len(got), before)
		}
		logged[to] = len(got)
		if n := p.Engine().Counters().Inputs; n > uint64(len(got)) {
			rt.Fatalf("at record %d the engine has heard %d inputs, the follower %d lines", to, n, len(got))
		}
	})
	if err := p.SeekRecord(p.End().Record); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, lines(p)); diff != "" {
		t.Errorf("at the end (-straight +sought):\n%s", diff)
	}
}

func TestFollower_ObservesLooseReplay(t *testing.T) {
	o := options(4)
	e, c := newEngine(t, o), simulatedCluster(4, 80)
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{})
	if err != nil {
		t.Fatal(err)
	}
	drive.Run(c, start.Add(sceneLength), drive.NewScheduler(e, r))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var kept *eventLog
	again, report := replay(t, cut(t, file.Bytes(), start.Add(sceneLength/2)), play.Options{Follower: func(*engine.Engine) play.Follower {
		kept = &eventLog{}
		return kept
	}})
	counters := again.Counters()
	var decisions uint64
	for _, n := range counters.Decisions {
		decisions += n
	}
	if report.Exact || decisions == 0 || uint64(len(kept.lines)) < counters.Inputs+decisions {
		t.Errorf("after %d inputs and %d decisions the follower remembers %d lines", counters.Inputs, decisions, len(kept.lines))
	}
}

// TestPrefetch_ShortensSeeks counts what a follower observes on seeks to any record, before and after prefetching.
func TestPrefetch_ShortensSeeks(t *testing.T) {
	_, file := recorded(t, 1, 300, play.About{})
	p := player(t, file)
	if err := p.SeekRecord(10); err != nil {
		t.Fatal(err)
	}
	if err := p.PrefetchAll(nil); err != nil {
		t.Fatal(err)
	}
	if p.At().Record != 10 || p.Report().Records != uint64(len(p.Records())) || !p.Report().OK() {
		t.Errorf("after the prefetch the player stands at %v, and the report says %+v", p.At(), p.Report())
	}
	for to := range len(p.Records()) {
		from, ok := p.NearestFork(to)
		if most := len(p.Records()) / 5; !ok || to-from > most {
			t.Fatalf("record %d is reached from %d: of %d records, at most %d may lie between", to, from, len(p.Records()), most)
		}
	}
	if n := p.ForkCount(); n > play.MaxForks {
		t.Errorf("%d forks are kept, and at most %d may be", n, play.MaxForks)
	}
}

func TestPrefetch_ContinuesAfterThePlayerOvertakesIt(t *testing.T) {
	_, file := recorded(t, 5, 60, play.About{})
	straight, p := player(t, file), player(t, file)
	if err := straight.SeekRecord(straight.End().Record); err != nil {
		t.Fatal(err)
	}
	for more, n := true, 0; more; n++ {
		var err error
		if _, more, err = p.Prefetch(); err != nil {
			t.Fatal(err)
		}
		if n%17 == 0 {
			if err := p.SeekRecord(min(n*2, len(p.Records()))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(*straight.Report(), *p.Report()); diff != "" {
		t.Errorf("the reports differ (-straight +prefetched):\n%s", diff)
	}
}
