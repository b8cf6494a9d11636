package play_test

import (
	"bytes"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

func player(t testing.TB, file []byte) *play.Player {
	t.Helper()
	p, err := play.NewPlayer(bytes.NewReader(file), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlayer_WatchObservesEachRecordOnce seeks back and forth, prefetches, and counts the watched records.
func TestPlayer_WatchObservesEachRecordOnce(t *testing.T) {
	_, file := recorded(t, 1, 60, play.About{})
	p := player(t, file)
	var replayed []trace.Record
	inputs := uint64(0)
	p.Watch(func(r trace.Record, e *engine.Engine) {
		replayed = append(replayed, r)
		if _, ok := r.Body.(trace.Input); ok {
			inputs++
		}
		if got := e.Counters().Inputs; got != inputs {
			t.Errorf("after record %d the engine that played it has heard %d inputs, want %d", len(replayed), got, inputs)
		}
	})
	for _, n := range []int{10, 3, 40, 0, len(p.Records()) / 2} {
		if err := p.SeekRecord(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.PrefetchAll(nil); err != nil {
		t.Fatal(err)
	}
	if err := p.SeekRecord(0); err != nil {
		t.Fatal(err)
	}
	if len(replayed) != len(p.Records()) {
		t.Fatalf("it was told of %d records, and there are %d", len(replayed), len(p.Records()))
	}
	for i, r := range p.Records() {
		if replayed[i].Number != r.Number {
			t.Fatalf("record %d was told of as record %d", replayed[i].Number, r.Number)
		}
	}
}

func TestPlayer_SeekEqualsPlayingForward(t *testing.T) {
	_, file := recorded(t, 5, 120, play.About{})
	p := player(t, file)
	rapid.Check(t, func(rt *rapid.T) {
		to := rapid.IntRange(0, len(p.Records())).Draw(rt, "record")
		straight := player(t, file)
		for straight.At().Record < to {
			if err := straight.SeekRecord(straight.At().Record + 1); err != nil {
				rt.Fatal(err)
			}
		}
		if err := p.SeekRecord(to); err != nil {
			rt.Fatal(err)
		}
		if p.At() != straight.At() {
			rt.Fatalf("stands at %v, want %v", p.At(), straight.At())
		}
		if got, want := p.Engine().Digest(), straight.Engine().Digest(); got != want {
			rt.Fatalf("after %d records the digest is %v, and %v played straight", to, got, want)
		}
		if err := p.Engine().Check(); err != nil {
			rt.Fatal(err)
		}
	})
	if !p.Report().OK() {
		t.Errorf("on the way something differed: %v", p.Report().First)
	}
}

func TestPlayer_SeekIncludesTheWholeInstant(t *testing.T) {
	_, file := recorded(t, 7, 60, play.About{})
	p := player(t, file)
	if err := p.PrefetchAll(nil); err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{sceneLength, time.Second, 90 * time.Second, 0, 89 * time.Second, -time.Second} {
		to := start.Add(after)
		if err := p.Seek(to); err != nil {
			t.Fatal(err)
		}
		at := p.At()
		if after >= 0 && at.Time.After(to) {
			t.Errorf("seeking to %v ended at %v", after, at.Time.Sub(start))
		}
		if at.Record < len(p.Records()) && !p.Records()[at.Record].At.After(to) {
			t.Errorf("seeking to %v left out a record of %v", after, p.Records()[at.Record].At.Sub(start))
		}
		if !p.Engine().Now().Equal(at.Time) {
			t.Errorf("the engine's time is %v and the player's %v", p.Engine().Now(), at.Time)
		}
	}
}

func TestPlayer_StepInputAndStepDecision(t *testing.T) {
	_, file := recorded(t, 8, 30, play.About{})
	p := player(t, file)
	inputs, decisions := 0, 0
	for {
		r, ok, err := p.StepInput()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if _, is := r.Body.(trace.Input); !is {
			t.Fatalf("stepping to an input stopped at %T", r.Body)
		}
		inputs++
	}
	if err := p.SeekRecord(0); err != nil {
		t.Fatal(err)
	}
	for {
		r, ok, err := p.StepDecision()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		for d := range p.Engine().Decisions() {
			if recorded := r.Body.(trace.Decision); d.Seq != recorded.Seq {
				t.Fatalf("stopped at decision %d, and the engine made %d last", recorded.Seq, d.Seq)
			}
			break
		}
		decisions++
	}
	info := infoOf(t, file)
	if uint64(inputs) != info.Inputs || uint64(decisions) != info.Decisions {
		t.Errorf("stepped over %d inputs and %d decisions, of %d and %d", inputs, decisions, info.Inputs, info.Decisions)
	}
	if r := p.Report(); r.Decisions != info.Decisions || r.Records != uint64(len(p.Records())) {
		t.Errorf("played twice, the report counts %d decisions and %d records, want every one once", r.Decisions, r.Records)
	}
}

func TestFlightRecorder_PlaysAndSaves(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes int64
		whole bool
	}{
		{"with room for everything", 1 << 30, true},
		{"with room for the end", 400 << 10, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t, options(10))
			f, err := play.NewFlightRecorder(e, options(10), c.bytes)
			if err != nil {
				t.Fatal(err)
			}
			drive.Run(simulatedCluster(10, 150), start.Add(sceneLength), drive.NewScheduler(e, f))
			if f.Err() != nil || f.Bytes() > c.bytes {
				t.Errorf("%d bytes are kept, and at most %d are allowed; %v", f.Bytes(), c.bytes, f.Err())
			}
			if f.Since().After(start) == c.whole {
				t.Errorf("everything is kept since %v", f.Since())
			}
			p, err := f.Player()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.SeekRecord(p.End().Record); err != nil {
				t.Fatal(err)
			}
			if p.Engine().Digest() != e.Digest() || !p.Report().OK() || p.Report().Decisions == 0 {
				t.Errorf("played back to %v, it is %v: %v", p.Engine().Digest(), e.Digest(), p.Report().First)
			}
			var file bytes.Buffer
			if err := f.Save(&file, play.About{Program: "test"}); err != nil {
				t.Fatal(err)
			}
			_, report := replay(t, file.Bytes(), play.Options{})
			if !report.Exact || !report.OK() || report.Damage != nil || report.Decisions != p.Report().Decisions {
				t.Errorf("the saved flight's report is %+v", *report)
			}
		})
	}
}

// A recorder that has to take less in between plays and saves what it still holds, to the bit.
func TestFlightRecorder_Shrinks(t *testing.T) {
	const bound = 2 << 20
	e := newEngine(t, options(10))
	f, err := play.NewFlightRecorder(e, options(10), bound)
	if err != nil {
		t.Fatal(err)
	}
	c, s := simulatedCluster(10, 150), drive.NewScheduler(e, f)
	for i, halvings := range []int{0, 1, 3, 6, 2, 0} {
		drive.Run(c, start.Add(time.Duration(i+1)*sceneLength/6), s)
		f.Shrink(halvings)
		if most := int64(bound) >> halvings; f.Err() != nil || f.Bytes() > most {
			t.Errorf("after %d halvings %d bytes are kept, and at most %d are allowed; %v", halvings, f.Bytes(), most, f.Err())
		}
		p, err := f.Player()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.SeekRecord(p.End().Record); err != nil {
			t.Fatal(err)
		}
		if p.Engine().Digest() != e.Digest() || !p.Report().OK() {
			t.Errorf("after %d halvings, played back to %v, it is %v: %v", halvings, p.Engine().Digest(), e.Digest(), p.Report().First)
		}
		var file bytes.Buffer
		if err := f.Save(&file, play.About{Program: "test"}); err != nil {
			t.Fatal(err)
		}
		if _, report := replay(t, file.Bytes(), play.Options{}); !report.OK() || report.Damage != nil {
			t.Errorf("after %d halvings the saved flight's report is %+v", halvings, *report)
		}
	}
}
