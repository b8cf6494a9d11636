package play_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"orrery/core/trace/play"
)

// The summary of a trace is the same whether it was counted while it was written, read, or replayed; and it tells which trace comes after which.
func TestSummary_TellsWhatFollows(t *testing.T) {
	s := newFeedScene(t, options(3), simulatedCluster(3, 80), 0)
	var files [3]bytes.Buffer
	var counted [3]play.Summary
	one := s.feed.Subscribe(play.SubscriptionOptions{})
	for i := range files {
		s.until(time.Duration(i+1) * 30 * time.Second)
		var next *play.Subscriber
		if i < 2 {
			next = s.feed.Subscribe(play.SubscriptionOptions{Replaces: one})
		}
		if next != nil {
			if _, err := one.Copy(&files[i]); !errors.Is(err, play.ErrReplaced) {
				t.Fatal(err)
			}
		}
		s.finish(one, &files[i])
		counted[i], _ = one.Begun()
		one = next
	}
	for i := range files {
		read, damage, err := play.Summarize(bytes.NewReader(files[i].Bytes()))
		_, report := replay(t, files[i].Bytes(), play.Options{})
		if err != nil || damage != nil || read != counted[i] || report.Summary != counted[i] {
			t.Errorf("trace %d: counted %+v, read %+v, %v, %v, replayed %+v", i, counted[i], read, damage, err, report.Summary)
		}
	}
	if !counted[1].Follows(&counted[0]) || !counted[2].Follows(&counted[1]) || counted[2].Follows(&counted[0]) {
		t.Errorf("they are not contiguous: %+v", counted)
	}
	other := counted[1]
	if other.Seed++; other.Follows(&counted[0]) {
		t.Error("the trace of another scheduler follows")
	}
}

// A trace that begins with a snapshot does not say what was counted before: there it is the times that tell.
func TestSummary_FollowsByTimeWhereNothingIsCounted(t *testing.T) {
	end := start.Add(time.Minute)
	counted := play.Summary{Seed: 1, Start: start, End: end, Counted: true, Inputs: 7}
	snapshot := counted
	snapshot.Counted = false
	after := func(s play.Summary, gap time.Duration) play.Summary {
		s.Start, s.End = end.Add(gap), end.Add(time.Hour)
		s.Begin.Inputs = 90
		return s
	}
	for name, tc := range map[string]struct {
		earlier, later play.Summary
		follows        bool
	}{
		"counted after a snapshot":               {snapshot, after(counted, 0), true},
		"counted, a second after a snapshot":     {snapshot, after(counted, time.Second), false},
		"a snapshot":                             {counted, after(snapshot, 0), true},
		"a snapshot, a second later":             {counted, after(snapshot, time.Second), false},
		"other inputs are counted, at that time": {counted, after(counted, 0), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.later.Follows(&tc.earlier); got != tc.follows {
				t.Errorf("it follows: %v, want %v", got, tc.follows)
			}
			if inputs, _ := tc.later.Shared(&tc.earlier); inputs != 0 {
				t.Errorf("%d inputs are in both", inputs)
			}
		})
	}
}

// With Until, the records go on up to the first one after it, so that the time is known to be in the trace.
func TestPlayer_ReadsUntilATime(t *testing.T) {
	_, file := recorded(t, 3, 80, play.About{})
	until := start.Add(time.Minute)
	p, err := play.NewPlayer(bytes.NewReader(file), play.Options{Until: until})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := play.NewPlayer(bytes.NewReader(file), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := p.RecordAt(until)
	if n != whole.RecordAt(until) || n == 0 || len(p.Records()) != n+1 || !p.End().Time.After(until) {
		t.Errorf("it has %d records, %d of them until then, and the whole has %d of these", len(p.Records()), n, whole.RecordAt(until))
	}
}
