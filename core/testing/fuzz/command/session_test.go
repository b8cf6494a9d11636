package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"orrery/core/testing/fuzz"
)

// runs is a runner of targets that takes no time: a clock moves on by each round's length.
type runs struct {
	mu    sync.Mutex
	clock time.Time
	of    map[string]int
	fails map[string]string
	err   error
}

func (r *runs) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clock
}

// run says that a target used half a processor, and one that is called Slow a tenth.
func (r *runs) run(_ context.Context, t fuzz.Target, length time.Duration) (round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock = r.clock.Add(length)
	r.of[t.Name]++
	used := length / 2
	if t.Name == "Slow" {
		used = length / 10
	}
	return round{processor: used, inputs: 10, kept: r.of[t.Name], failure: r.fails[t.Name]}, r.err
}

func newRuns(names ...string) (*runs, *session, *strings.Builder) {
	r := &runs{clock: time.Unix(0, 0), of: map[string]int{}, fails: map[string]string{}}
	var targets []fuzz.Target
	for _, name := range names {
		targets = append(targets, fuzz.Target{Package: "p", Name: name})
	}
	out := &strings.Builder{}
	s := newSession(targets, out, 1)
	s.now = r.now
	return r, s, out
}

func TestSession_SpreadsProcessorTimeEvenly(t *testing.T) {
	r, s, out := newRuns("A", "B", "Slow")
	if err := s.run(t.Context(), 70*time.Minute, r.run); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.targets {
		if p.processor < 4*time.Minute || p.processor > 6*time.Minute {
			t.Errorf("%s has run for %v", p.Name, p.processor)
		}
	}
	if r.of["Slow"] != 10 {
		t.Errorf("the slow target had %d rounds of 14, want 10", r.of["Slow"])
	}
	if want := "3 targets, 0.25 core-hours, 140 new inputs, 14 in the corpus"; !strings.Contains(out.String(), want) {
		t.Errorf("it says:\n%s\nwant %q", out, want)
	}
}

func TestSession_GivesLongerRoundsWhereTheCorpusTakesThem(t *testing.T) {
	_, s, _ := newRuns("A", "Large")
	var rounds []time.Duration
	runOne := func(_ context.Context, t fuzz.Target, length time.Duration) (round, error) {
		s.began = s.began.Add(-length) // the clock stands still
		if t.Name == "A" {
			return round{processor: length, inputs: 1000, kept: 10}, nil
		}
		rounds = append(rounds, length)
		const corpus = 30 * time.Second
		return round{processor: length, inputs: int64(max(0, length-corpus) / time.Second), kept: 30}, nil
	}
	if err := s.run(t.Context(), 4*time.Minute, runOne); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{30 * time.Second, time.Minute, 30 * time.Second}; !slices.Equal(rounds, want) {
		t.Errorf("the rounds are %v, want %v: the first is all corpus, the last what is left", rounds, want)
	}
}

func TestSession_GoesOnWithoutWhatFails(t *testing.T) {
	r, s, out := newRuns("A", "B")
	r.fails["A"] = "--- FAIL: A"
	if err := s.run(t.Context(), 10*time.Minute, r.run); !errors.Is(err, errFailed) {
		t.Errorf("the error is %v", err)
	}
	if r.of["A"] != 1 || r.of["B"] != 7 { // of a share of five minutes, each round is a quarter
		t.Errorf("the rounds are %v", r.of)
	}
	if text := out.String(); !strings.Contains(text, "1 targets fail\n\np A\n--- FAIL: A\n") {
		t.Errorf("it says:\n%s", text)
	}
}

func TestSession_EndsOnErrors(t *testing.T) {
	r, s, _ := newRuns("A", "B")
	r.err = errors.New("no such program")
	if err := s.run(t.Context(), 10*time.Minute, r.run); !errors.Is(err, r.err) {
		t.Errorf("the error is %v", err)
	}
	if r.of["A"]+r.of["B"] != 1 {
		t.Errorf("the rounds are %v", r.of)
	}
}

// An interrupt ends a round, and is no error: what was done until then is told.
func TestPrograms_RoundEndsByInterrupt(t *testing.T) {
	target := fuzz.Target{Package: "core/x", Name: "FuzzX"}
	p := &programs{dir: t.TempDir(), built: map[string]func() error{target.Package: func() error { return nil }}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := p.run(ctx, target, time.Minute); err != nil || got != (round{}) {
		t.Errorf("the round is %+v, %v", got, err)
	}
}

func TestRoundOf_ReadsGoTest(t *testing.T) {
	const counted = "fuzz: elapsed: 0s, gathering baseline coverage: 2/2 completed, now fuzzing with 1 workers\nfuzz: elapsed: 3s, execs: 10 (3/sec), new interesting: 1 (total: 3)\n" +
		"fuzz: elapsed: 6s, execs: 1234 (411/sec), new interesting: 5 (total: 7)\n"
	const failing = counted + "--- FAIL: FuzzX (6.00s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:1: no\n    \n    Failing input written to testdata/fuzz/FuzzX/12ab\n"
	target := fuzz.Target{Package: "core/x", Name: "FuzzX"}
	for name, c := range map[string]struct {
		out    string
		failed bool
		want   round
	}{
		"passes":                  {counted + "PASS\n", false, round{inputs: 1232, kept: 7}},
		"fails":                   {failing, true, round{inputs: 1232, kept: 7, failure: failing[len(counted):] + "the input is in core/x/testdata/fuzz/FuzzX/12ab: once the defect is mended, keep it there\n"}},
		"the time is over":        {counted + "--- FAIL: FuzzX (6.00s)\n    context deadline exceeded\nFAIL\n", true, round{inputs: 1232, kept: 7}},
		"the corpus takes it all": {"fuzz: elapsed: 0s, gathering baseline coverage: 0/2 completed\nfuzz: elapsed: 3s, gathering baseline coverage: 1/2 completed\nPASS\n", false, round{}},
		"does not begin":          {"flag provided but not defined\n", true, round{failure: "flag provided but not defined\n"}},
	} {
		if got := roundOf(c.out, target, c.failed); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestDocument_IsUpToDate(t *testing.T) {
	targets, err := fuzz.Targets("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../../docs/fuzzing.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := withTable(string(text), targets)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != want {
		t.Error("docs/fuzzing.md does not list the fuzz targets of the source: run make docs")
	}
}

func TestDocument_NeedsItsPlace(t *testing.T) {
	if _, err := withTable("# Fuzzing\n"+tableEnd+tableBegin, nil); err == nil {
		t.Error("a table is written into a document without a place for it")
	}
}
