package segments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"orrery/core/testing/race"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

// replays replays the segments of a disk and returns their summaries.
func replays(t *testing.T, d *fakeDisk) []Summarized {
	t.Helper()
	var all []Summarized
	for _, name := range d.segments() {
		_, report, err := play.Replay(bytes.NewReader(d.files[name]), play.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !report.Exact || !report.OK() {
			t.Errorf("%s is not decided as recorded: %+v", name, report)
		}
		one := Summarized{Segment: Segment{Name: name}, Summary: report.Summary}
		if report.Damage != nil {
			one.Damage, one.Unfinished = report.Damage.Error(), errors.Is(report.Damage, trace.ErrUnfinished)
		}
		all = append(all, one)
	}
	return all
}

func decisionsIn(all []Summarized) (n uint64) {
	for _, s := range all {
		n += s.Decisions
	}
	return n
}

// Segments follow each other without a gap, each replays to the end, and all but the last one are whole.
func TestRecorder_SegmentsHaveEveryDecision(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{MaxBytes: 1 << 30, MaxAge: time.Hour, segment: 32 << 10})
	s.run(1)
	before := s.decisions()
	s.run(299)
	all := replays(t, d)
	if len(all) < 3 || len(Gaps(all)) > 0 {
		t.Fatalf("%d segments with the gaps %v", len(all), Gaps(all))
	}
	for i, one := range all {
		if one.Unfinished != (i == len(all)-1) {
			t.Errorf("segment %d of %d: %q", i, len(all), one.Damage)
		}
	}
	if got, want := decisionsIn(all), s.decisions()-before; got != want || want < 200 {
		t.Errorf("the segments have %d decisions, the scheduler made %d", got, want)
	}
	if st := s.recorder.Status(); !st.Up(s.now) || st.Segments != len(all) || st.Gaps != 0 || !st.Flushed.Equal(s.now) {
		t.Errorf("the status is %+v", st)
	}
}

// What was recorded is on the disk after each second, so that a crash loses no more than what came since.
func TestRecorder_WritesEverySecond(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{})
	synced := 0
	d.fails = func(call string) error {
		if call == "sync" {
			synced++
		}
		return nil
	}
	s.run(1)
	before := s.decisions()
	for range 12 {
		s.run(1)
		if got, want := decisionsIn(replays(t, d)), s.decisions()-before; got != want {
			t.Fatalf("there are %d decisions on the disk, and the scheduler made %d", got, want)
		}
	}
	if synced != 13 {
		t.Errorf("synced %d times in 13 seconds", synced)
	}
}

// A segment that takes long to begin, as that of a large cluster does, leaves the one before it in use: a crash loses no more than at other
// times, and then what came meanwhile is in both.
func TestRecorder_WritesWhileASegmentBegins(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{MaxBytes: 1 << 30, MaxAge: time.Hour, segment: 4 << 10})
	created, begun, goesOn := 0, make(chan struct{}), make(chan struct{})
	d.fails = func(call string) error {
		if call != "create" {
			return nil
		}
		if created++; created == 2 {
			close(begun)
			<-goesOn
		}
		return nil
	}
	ticks, stop := s.start()
	s.ticked(ticks)
	before := s.decisions()
	for late := false; !late; {
		s.decide(1)
		s.ticked(ticks)
		select {
		case <-begun:
			late = true
		default:
		}
	}
	for range 6 {
		s.decide(1)
		s.ticked(ticks)
		all := replays(t, d)
		if got, want := decisionsIn(all), s.decisions()-before; got != want || len(all) != 1 {
			t.Fatalf("%d segments on the disk have %d decisions, and the scheduler made %d", len(all), got, want)
		}
	}
	close(goesOn)
	for len(d.segments()) < 2 {
		s.decide(1)
		s.ticked(ticks)
	}
	s.decide(10)
	s.ticked(ticks)
	stop()
	all := replays(t, d)
	if len(all) != 2 || len(Gaps(all)) > 0 || all[0].Damage != "" || all[1].Damage != "" {
		t.Fatalf("%d segments with the gaps %v", len(all), Gaps(all))
	}
	if got, most := decisionsIn(all), s.decisions()-before; all[1].Begin.Decisions+all[1].Decisions != s.decisions() || got < most || all[1].Summary.Start.After(all[0].Summary.End) {
		t.Errorf("the segments have %d decisions, the scheduler made %d: %+v", got, most, all)
	}
}

// The end of the process ends the last segment, with what was not written yet.
func TestRecorder_EndsWithTheProcess(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{})
	s.run(1)
	before := s.decisions()
	s.run(20)
	s.decide(3)
	s.recorder.Finish(s.now)
	all := replays(t, d)
	if len(all) != 1 || all[0].Damage != "" || decisionsIn(all) != s.decisions()-before {
		t.Errorf("left %+v of %d decisions", all, s.decisions()-before)
	}
	if e, ok := parseIndex(d.files[indexName])[all[0].Name]; !ok || e.Summary != all[0].Summary {
		t.Errorf("the index has %+v, and the segment is %+v", e, all[0].Summary)
	}
}

// Each call of the disk may fail or panic, at any time: the recording stops, is down until the disk is back, and goes on without a gap, since
// the flight recorder has what came meanwhile.
func TestRecorder_GoesOnAfterAnOutage(t *testing.T) {
	full := func() error { return syscall.ENOSPC }
	broken := func() error { panic("planted") }
	calls := []string{"write", "open", "probe", "create", "sync", "finish", "remove"}
	for _, call := range calls[:race.Few(len(calls), 2)] {
		t.Run(call, func(t *testing.T) { goesOnAfter(t, call, full, "no space left on device") })
		t.Run(call+" panics", func(t *testing.T) { goesOnAfter(t, call, broken, "recording panicked: planted") })
	}
}

func goesOnAfter(t *testing.T, call string, fail func() error, want string) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{MaxBytes: 4 << 20, MaxAge: time.Minute, segment: 32 << 10})
	if call != "open" {
		s.run(100)
	}
	was := s.recorder.Status()
	d.fails = func(called string) error {
		if called == call || called == "write" && (call == "probe" || call == "create" || call == "finish") {
			return fail()
		}
		return nil
	}
	s.run(100)
	st := s.recorder.Status()
	if st.Up(s.now) || !strings.Contains(s.logged(), want) {
		t.Errorf("up without a disk: %+v, logged %s", st, s.logged())
	}
	if why := st.Outage(s.now); !strings.HasPrefix(why, "nothing is recorded on disk") || !strings.HasSuffix(why, ": "+want) {
		t.Errorf("the outage is %q", why)
	}
	if n := strings.Count(s.logged(), "Nothing is recorded"); n != 1 {
		t.Errorf("one outage is logged %d times", n)
	}
	if st.Gaps != was.Gaps+1 && call != "open" {
		t.Errorf("counted %d outages", st.Gaps)
	}
	d.fails = func(string) error { return nil }
	s.run(200)
	if st := s.recorder.Status(); !st.Up(s.now) || st.Outage(s.now) != "" {
		t.Errorf("down although the disk is back: %+v", st)
	}
	if all := replays(t, d); len(Gaps(all)) > 0 {
		t.Errorf("gaps: %v", Gaps(all))
	}
	if i := slices.IndexFunc(d.segments(), isPartial); i >= 0 {
		t.Errorf("left %s", d.segments()[i])
	}
}

// A state is written only once there is room for it, since making one takes a second in a large cluster.
func TestRecorder_LooksForRoomFirst(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{})
	s.run(10)
	full := true
	d.fails = func(call string) error {
		if full && (call == "probe" || call == "write") {
			return syscall.ENOSPC
		}
		if full && call == "create" {
			t.Error("begins a segment on a full disk")
		}
		return nil
	}
	s.run(100)
	if n := len(d.probed); n != 1+9 {
		t.Errorf("looked for room %d times in 100 seconds, want 9 times", n-1)
	}
	full = false
	s.run(10)
	if !s.recorder.Status().Up(s.now) {
		t.Error("there is room, and nothing is recorded")
	}
}

// What was not recorded, because the writing took too long for the flight recorder, is a gap, and the next segment says why.
func TestRecorder_ShowsAGap(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{})
	s.run(30)
	s.recorder.stop(context.Background(), s.now, play.ErrFellBehind)
	s.recorder.withoutPast = true // so that the flight recorder is not asked
	s.decide(30)
	s.run(30)
	all := replays(t, d)
	gaps := Gaps(all)
	if len(gaps) != 1 || gaps[0].Restart || gaps[0].To.Sub(gaps[0].From) < 29*time.Second {
		t.Errorf("the gaps are %v", gaps)
	}
	r, err := trace.NewReader(bytes.NewReader(d.files[all[1].Name]))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Header().Description, "recorded as it was decided; the recording had stopped at 2026-03-02T09:00:30Z: the reader fell behind by more than it may"; got != want {
		t.Errorf("the segment says %q, not %q", got, want)
	}
}

// A new process goes on in the directory, and removes what is too much or too old of what others left.
func TestRecorder_GoesOnAfterARestart(t *testing.T) {
	race.Alone(t)
	d := newFakeDisk()
	s := newScene(t, d, Limits{})
	s.run(60)
	s.recorder.Finish(s.now)
	s.restart(d, Limits{MaxBytes: 1 << 30, MaxAge: time.Hour})
	s.decide(10)
	s.run(60)
	all := replays(t, d)
	if len(all) != 2 || len(Gaps(all)) != 1 {
		t.Errorf("there are %d segments with the gaps %v", len(all), Gaps(all))
	}
	r, err := trace.NewReader(bytes.NewReader(d.files[all[1].Name]))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Header().Description; !strings.Contains(got, "the process before this one wrote until 2026-03-02T09:0") {
		t.Errorf("the segment after the restart says %q", got)
	}
	if st := s.recorder.Status(); st.Missing < 10*time.Second || !strings.Contains(s.logged(), "between the process before this one and this one") {
		t.Errorf("the time between two processes is %v, logged %s", st.Missing, s.logged())
	}
	first := all[0].Name
	s.run(300)
	s.now = s.now.Add(3 * time.Hour)
	s.run(5)
	if slices.Contains(d.segments(), first) {
		t.Errorf("%s is still there after hours", first)
	}
	for name := range parseIndex(d.files[indexName]) {
		if d.files[name] == nil {
			t.Errorf("the index still has %s", name)
		}
	}
}

// A clock that is set a year forward, and back a minute later, takes a few segments with it, and not the history.
func TestRecorder_KeepsHistoryWhenClockJumps(t *testing.T) {
	d := newFakeDisk()
	limits := Limits{MaxBytes: 1 << 30, MaxAge: time.Hour, segment: 4 << 10}
	s := newScene(t, d, limits)
	s.run(300)
	before := d.segments()
	if len(before) < 10 {
		t.Fatalf("there are %d segments", len(before))
	}
	left := func() (n int) {
		for _, name := range d.segments() {
			if slices.Contains(before, name) {
				n++
			}
		}
		return n
	}
	year := s.now.AddDate(1, 0, 0)
	for range 60 { // what is decided has the old time, as the engine's clock is not of the wall
		year = year.Add(time.Second)
		s.recorder.Step(t.Context(), year)
	}
	if n := len(before) - left(); n > 2*expiredPerSegment {
		t.Errorf("%d of %d segments went with a clock that jumped", n, len(before))
	}
	s.restart(d, limits) // and a process that begins with the wrong clock removes none
	was := left()
	for range 60 {
		year = year.Add(time.Second)
		s.recorder.Step(t.Context(), year)
	}
	if n := was - left(); n > expiredPerSegment {
		t.Errorf("%d of %d segments went when a process began with a wrong clock", n, was)
	}
}

// All segments together stay within their bound, and the one that is written stays.
func TestRecorder_KeepsWithinItsBound(t *testing.T) {
	d := newFakeDisk()
	limits := Limits{MaxBytes: 200 << 10, MaxAge: time.Hour}
	s := newScene(t, d, limits)
	for range 20 {
		s.run(30)
		sum := 0
		for _, name := range d.segments() {
			sum += len(d.files[name])
		}
		if int64(sum) > limits.MaxBytes || !s.recorder.Status().Up(s.now) {
			t.Fatalf("at %v there are %d bytes, and at most %d are allowed: %+v", s.now, sum, limits.MaxBytes, s.recorder.Status())
		}
		if got := s.recorder.Status().Bytes; got != int64(sum) {
			t.Errorf("the status says %d bytes, and there are %d", got, sum)
		}
	}
	if n := len(d.segments()); n < 2 {
		t.Errorf("there are %d segments", n)
	}
}

// A state that leaves no room for records is refused, with the size that it takes.
func TestRecorder_RefusesABoundBelowItsState(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{MaxBytes: 4 << 10, MaxAge: time.Hour})
	s.run(60)
	if s.recorder.Status().Recording || !strings.Contains(s.logged(), "all segments need four times as much, and may have 4.0 KiB") || len(d.segments()) > 0 {
		t.Errorf("logged %s, left %v", s.logged(), d.segments())
	}
}

// An outage may change its reason: the status and the log say the present one, and it stays one outage.
func TestRecorder_SaysWhyAnOutageGoesOn(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{})
	s.run(10)
	tries := 0
	var fails error = ErrInUse
	d.fails = func(call string) error {
		if tries++; fails == ErrInUse {
			return fails
		}
		return &fs.PathError{Op: "write", Path: fmt.Sprint("segment-", tries), Err: fails}
	}
	s.run(30)
	if why := s.recorder.Status().Outage(s.now); !strings.Contains(why, "since 09:00:10: ") || !strings.HasSuffix(why, ErrInUse.Error()) {
		t.Errorf("the outage is %q", why)
	}
	fails = syscall.ENOSPC
	s.run(100)
	st := s.recorder.Status()
	if why := st.Outage(s.now); !strings.Contains(why, "since 09:00:10: write segment-") || !strings.HasSuffix(why, "no space left on device") {
		t.Errorf("the outage is %q", why)
	}
	if n := strings.Count(s.logged(), "Nothing is recorded"); n != 2 || st.Gaps != 1 {
		t.Errorf("logged %d times, with %d gaps: %s", n, st.Gaps, s.logged())
	}
}
