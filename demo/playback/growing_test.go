package playback_test

import (
	"bytes"
	"testing"
	"time"

	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/demo/playback"
)

// growing opens the first record of a trace as a growing recording, and returns the others.
func growing(t *testing.T, file []byte, bytesHeld int64) (*playback.Recording, []trace.Record) {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var records []trace.Record
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	player, err := play.NewGrowingPlayer(r.Header(), records[0], play.Options{}, bytesHeld)
	if err != nil {
		t.Fatal(err)
	}
	return playback.OpenGrowing("live", player), records[1:]
}

// settle advances until nothing is left to do.
func settle(t *testing.T, d *playback.Recording) {
	t.Helper()
	for range 100_000 {
		d.Advance(frame)
		if !d.Behind() && d.Report().Records == uint64(d.Records()) {
			return
		}
	}
	t.Fatalf("it stands at record %d of %d: %v", d.Record(), d.Records(), d.Err())
}

func TestGrowing_FollowsTheEnd(t *testing.T) {
	file := record(t, 6, 60)
	d, rest := growing(t, file, 0)
	whole := open(t, file, playback.Options{})
	for len(rest) > 0 {
		n := min(len(rest), 40)
		d.Append(rest[:n]...)
		rest = rest[n:]
		settle(t, d)
		if !d.AtEnd() || !d.Now().Equal(d.End()) || !d.Playing() || !d.Following() {
			t.Fatalf("it stands at record %d of %d, at %v of %v", d.Record(), d.Records(), d.Now(), d.End())
		}
	}
	whole.ToEnd()
	if d.Engine().Digest() != whole.Engine().Digest() || len(d.Marks()) != len(whole.Marks()) || !d.Report().OK() {
		t.Errorf("digest %v, want %v; %d marks, want %d; %v", d.Engine().Digest(), whole.Engine().Digest(), len(d.Marks()), len(whole.Marks()), d.Report().First)
	}
	for i, m := range whole.Marks() {
		if d.Marks()[i] != m {
			t.Errorf("mark %d is %v, want %v", i, d.Marks()[i], m)
		}
	}
}

// What is added to a recording that stands still does not move it, and is checked all the same.
func TestGrowing_StandsStill(t *testing.T) {
	d, rest := growing(t, record(t, 6, 60), 0)
	half := len(rest) / 2
	d.Append(rest[:half]...)
	settle(t, d)
	d.Pause()
	d.BackDecision()
	record, now := d.Record(), d.Now()
	d.Append(rest[half:]...)
	settle(t, d)
	if d.Record() != record || !d.Now().Equal(now) || d.Following() {
		t.Errorf("it went from record %d to %d", record, d.Record())
	}
	d.SetSpeed(playback.Fastest)
	d.Play()
	if d.Following() {
		t.Error("it follows from far behind")
	}
	settle(t, d)
	if !d.AtEnd() || !d.Following() {
		t.Errorf("playing on, it stands at record %d of %d, following %v", d.Record(), d.Records(), d.Following())
	}
	d.Pause()
	d.ToStart()
	d.Follow()
	settle(t, d)
	if !d.AtEnd() || !d.Playing() {
		t.Errorf("following, it stands at record %d of %d", d.Record(), d.Records())
	}
}

// What is dropped is dropped everywhere: the marks, the curves, and a position there.
func TestGrowing_DropsTheOldest(t *testing.T) {
	file := record(t, 6, 120)
	d, rest := growing(t, file, 20_000)
	d.Pause()
	for len(rest) > 0 {
		n := min(len(rest), 20)
		d.Append(rest[:n]...)
		rest = rest[n:]
		settle(t, d)
		h := d.Histogram()
		if len(h.Decisions) > 960 || len(h.Pending) > len(h.Decisions) {
			t.Fatalf("%d steps, %d of them with pods", len(h.Decisions), len(h.Pending))
		}
		if covered := time.Duration(len(h.Decisions)) * h.Step; covered < d.End().Sub(d.Start()) || covered > d.End().Sub(d.Start())+2*h.Step {
			t.Fatalf("the curves are of %v, the recording of %v", covered, d.End().Sub(d.Start()))
		}
	}
	first := d.Records() - recordsHeld(d)
	if first == 0 || d.Record() != first || !d.Now().Equal(d.Start()) {
		t.Errorf("it holds records from %d on and stands at %d, %v of %v", first, d.Record(), d.Now(), d.Start())
	}
	for _, m := range d.Marks() {
		if m.At.Before(d.Start()) {
			t.Errorf("a mark is at %v, the start at %v", m.At, d.Start())
		}
	}
	d.ToEnd()
	if d.BackDecision(); d.AtEnd() || d.Err() != nil {
		t.Errorf("back from the end it stands at record %d: %v", d.Record(), d.Err())
	}
	d.ToStart()
	if d.BackInput() || d.Record() != first {
		t.Errorf("before the start there is record %d", d.Record())
	}
}

// recordsHeld counts the records from the start to the end.
func recordsHeld(d *playback.Recording) int {
	here := d.Record()
	defer d.SeekRecord(here)
	d.ToStart()
	return d.Records() - d.Record()
}
