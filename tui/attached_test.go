package tui

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"orrery/core/trace"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
)

// attachment is a session whose batches a test makes.
type attachment struct {
	batches []attach.Batch
	wake    chan struct{}
}

func (a *attachment) Wake() <-chan struct{} { return a.wake }

func (a *attachment) Take() (b attach.Batch, more bool) {
	b, a.batches = a.batches[0], a.batches[1:]
	if len(a.batches) == 0 {
		a.batches = []attach.Batch{{State: b.State}}
		return b, false
	}
	return b, true
}

func (a *attachment) put(b attach.Batch) { a.batches = append(a.batches, b) }

// streamed is the recorded minute as a stream of a scheduler.
type streamed struct {
	state  attach.State
	player *play.Player
	rest   []trace.Record
}

func newStreamed(t *testing.T, pod string) *streamed {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(minute()))
	if err != nil {
		t.Fatal(err)
	}
	first, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	s := &streamed{state: attach.State{Where: "pod kube-system/" + pod, Speaker: stream.Speaker{Identity: pod + "_5b1f0c9e", Leading: true}}}
	if s.player, err = play.NewGrowingPlayer(r.Header(), first, Followed(nil, nil)(), 0); err != nil {
		t.Fatal(err)
	}
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		s.rest = append(s.rest, record)
	}
	return s
}

// until returns the next records, up to a time of the minute.
func (s *streamed) until(after time.Duration) (records []trace.Record) {
	for len(s.rest) > 0 && s.rest[0].At.Sub(start) <= after {
		records, s.rest = append(records, s.rest[0]), s.rest[1:]
	}
	return records
}

// attached opens a screen on a scheduler whose stream is 20 seconds old.
func attached(t *testing.T, w, h int) (*session, *attachment, *streamed, *time.Time) {
	t.Helper()
	one, clock := newStreamed(t, "orrery-7d4f9c-x2x9p"), start.Add(20*time.Second)
	a := &attachment{}
	a.put(attach.Batch{Segment: &attach.Segment{State: one.state, Player: one.player}, Records: one.until(20 * time.Second), State: one.state})
	return watch(t, OpenAttached(a, func() time.Time { return clock }), w, h).advance(time.Second), a, one, &clock
}

func TestAttached_FollowsTheStream(t *testing.T) {
	s, a, one, _ := attached(t, 140, 40)
	s.shows("orrery-7d4f9c-x2x9p", "ATTACHED", "▶ live", "00:1")
	decided := s.loop.source.Engine().Counters().Decisions[0]
	a.put(attach.Batch{Records: one.until(40 * time.Second), State: one.state})
	s.advance(time.Second).shows("▶ live", "00:38.7")
	if now := s.loop.source.Engine().Counters().Decisions[0]; now <= decided {
		t.Errorf("%d decisions, and %d before", now, decided)
	}
	s.keys("L").shows("this goes on: it has no end to loop at")
}

// What is looked at stays while more comes, and $ goes on at the end.
func TestAttached_StandsStillAndGoesBack(t *testing.T) {
	s, a, one, _ := attached(t, 140, 40)
	s.keys("space", "[").shows("‖")
	at := s.loop.source.Now()
	a.put(attach.Batch{Records: one.until(40 * time.Second), State: one.state})
	s.advance(time.Second).shows("‖")
	if !s.loop.source.Now().Equal(at) {
		t.Errorf("it went from %v to %v", at, s.loop.source.Now())
	}
	s.keys("^").shows("00:00.000").keys("space").advance(2*time.Second).shows("00:02.0", "▶ 1x")
	s.keys("$").advance(time.Second).shows("▶ live", "00:38.7")
	s.keys(":").typeText("explain web-20").keys("enter").shows("Explain", "web-20", "Insufficient cpu")
}

func TestAttached_Goldens(t *testing.T) {
	s, a, one, clock := attached(t, 140, 40)
	golden(t, "attached-140x40.txt", s.plain())
	lost := one.state
	lost.LostAt, lost.Lost, lost.RetryAt = clock.Add(-12*time.Second), errors.New("the scheduler stops"), clock.Add(4*time.Second)
	lost.Retry = errors.New("no scheduler leads: the lease kube-system/kube-scheduler has no holder")
	a.put(attach.Batch{State: lost})
	golden(t, "attached-lost-140x40.txt", s.advance(time.Second).plain())
}

// While the scheduler cannot record on disk, the first line says so.
func TestAttached_SaysThatNothingIsRecorded(t *testing.T) {
	s, a, one, _ := attached(t, 220, 40)
	mark := func(kind trace.MarkKind, text string) {
		a.put(attach.Batch{Records: []trace.Record{{At: s.loop.source.(*Attached).End(), Body: trace.Mark{Kind: kind, Text: text}}}, State: one.state})
	}
	mark(trace.RecordingStopped, "nothing is recorded on disk since 09:00:12: no space\x1b[2J left on device")
	s.advance(time.Second).shows("nothing is recorded on disk since 09:00:12: no space", "left on device; scheduling goes on", "ATTACHED").lacks("\x1b[2J")
	a.put(attach.Batch{Records: one.until(40 * time.Second), State: one.state})
	s.advance(time.Second).shows("no space", "▶ live")
	mark(trace.RecordingResumed, "recording on disk goes on")
	s.advance(time.Second).lacks("no space")
}

// While what an observer sends lags behind its cluster, the first line says so.
func TestAttached_SaysThatAnObserverFallsBehind(t *testing.T) {
	s, a, one, _ := attached(t, 220, 40)
	mark := func(kind trace.MarkKind, text string) {
		a.put(attach.Batch{Records: []trace.Record{{At: s.loop.source.(*Attached).End(), Body: trace.Mark{Kind: kind, Text: text}}}, State: one.state})
	}
	mark(trace.FellBehind, "the API server is lost since 09:00:12: no route\x1b[2J to host")
	s.advance(time.Second).shows("the API server is lost since 09:00:12: no route", "to host", "ATTACHED").lacks("\x1b[2J")
	mark(trace.CaughtUp, "up to date with the cluster again")
	s.advance(time.Second).lacks("no route")
}

// A failover is told of, with what is unknown between the two streams.
func TestAttached_FollowsAFailover(t *testing.T) {
	for name, paused := range map[string]bool{"following": false, "looking at something": true} {
		t.Run(name, func(t *testing.T) {
			s, a, one, clock := attached(t, 220, 40)
			if paused {
				s.keys("space")
			}
			lost := one.state
			lost.LostAt, lost.Lost = *clock, errors.New("the scheduler stops")
			a.put(attach.Batch{State: lost})
			*clock = clock.Add(5 * time.Second)
			s.advance(time.Second).shows("lost 5s ago: the scheduler stops; looking for the leader", "ATTACHED")
			if blind := s.screen.frame.Model.Header.Blind; blind == paused {
				t.Errorf("without a stream the screen is dimmed: %t", blind)
			}
			two := newStreamed(t, "orrery-7d4f9c-abcde")
			a.put(attach.Batch{Segment: &attach.Segment{State: two.state, Player: two.player, Before: lost}, Records: two.until(50 * time.Second), State: two.state})
			s.advance(2 * time.Second)
			if paused {
				s.shows("orrery-7d4f9c-abcde leads now; $ goes there", "orrery ▸ orrery-7d4f9c-x2x9p", "‖").keys("$").advance(2 * time.Second)
			}
			s.shows("orrery ▸ orrery-7d4f9c-abcde", "orrery-7d4f9c-abcde leads after orrery-7d4f9c-x2x9p; nothing between them is missing", "▶ live").lacks("lost")
			if s.screen.frame.Model.Header.Blind {
				t.Error("with another stream the screen is dimmed")
			}
		})
	}
}

func TestAttached_SaysHowStreamsJoin(t *testing.T) {
	a, b := attach.State{Speaker: stream.Speaker{Identity: "a_1"}}, attach.State{Speaker: stream.Speaker{Identity: "b_2"}}
	for want, got := range map[string]string{
		"b leads after a; 14s between them are unknown":      joins(&b, &a, 14*time.Second),
		"b leads after a; nothing between them is missing":   joins(&b, &a, -time.Second),
		"attached to a again; 1.5s between them are unknown": joins(&a, &a, 1500*time.Millisecond),
	} {
		if got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}

// A stream that decides otherwise than the scheduler says so.
func TestAttached_SaysThatItDiverges(t *testing.T) {
	s, a, one, _ := attached(t, 220, 40)
	records := one.until(40 * time.Second)
	for i := range records {
		if d, ok := records[i].Body.(trace.Decision); ok {
			d.Digest++
			records[i].Body = d
			break
		}
	}
	a.put(attach.Batch{Records: records, State: one.state})
	s.advance(time.Second).shows("this is not what the scheduler holds, which decided differently: record")
}

func TestAttached_SavesATrace(t *testing.T) {
	s, _, _, _ := attached(t, 140, 40)
	s.keys(":").typeText("save incident.orrery").keys("enter").shows("saved")
	file, err := os.ReadFile(filepath.Join(s.screen.options.Folder, "incident.orrery"))
	if err != nil {
		t.Fatal(err)
	}
	e, report, err := play.Replay(bytes.NewReader(file), play.Options{})
	if err != nil || !report.OK() || report.Damage != nil || e.Digest() != s.loop.source.Engine().Digest() {
		t.Errorf("the replay: %+v, %v", report, err)
	}
	s.keys(":").typeText("save incident.orrery").keys("enter").shows("exists")
	newSession(t, 140, 40).keys(":").typeText("save x.orrery").keys("enter").shows("only of an attached scheduler")
}
