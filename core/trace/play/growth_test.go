package play_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"orrery/core/trace"
	"orrery/core/trace/play"
)

// recordsOf reads a whole trace.
func recordsOf(t testing.TB, file []byte) (trace.Header, []trace.Record) {
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
	return r.Header(), records
}

// growing returns a growing player of a trace's first record, and the other records.
func growing(t testing.TB, file []byte, maxBytes int64) (*play.Player, []trace.Record) {
	t.Helper()
	header, records := recordsOf(t, file)
	p, err := play.NewGrowingPlayer(header, records[0], play.Options{}, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	return p, records[1:]
}

// joined records a scene from a state in its middle.
func joined(t *testing.T, seed uint64, pods int) []byte {
	t.Helper()
	s := newFeedScene(t, options(seed), simulatedCluster(seed, pods), 0)
	s.until(sceneLength / 4)
	one := s.feed.Subscribe(play.SubscriptionOptions{})
	s.until(sceneLength)
	return s.finish(one, &bytes.Buffer{})
}

// At every position that it holds, a growing player is where a player of the whole trace is.
func TestGrowingPlayer_EqualsPlayerOfTheWhole(t *testing.T) {
	_, file := recorded(t, 5, 40, play.About{})
	for name, file := range map[string][]byte{"from the start": file, "from a state": joined(t, 5, 40)} {
		t.Run(name, func(t *testing.T) {
			whole := player(t, file)
			rapid.Check(t, func(rt *rapid.T) {
				p, rest := growing(t, file, rapid.SampledFrom([]int64{0, 20_000, 200_000}).Draw(rt, "bytes"))
				for len(rest) > 0 {
					n := rapid.IntRange(1, min(len(rest), 300)).Draw(rt, "records")
					if err := p.Append(rest[:n]...); err != nil {
						rt.Fatal(err)
					}
					rest = rest[n:]
					moveSomewhere(rt, p)
					if err := whole.SeekRecord(p.At().Record); err != nil {
						rt.Fatal(err)
					}
					if whole.At() != p.At() || whole.Engine().Digest() != p.Engine().Digest() {
						rt.Fatalf("it stands at %v with %v, the whole at %v with %v", p.At(), p.Engine().Digest(), whole.At(), whole.Engine().Digest())
					}
				}
				if err := p.PrefetchAll(nil); err != nil {
					rt.Fatal(err)
				}
				if r := p.Report(); !r.OK() || r.Records != uint64(p.End().Record) || whole.End() != p.End() {
					rt.Fatalf("the report is %+v, it ends at %v", r, p.End())
				}
			})
		})
	}
}

// moveSomewhere prefetches, seeks, or stands still.
func moveSomewhere(rt *rapid.T, p *play.Player) {
	var err error
	switch rapid.IntRange(0, 3).Draw(rt, "move") {
	case 0:
		err = p.PrefetchAll(nil)
	case 1:
		err = p.SeekRecord(p.End().Record)
	case 2:
		err = p.SeekRecord(rapid.IntRange(p.Start().Record, p.End().Record).Draw(rt, "record"))
	}
	if err != nil {
		rt.Fatal(err)
	}
}

// What is held stays within a bound, also while the player stands still; a position that is dropped becomes the first that is held.
func TestGrowingPlayer_DropsTheOldest(t *testing.T) {
	p, rest := growing(t, joined(t, 6, 150), 30_000)
	all := append(slices.Clone(p.Records()), rest...)
	if err := p.SeekRecord(1); err != nil {
		t.Fatal(err)
	}
	most := 0
	for len(rest) > 0 {
		n := min(len(rest), 10)
		if err := p.Append(rest[:n]...); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
		if err := p.PrefetchAll(nil); err != nil {
			t.Fatal(err)
		}
		most = max(most, len(p.Records()))
		if got, want := p.Records()[0].Number, all[p.Start().Record].Number; got != want || p.End().Record != p.Start().Record+len(p.Records()) {
			t.Fatalf("it holds the records from %d to %d, and the first has the number %d, not %d", p.Start().Record, p.End().Record, got, want)
		}
	}
	if p.Start().Record == 0 || most > p.End().Record/2 || p.At() != p.Start() {
		t.Errorf("it held up to %d of %d records, begins at %v and stands at %v", most, p.End().Record, p.Start(), p.At())
	}
	if err := p.SeekRecord(p.Start().Record - 1); err == nil {
		t.Error("it went to a record that was dropped")
	}
	if at := p.RecordAt(p.Start().Time); at < p.Start().Record {
		t.Errorf("the time at which it begins is at record %d, it begins at %d", at, p.Start().Record)
	}
	for _, m := range p.Marks() {
		if int(m.Record) <= p.Start().Record || p.Records()[int(m.Record)-1-p.Start().Record].Body != trace.Body(m.Mark) {
			t.Errorf("mark %q is not at record %d", m.Mark.Text, m.Record)
		}
	}
}
