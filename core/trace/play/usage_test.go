package play_test

import (
	"bytes"
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// measured records an engine without pods for ten seconds, and what two nodes use: n1 every second, n2 once.
func measured(t *testing.T) []byte {
	t.Helper()
	o := options(3)
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{Kubelet: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	for s := range 10 {
		in := world.Input{At: o.Start.Add(time.Duration(s) * time.Second), Event: world.Tick{}}
		r.Applied(in, e.Apply(in))
		r.Usage(in.At, trace.Usage{Node: "n1"})
		if s == 4 {
			r.Usage(in.At, trace.Usage{Node: "n2"})
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Forward and backward, a player has the last readings up to where it is, and the readings decide nothing.
func TestPlayer_UsageIsThatOfThePosition(t *testing.T) {
	p := player(t, measured(t))
	begin := p.Start().Time
	if _, ok := p.Usage("n1"); ok {
		t.Error("there is a reading before the first record")
	}
	for _, s := range []int{3, 9, 0, 4, 7, 2} {
		if err := p.Seek(begin.Add(time.Duration(s) * time.Second)); err != nil {
			t.Fatal(err)
		}
		r, ok := p.Usage("n1")
		if got := r.At.Sub(begin); !ok || got != time.Duration(s)*time.Second {
			t.Errorf("at %d s the reading of n1 is of %v (%v)", s, got, ok)
		}
		if r, ok := p.Usage("n2"); ok != (s >= 4) || ok && r.At.Sub(begin) != 4*time.Second {
			t.Errorf("at %d s there is a reading of n2: %v, of %v", s, ok, r.At.Sub(begin))
		}
	}
	if err := p.PrefetchAll(nil); err != nil || !p.Report().OK() || p.Report().Inputs != 10 {
		t.Errorf("%+v, %v", p.Report(), err)
	}
}

// A player that drops the oldest records has the readings among the others, and an excerpt of it can be written.
func TestGrowingPlayer_DropsOldUsage(t *testing.T) {
	p, rest := growing(t, measured(t), 1)
	for _, r := range rest {
		if err := p.Append(r); err != nil {
			t.Fatal(err)
		}
		if err := p.SeekRecord(p.End().Record); err != nil {
			t.Fatal(err)
		}
		if r, ok := p.Usage("n1"); ok && r.At.Before(p.Start().Time) {
			t.Fatalf("a reading is of %v, and the records are held from %v on", r.At, p.Start().Time)
		}
	}
	x, err := p.Excerpt()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := x.Write(&file, play.About{}); err != nil {
		t.Fatal(err)
	}
	if _, records := recordsOf(t, file.Bytes()); len(records) == 0 {
		t.Error("the excerpt is empty")
	}
}
