package playback_test

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/core/trace"
	"orrery/core/world"
	"orrery/demo"
	"orrery/demo/playback"
)

const frame = 40 * time.Millisecond

func TestAdvance_PlaysInTraceTime(t *testing.T) {
	d := open(t, record(t, 6, 60), playback.Options{Name: "a minute"})
	if d.Playing() || d.Record() != 0 || !d.Now().Equal(start) || d.Speed() != 1 {
		t.Errorf("a recording begins at record %d, %v, playing %v at %v", d.Record(), d.Now(), d.Playing(), d.Speed())
	}
	if d.Advance(time.Second) {
		t.Error("while it is paused there is nothing new to see")
	}
	d.Play()
	for range 100 {
		if !d.Advance(frame) {
			t.Fatal("the time passes, and nothing is new")
		}
	}
	if got := d.Now().Sub(start); got != 100*frame {
		t.Errorf("after %v it is %v in the trace", 100*frame, got)
	}
	if now := d.Engine().Now(); now.After(d.Now()) || d.Now().Sub(now) > 5*time.Second {
		t.Errorf("the engine is at %v, the recording at %v", now, d.Now())
	}
}

func TestAdvance_Speeds(t *testing.T) {
	file := record(t, 6, 30)
	for _, c := range []struct {
		name  string
		do    func(*playback.Recording)
		after time.Duration // of the trace in one second
		speed float64
	}{
		{"as it was", func(*playback.Recording) {}, time.Second, 1},
		{"one faster", (*playback.Recording).Faster, 2 * time.Second, 2},
		{"one slower", (*playback.Recording).Slower, 500 * time.Millisecond, 0.5},
		{"any", func(d *playback.Recording) { d.SetSpeed(3) }, 3 * time.Second, 3},
		{"from any to the next", func(d *playback.Recording) { d.SetSpeed(3); d.Faster() }, 5 * time.Second, 5},
		{"from any to the one before", func(d *playback.Recording) { d.SetSpeed(3); d.Slower() }, 2 * time.Second, 2},
		{"not slower than a tenth", func(d *playback.Recording) { d.SetSpeed(-7) }, 100 * time.Millisecond, 0.1},
		{"what is no number is not heard", func(d *playback.Recording) { d.SetSpeed(math.NaN()) }, time.Second, 1},
		{"no faster than Fastest, and back", func(d *playback.Recording) { d.SetSpeed(playback.Fastest); d.Faster(); d.Slower(); d.Slower() }, 50 * time.Second, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, file, playback.Options{})
			c.do(d)
			if d.Play(); d.Speed() != c.speed {
				t.Errorf("the speed is %v, want %v", d.Speed(), c.speed)
			}
			for range 25 {
				for d.Advance(frame); d.Behind(); {
					t.Fatal("a small trace is behind")
				}
			}
			if got := d.Now().Sub(start).Round(time.Microsecond); got != c.after {
				t.Errorf("in a second %v passed, want %v", got, c.after)
			}
		})
	}
}

func TestAdvance_EndPausesOrLoops(t *testing.T) {
	file := record(t, 6, 30)
	d := open(t, file, playback.Options{Speed: playback.Fastest})
	d.Play()
	for !d.AtEnd() {
		d.Advance(frame)
	}
	if d.Playing() || d.Behind() || !d.Now().Equal(d.End()) {
		t.Errorf("at the end it is playing %v, behind %v, at %v", d.Playing(), d.Behind(), d.Now())
	}
	if d.Advance(time.Hour) || !d.Now().Equal(d.End()) {
		t.Errorf("after the end it goes on to %v", d.Now())
	}
	if d.Toggle(); !d.Playing() || d.Record() != 0 {
		t.Errorf("played again, it stands at record %d of %d", d.Record(), d.Records())
	}

	d = open(t, file, playback.Options{Loop: true})
	d.ToEnd()
	d.Play()
	d.ToEnd()
	if d.Advance(frame); !d.Playing() || d.Now().Sub(start) != frame {
		t.Errorf("in a loop, the end is followed by %v", d.Now().Sub(start))
	}
}

func TestOpen_EmptyTrace(t *testing.T) {
	d := open(t, record(t, 0, 0), playback.Options{Loop: true, Speed: playback.Fastest})
	d.ToEnd()
	d.Play()
	for range 3 {
		d.Advance(frame)
	}
	if d.NextMark() || d.PrevMark() || d.Err() != nil {
		t.Errorf("there is a mark, or %v", d.Err())
	}
}

// A Duration holds 292 years; the records of this trace are 1,999 years apart.
func TestHistogram_BoundedOverAllYears(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	for year := 1; year < 9999; year += 1999 {
		at := time.Date(year, 1, 2, 0, 0, 0, 0, time.UTC)
		decision := trace.Decision{Seq: uint64(year), Pod: world.PodRef{Namespace: "default", Name: "p"}}
		if err := errors.Join(w.Write(trace.Record{At: at, Body: trace.Input{Event: world.Tick{}}}), w.Write(trace.Record{At: at, Body: decision})); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d := open(t, file.Bytes(), playback.Options{Speed: playback.Fastest})
	h := d.Histogram()
	if n := len(h.Decisions); n < 2 || n > 1000 || h.Decisions[0] != 1 || h.Decisions[n-1] != 5 {
		t.Fatalf("%d steps of %v, want at most 1,000 with the first decision in the first and the others in the last", n, h.Step)
	}
	d.Play()
	for range 10 {
		d.Advance(frame)
	}
	if !d.AtEnd() || d.Err() != nil {
		t.Errorf("it stands at record %d of %d: %v", d.Record(), d.Records(), d.Err())
	}
}

// TestAdvance_BoundedWork bounds the work of one Advance by what is told in it: a busy cluster at full speed.
func TestAdvance_BoundedWork(t *testing.T) {
	var told int
	d := open(t, record(t, 100, 800), playback.Options{Speed: playback.Fastest, Follower: newFollowerFunc(&told)})
	d.Play()
	advances := 0
	for !d.AtEnd() {
		before := told
		d.Advance(time.Hour)
		advances++
		if told-before > 350 {
			t.Fatalf("one Advance played %d records", told-before)
		}
		if !d.AtEnd() && !d.Behind() {
			t.Fatalf("record %d of %d, and it says that it is not behind", d.Record(), d.Records())
		}
	}
	if advances < 10 {
		t.Errorf("everything fitted in %d Advances, so nothing was tested", advances)
	}
}

// TestSeek_BoundedAfterPrefetch bounds what is played again on the way to any record of the traces that are built in, once the
// prefetch is done.
func TestSeek_BoundedAfterPrefetch(t *testing.T) {
	for _, built := range demo.Traces() {
		var told int
		d := embedded(t, built.Name, playback.Options{Follower: newFollowerFunc(&told)})
		for before := -1; before != told; { // paused, all of every portion goes to the prefetch
			before = told
			d.Advance(frame)
		}
		if !d.Report().OK() || d.Report().Records != uint64(d.Records()) {
			t.Errorf("%s: the prefetch did not see everything: %+v", built.Name, d.Report())
		}
		most := max(d.Records()/5, 200) // a short one has few places to go on from
		for i := range 12 {
			before := told
			d.SeekRecord(i * 7919 % (d.Records() + 1))
			if told-before > most {
				t.Errorf("%s: going to record %d played %d of %d", built.Name, d.Record(), told-before, d.Records())
			}
		}
	}
}

func TestStep_PausesAndAdvancesOne(t *testing.T) {
	d := open(t, record(t, 6, 30), playback.Options{})
	d.Play()
	decisions := 0
	for d.StepDecision() {
		decisions++
	}
	if d.Playing() || !d.AtEnd() || uint64(decisions) != d.Report().Decisions || decisions < 30 {
		t.Errorf("%d steps, playing %v, the report has %d decisions", decisions, d.Playing(), d.Report().Decisions)
	}
	d.ToStart()
	if !d.StepInput() || d.Record() == 0 || d.Now().Before(start) {
		t.Errorf("a step leads to record %d", d.Record())
	}
}

func TestStep_BackUndoesStep(t *testing.T) {
	file := record(t, 6, 30)
	for _, c := range []struct {
		name     string
		on, back func(*playback.Recording) bool
	}{
		{"decisions", (*playback.Recording).StepDecision, (*playback.Recording).BackDecision},
		{"inputs", (*playback.Recording).StepInput, (*playback.Recording).BackInput},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, file, playback.Options{})
			var there []int
			for c.on(d) {
				there = append(there, d.Record())
			}
			d.ToEnd()
			d.Play()
			d.ToEnd()
			for i := len(there) - 1; i >= 0; i-- {
				if there[i] == d.Records() {
					continue // it is where the recording stands
				}
				if !c.back(d) || d.Record() != there[i] || d.Playing() {
					t.Fatalf("step %d back leads to record %d, playing %v, want %d and paused", len(there)-i, d.Record(), d.Playing(), there[i])
				}
			}
			if c.back(d) || d.Record() != 0 {
				t.Errorf("before the first there is another at record %d", d.Record())
			}
		})
	}
}

// TestHistogram_CoversTrace compares the curves with what is counted on a walk from record to record.
func TestHistogram_CoversTrace(t *testing.T) {
	file := record(t, 4, 80)
	d := open(t, file, playback.Options{})
	begun := d.Histogram()
	if len(begun.Pending) != 0 {
		t.Errorf("%d values are known of a trace that was not played yet", len(begun.Pending))
	}
	d.SeekTo(start.Add(20 * time.Second))
	some := d.Histogram()
	kept := slices.Clone(some.Pending)
	for d.Report().Records < uint64(d.Records()) {
		d.Advance(0)
	}
	all := d.Histogram()
	if !slices.Equal(some.Pending, kept) || !slices.Equal(some.Pending[:len(kept)-1], all.Pending[:len(kept)-1]) {
		t.Error("what was known of the beginning has changed")
	}
	if len(all.Pending) != len(all.Decisions) || d.Now().Sub(start) != 20*time.Second {
		t.Errorf("the prefetch knows %d of %d values, and stands at %v", len(all.Pending), len(all.Decisions), d.Now().Sub(start))
	}
	decided := 0.0
	for _, n := range all.Decisions {
		decided += n
	}
	if uint64(decided) != d.Report().Decisions {
		t.Errorf("the curve has %v decisions, the report %d", decided, d.Report().Decisions)
	}
	walk := open(t, file, playback.Options{})
	most := make([]float64, len(all.Pending))
	for n := 1; n <= walk.Records(); n++ {
		walk.SeekRecord(n)
		at := int(walk.Now().Sub(start) / all.Step)
		most[at] = max(most[at], float64(walk.Engine().Queue().Len()))
	}
	for i, n := range most {
		if all.Pending[i] < n {
			t.Errorf("at %v %v pods waited, and the curve has %v", time.Duration(i)*all.Step, n, all.Pending[i])
		}
	}
	if got, want := slices.Max(all.Pending), slices.Max(most); got != want {
		t.Errorf("at most %v pods waited, and the curve has %v", want, got)
	}
}

func TestMarks_NextAndPrev(t *testing.T) {
	d := open(t, record(t, 4, 80), playback.Options{})
	var there []int
	for d.NextMark() {
		there = append(there, d.Record())
	}
	if len(there) != len(d.Marks()) || len(there) < 3 {
		t.Fatalf("%d marks were visited of %d", len(there), len(d.Marks()))
	}
	for i := len(there) - 2; i >= 0; i-- {
		if !d.PrevMark() || d.Record() != there[i] {
			t.Fatalf("on the way back, mark %d is at record %d, want %d", i, d.Record(), there[i])
		}
	}
	if d.PrevMark() {
		t.Error("there is a mark before the first")
	}
	d.Play()
	d.SeekTo(d.Marks()[2].At)
	d.Advance(frame)
	if d.PrevMark(); d.Record() >= there[2] {
		t.Errorf("playing, the mark just passed holds on to the recording: record %d, marks at %v", d.Record(), there)
	}
}

func TestSeekTo_Times(t *testing.T) {
	d := open(t, record(t, 6, 60), playback.Options{})
	for _, c := range []struct {
		name string
		do   func()
		at   time.Duration
	}{
		{"to a moment", func() { d.SeekTo(start.Add(30 * time.Second)) }, 30 * time.Second},
		{"back", func() { d.SeekTo(d.Now().Add(-10 * time.Second)) }, 20 * time.Second},
		{"further back than the beginning", func() { d.SeekTo(d.Now().Add(-time.Hour)) }, 0},
		{"on", func() { d.SeekTo(d.Now().Add(15 * time.Second)) }, 15 * time.Second},
		{"further than the end", func() { d.SeekTo(d.Now().Add(time.Hour)) }, d.End().Sub(start)},
	} {
		if c.do(); d.Now().Sub(start) != c.at {
			t.Errorf("%s: it is %v, want %v", c.name, d.Now().Sub(start), c.at)
		}
		if now := d.Engine().Now(); now.After(d.Now()) {
			t.Errorf("%s: the engine is ahead, at %v", c.name, now.Sub(start))
		}
	}
}

func TestOpen_NotATrace(t *testing.T) {
	_, err := playback.Open(strings.NewReader("apiVersion: v1"), playback.Options{Name: "pods.yaml"})
	if err == nil || !strings.HasPrefix(err.Error(), "opening pods.yaml: ") {
		t.Errorf("the error is %v", err)
	}
}

func TestOpen_DamagedTrace(t *testing.T) {
	file := record(t, 6, 60)
	d := open(t, file[:len(file)/2], playback.Options{})
	d.ToEnd()
	if d.Damage() == nil || !d.Report().OK() {
		t.Errorf("damage %v, first difference %v", d.Damage(), d.Report().First)
	}
}

// TestSeek_StateDoesNotDependOnPath presses keys at random, and then goes to a record: the engine and its follower are
// what they are when everything up to there is played straight.
func TestSeek_StateDoesNotDependOnPath(t *testing.T) {
	file := record(t, 5, 50)
	var told int
	straight := open(t, file, playback.Options{Follower: newFollowerFunc(&told)})
	rapid.Check(t, func(rt *rapid.T) {
		d := open(t, file, playback.Options{Follower: newFollowerFunc(&told), Loop: rapid.Bool().Draw(rt, "loop")})
		controls := map[string]func(*rapid.T){
			"advance": func(rt *rapid.T) {
				d.Advance(time.Duration(rapid.Int64Range(-1e9, 30e9).Draw(rt, "real")))
			},
			"toggle":   func(*rapid.T) { d.Toggle() },
			"faster":   func(*rapid.T) { d.Faster() },
			"slower":   func(*rapid.T) { d.Slower() },
			"decision": func(*rapid.T) { d.StepDecision() },
			"input":    func(*rapid.T) { d.StepInput() },
			"back":     func(*rapid.T) { d.BackDecision() },
			"before":   func(*rapid.T) { d.BackInput() },
			"seek": func(rt *rapid.T) {
				d.SeekTo(d.Now().Add(time.Duration(rapid.Int64Range(-60e9, 60e9).Draw(rt, "by"))))
			},
			"record": func(rt *rapid.T) { d.SeekRecord(rapid.IntRange(-5, d.Records()+5).Draw(rt, "record")) },
			"next":   func(*rapid.T) { d.NextMark() },
			"prev":   func(*rapid.T) { d.PrevMark() },
			"end":    func(*rapid.T) { d.ToEnd() },
			"": func(rt *rapid.T) {
				if now := d.Engine().Now(); now.After(d.Now()) || d.Now().Before(d.Start()) || d.Now().After(d.End()) {
					rt.Fatalf("it is %v, in the engine %v", d.Now(), now)
				}
				if d.Err() != nil || !d.Report().OK() {
					rt.Fatalf("%v, %v", d.Err(), d.Report().First)
				}
			},
		}
		rt.Repeat(controls)
		n := rapid.IntRange(0, d.Records()).Draw(rt, "to")
		d.SeekRecord(n)
		straight.SeekRecord(0)
		for straight.Record() < n {
			straight.SeekRecord(straight.Record() + 1)
		}
		if got, want := d.Engine().Digest(), straight.Engine().Digest(); got != want {
			rt.Fatalf("at record %d the digest is %v, want %v", n, got, want)
		}
		if sumOf(d) != sumOf(straight) {
			rt.Fatalf("at record %d the follower remembers something else", n)
		}
		if err := d.Engine().Check(); err != nil {
			rt.Fatal(err)
		}
	})
}

// BenchmarkOpen_Embedded is what the traces that are built in cost: to open, to prefetch to the end, and to go anywhere in.
func BenchmarkOpen_Embedded(b *testing.B) {
	for _, built := range demo.Traces() {
		b.Run(built.Name, func(b *testing.B) {
			var opening, prefetching, slowestAdvance, slowestSeek time.Duration
			var kept int64
			var d *playback.Recording
			for b.Loop() {
				before := b.Elapsed()
				d = embedded(b, built.Name, playback.Options{})
				opening += b.Elapsed() - before
				held := heap()
				for before = b.Elapsed(); d.Report().Records < uint64(d.Records()); {
					began := b.Elapsed()
					d.Advance(frame)
					slowestAdvance = max(slowestAdvance, b.Elapsed()-began)
				}
				prefetching += b.Elapsed() - before
				kept = heap() - held
				for i := range 50 {
					began := b.Elapsed()
					d.SeekRecord(i * 7919 % (d.Records() + 1))
					slowestSeek = max(slowestSeek, b.Elapsed()-began)
				}
			}
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(opening)/float64(b.N), "ms-open")
			b.ReportMetric(ms(prefetching)/float64(b.N), "ms-prefetch")
			b.ReportMetric(ms(slowestAdvance), "ms-slowest-advance")
			b.ReportMetric(ms(slowestSeek), "ms-slowest-seek")
			b.ReportMetric(float64(kept)/(1<<20), "MiB-kept")
			b.ReportMetric(float64(d.Records()), "records")
		})
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkAdvance_Playing(b *testing.B) {
	file := record(b, 300, 3000)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			open(b, file, playback.Options{})
		}
		b.ReportMetric(float64(len(file)), "file-bytes")
	})
	for _, speed := range []float64{1, playback.Fastest} {
		name := "as it was"
		if math.IsInf(speed, 1) {
			name = "fastest"
		}
		b.Run(name, func(b *testing.B) {
			d := open(b, file, playback.Options{Speed: speed})
			d.Play()
			var slowest time.Duration
			n := 0
			for b.Loop() {
				if d.AtEnd() {
					d = open(b, file, playback.Options{Speed: speed})
					d.Play()
				}
				before := b.Elapsed()
				d.Advance(frame)
				slowest, n = max(slowest, b.Elapsed()-before), n+1
			}
			b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
		})
	}
	b.Run("seek", func(b *testing.B) {
		d := open(b, file, playback.Options{})
		d.ToEnd()
		var slowest time.Duration
		for i := 0; b.Loop(); i++ {
			before := b.Elapsed()
			d.SeekRecord(i * 7919 % (d.Records() + 1))
			slowest = max(slowest, b.Elapsed()-before)
		}
		b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
		b.ReportMetric(float64(d.Records()), "records")
	})
}
