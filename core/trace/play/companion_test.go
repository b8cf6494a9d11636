package play_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orrery/core/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// diary is a companion that writes down everything it hears.
type diary struct{ lines []string }

func (d *diary) Applied(in world.Input, err error) {
	line := fmt.Sprintf("told %s %T %v", in.At.Format("05.000000"), in.Event, err)
	if ended, ok := in.Event.(world.Ended); ok {
		line += fmt.Sprintf(" of %d", ended.Effect)
	}
	d.lines = append(d.lines, line)
}

func (d *diary) Stepped(decision *engine.Decision) {
	if decision != nil {
		d.lines = append(d.lines, fmt.Sprintf("decided %d %s %s %s", decision.Seq, decision.Pod, decision.Verdict, decision.Node))
	}
}

func (d *diary) Wanted(e world.Effect) {
	d.lines = append(d.lines, fmt.Sprintf("wanted %d %T", e.ID, e.Act))
}

func (d *diary) Fork() play.Companion { return &diary{append([]string(nil), d.lines...)} }

func keepDiary(*engine.Engine) play.Companion { return &diary{} }

// TestACompanionHearsWhatTheWitnessOfTheRecordingHeard compares two diaries: one of an engine that is driven in its world,
// and one of its replay.
func TestACompanionHearsWhatTheWitnessOfTheRecordingHeard(t *testing.T) {
	for seed := range uint64(4) {
		var file bytes.Buffer
		live, e := &diary{}, newEngine(t, options(seed))
		r, err := play.NewRecorder(&file, e, options(seed), play.About{})
		if err != nil {
			t.Fatal(err)
		}
		engine.DriveSeen(e, scene(seed, 60), start.Add(sceneLength), play.Witnesses{r, live})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		var again *diary
		_, report := replay(t, file.Bytes(), play.Options{Companion: func(*engine.Engine) play.Companion {
			again = &diary{}
			return again
		}})
		if !report.OK() {
			t.Fatal(report.First)
		}
		if diff := cmp.Diff(live.lines, again.lines); diff != "" {
			t.Errorf("scene %d: the replay's companion heard something else (-live +replayed):\n%s", seed, diff)
		}
	}
}

func TestACompanionGoesWhereItsEngineGoes(t *testing.T) {
	_, file := recorded(t, 9, 80, play.About{})
	open := func() *play.Player {
		p, err := play.NewPlayer(bytes.NewReader(file), play.Options{Companion: keepDiary})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	lines := func(p *play.Player) []string { return p.Companion().(*diary).lines }
	straight := open()
	if err := straight.SeekRecord(straight.End().Record); err != nil {
		t.Fatal(err)
	}
	whole := lines(straight)
	p := open()
	heard := map[int]int{} // records played, and lines by then
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(0, 40).Draw(rt, "scouted") {
			if _, _, err := p.Scout(); err != nil {
				rt.Fatal(err)
			}
		}
		to := rapid.IntRange(0, len(p.Records())).Draw(rt, "record")
		if err := p.SeekRecord(to); err != nil {
			rt.Fatal(err)
		}
		got := lines(p)
		if len(got) > len(whole) || !slices.Equal(whole[:len(got)], got) {
			rt.Fatalf("at record %d the companion remembers something else than on the straight way", to)
		}
		if before, known := heard[to]; known && before != len(got) {
			rt.Fatalf("at record %d the companion remembers %d lines, and remembered %d", to, len(got), before)
		}
		heard[to] = len(got)
		if n := p.Engine().Tally().Inputs; n > uint64(len(got)) {
			rt.Fatalf("at record %d the engine has heard %d inputs, the companion %d lines", to, n, len(got))
		}
	})
	if err := p.SeekRecord(p.End().Record); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, lines(p)); diff != "" {
		t.Errorf("at the end (-straight +sought):\n%s", diff)
	}
}

func TestAReplayThatDecidesForItselfTellsItsCompanion(t *testing.T) {
	o := options(4)
	e, c := newEngine(t, o), scene(4, 80)
	half := start.Add(sceneLength / 2)
	engine.Drive(e, c, half, nil)
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{})
	if err != nil {
		t.Fatal(err)
	}
	engine.DriveSeen(e, c, start.Add(sceneLength), r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var kept *diary
	again, report := replay(t, file.Bytes(), play.Options{Companion: func(*engine.Engine) play.Companion {
		kept = &diary{}
		return kept
	}})
	tally := again.Tally()
	var decisions uint64
	for _, n := range tally.Decisions {
		decisions += n
	}
	if report.Exact || decisions == 0 || uint64(len(kept.lines)) < tally.Inputs+decisions {
		t.Errorf("after %d inputs and %d decisions the companion remembers %d lines", tally.Inputs, decisions, len(kept.lines))
	}
}

// TestTheScoutMakesWaysShort counts what a companion is told on the way to any record, before and after the scout went.
func TestTheScoutMakesWaysShort(t *testing.T) {
	_, file := recorded(t, 1, 300, play.About{})
	p := player(t, file)
	if err := p.SeekRecord(10); err != nil {
		t.Fatal(err)
	}
	if err := p.Prepare(nil); err != nil {
		t.Fatal(err)
	}
	if p.At().Record != 10 || p.Report().Records != uint64(len(p.Records())) || !p.Report().OK() {
		t.Errorf("after the scout has gone the player stands at %v, and the report says %+v", p.At(), p.Report())
	}
	for to := range len(p.Records()) {
		from, ok := p.KeptUpTo(to)
		if most := len(p.Records()) / 5; !ok || to-from > most {
			t.Fatalf("record %d is reached from %d: of %d records, at most %d may lie between", to, from, len(p.Records()), most)
		}
	}
	if n := p.Kept(); n > play.MostForks {
		t.Errorf("%d forks are kept, and at most %d may be", n, play.MostForks)
	}
}

func TestAScoutThatIsOvertakenGoesOnFromThere(t *testing.T) {
	_, file := recorded(t, 5, 60, play.About{})
	straight, p := player(t, file), player(t, file)
	if err := straight.SeekRecord(straight.End().Record); err != nil {
		t.Fatal(err)
	}
	for more, n := true, 0; more; n++ {
		var err error
		if _, more, err = p.Scout(); err != nil {
			t.Fatal(err)
		}
		if n%17 == 0 {
			if err := p.SeekRecord(min(n*2, len(p.Records()))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(*straight.Report(), *p.Report()); diff != "" {
		t.Errorf("the reports differ (-straight +scouted):\n%s", diff)
	}
}
