package attach_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
	"orrery/core/world"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// scheduler is an engine whose records are streamed.
type scheduler struct {
	t         testing.TB
	name      string
	engine    *engine.Engine
	feed      *play.Feed
	scheduler *drive.Scheduler
	to        *play.Subscriber
	sent      bytes.Buffer
}

// newScheduler returns a scheduler with a node, whose stream has begun.
func newScheduler(t testing.TB, name string) *scheduler {
	o := engine.Options{Start: start}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduler{t: t, name: name, engine: e, feed: play.NewFeed(e, o, nil)}
	s.scheduler = drive.NewScheduler(e, s.feed)
	s.apply(start, mk.Node("node-1").CPU("4").Memory("8Gi").Pods("10").Obj())
	s.to = s.feed.Subscribe(play.SubscriptionOptions{})
	return s
}

func (s *scheduler) apply(at time.Time, o world.Object) {
	s.scheduler.Apply(world.Input{At: at, Event: world.Changed{Op: world.Added, Object: o}})
	s.scheduler.Effects()
}

// schedule adds pods and sends what comes of them, with a checkpoint at the end.
func (s *scheduler) schedule(pods ...string) {
	for i, pod := range pods {
		s.apply(start.Add(time.Duration(i+1)*time.Second), mk.Pod(pod).UID(pod).CPU("1").Obj())
	}
	s.feed.Checkpoint()
	s.flush()
}

func (s *scheduler) flush() {
	if _, err := s.to.Copy(&s.sent); err != nil {
		s.t.Fatal(err)
	}
	if err := s.to.Flush(); err != nil {
		s.t.Fatal(err)
	}
}

// connection is the stream of what was sent so far. It goes on, without a word, until it is closed, or ends for a reason.
func (s *scheduler) connection(ends string) *attach.Connection {
	out, in := io.Pipe()
	go func() {
		_, err := in.Write(s.sent.Bytes())
		if ends != "" && err == nil {
			in.Close()
		}
	}()
	return &attach.Connection{
		ReadCloser: out, Speaker: stream.Speaker{Identity: s.name, Leading: true}, Where: "pod kube-system/" + s.name,
		EndReason: func() string { return ends },
	}
}

func noOptions() play.Options { return play.Options{} }

// taken takes batches until nothing is left, and plays them.
func taken(t *testing.T, s *attach.Session, p **play.Player) (state attach.State, segments []attach.Segment) {
	t.Helper()
	synctest.Wait()
	for more := true; more; {
		var b attach.Batch
		b, more = s.Take()
		if b.Segment != nil {
			segments, *p = append(segments, *b.Segment), b.Segment.Player
		}
		if err := (*p).Append(b.Records...); err != nil {
			t.Fatal(err)
		}
		state = b.State
	}
	if err := (*p).SeekRecord((*p).End().Record); err != nil {
		t.Fatal(err)
	}
	if r := (*p).Report(); !r.Exact || !r.OK() {
		t.Errorf("the report is %+v", r)
	}
	return state, segments
}

// brokenReader panics once it was read for a while.
type brokenReader struct {
	io.ReadCloser
	left int
}

func (r *brokenReader) Read(p []byte) (int, error) {
	if r.left--; r.left < 0 {
		panic("planted")
	}
	return r.ReadCloser.Read(p[:1])
}

// A panic of the reader ends the session, which says so; what was read stays.
func TestSession_EndsAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := newScheduler(t, "a")
		of.schedule("web-0")
		whole := of.sent.Len()
		of.schedule("web-1")
		s, err := attach.Open(t.Context(), attach.Options{Play: noOptions, Connect: func(context.Context, time.Duration) (*attach.Connection, error) {
			c := of.connection("")
			c.ReadCloser = &brokenReader{c.ReadCloser, whole}
			return c, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var p *play.Player
		state, _ := taken(t, s, &p)
		if state.Attached() || !state.GaveUp || state.Lost == nil || state.Lost.Error() != "reading the stream panicked: planted" {
			t.Errorf("the state is %+v", state)
		}
		if p.Engine().Store().Pod("default", "web-0") == nil {
			t.Error("what was read before is lost")
		}
	})
}

var errNoLeader = errors.New("no scheduler leads")

// When the leader is gone the next one is looked for, after 1, 2 and 4 seconds, and its stream is asked for from before the gap.
func TestSession_FollowsTheNextLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newScheduler(t, "orrery-a"), newScheduler(t, "orrery-b")
		first.schedule("one", "two")
		second.schedule("three")
		var asked []time.Duration
		s, err := attach.Open(t.Context(), attach.Options{Since: time.Minute, Play: noOptions, Connect: func(_ context.Context, since time.Duration) (*attach.Connection, error) {
			asked = append(asked, since)
			switch len(asked) {
			case 1:
				return first.connection("the scheduler stops"), nil
			case 4:
				return second.connection(""), nil
			}
			return nil, errNoLeader
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var p *play.Player
		began := time.Now()
		state, segments := taken(t, s, &p)
		if len(segments) != 1 || segments[0].Identity != "orrery-a" || !segments[0].Before.Attached() || p.Engine().Digest() != first.engine.Digest() {
			t.Errorf("the first segments are %+v", segments)
		}
		if state.Attached() || state.Lost.Error() != "the scheduler stops" || state.RetryAt.Sub(began) != time.Second {
			t.Errorf("after its end: %+v", state)
		}
		<-time.After(5 * time.Second)
		if state, _ := taken(t, s, &p); !errors.Is(state.Retry, errNoLeader) || state.RetryAt.Sub(began) != 7*time.Second || state.Identity != "orrery-a" {
			t.Errorf("while no replica leads: %+v", state)
		}
		<-time.After(2 * time.Second)
		state, segments = taken(t, s, &p)
		if len(segments) != 1 || segments[0].Before.Identity != "orrery-a" || segments[0].Before.Attached() || !state.Attached() || state.Identity != "orrery-b" || state.Retry != nil {
			t.Errorf("after the failover: %+v, %+v", segments, state)
		}
		if p.Engine().Digest() != second.engine.Digest() {
			t.Error("it does not stand where the second scheduler does")
		}
		if want := []time.Duration{time.Minute, 21 * time.Second, 23 * time.Second, 27 * time.Second}; !slices.Equal(asked, want) {
			t.Errorf("asked for streams since %v, want %v", asked, want)
		}
	})
}

// stallingStream fails once nothing has come for 15 s, as a stream.Stream does.
type stallingStream struct{ io.ReadCloser }

func (s stallingStream) Read(p []byte) (int, error) {
	stalled := time.AfterFunc(15*time.Second, func() { s.Close() })
	defer stalled.Stop()
	return s.ReadCloser.Read(p)
}

// A stall is noticed late: the next stream is asked for from before the last record that was read.
func TestSession_AsksForWhatAStallHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := newScheduler(t, "orrery-a")
		of.schedule("one", "two")
		began := time.Now()
		var since, at time.Duration
		s, err := attach.Open(t.Context(), attach.Options{Play: noOptions, Connect: func(_ context.Context, asked time.Duration) (*attach.Connection, error) {
			since, at = asked, time.Since(began)
			c := of.connection("")
			c.ReadCloser = stallingStream{c.ReadCloser}
			return c, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		<-time.After(20 * time.Second)
		synctest.Wait()
		if at != 16*time.Second || since != at+20*time.Second {
			t.Errorf("at %v the stream is asked for since %v", at, since)
		}
	})
}

// A reader that fell behind reads records of long ago: their time counts, up to ten minutes.
func TestSession_AsksForWhatItFellBehind(t *testing.T) {
	for lag, want := range map[time.Duration]time.Duration{30 * time.Second: 51 * time.Second, time.Hour: 10*time.Minute + 21*time.Second} {
		synctest.Test(t, func(t *testing.T) {
			<-time.After(time.Until(start.Add(2*time.Second + lag)))
			of := newScheduler(t, "orrery-a")
			of.schedule("one", "two") // at start + 2 s
			var since time.Duration
			s, err := attach.Open(t.Context(), attach.Options{Play: noOptions, Connect: func(_ context.Context, asked time.Duration) (*attach.Connection, error) {
				if since = asked; asked > 0 {
					return nil, errNoLeader
				}
				return of.connection("the reader fell behind"), nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			<-time.After(1500 * time.Millisecond)
			synctest.Wait()
			if since != want {
				t.Errorf("%v late the stream is asked for since %v, want %v", lag, since, want)
			}
		})
	}
}

func TestSession_GivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		only := newScheduler(t, "orrery-a")
		only.schedule("one")
		tries := 0
		s, err := attach.Open(t.Context(), attach.Options{Play: noOptions, GiveUpAfter: time.Minute, Connect: func(context.Context, time.Duration) (*attach.Connection, error) {
			if tries++; tries == 1 {
				return only.connection("it stops"), nil
			}
			return nil, errNoLeader
		}})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		var p *play.Player
		if state, _ := taken(t, s, &p); !state.GaveUp || !state.RetryAt.IsZero() || tries != 8 {
			t.Errorf("after %d tries: %+v", tries, state)
		}
		s.Close()
	})
}

func TestSession_SaysWhyTheFirstStreamDoesNotBegin(t *testing.T) {
	for want, c := range map[string]*attach.Connection{
		"reading the stream of pod x":                       {Where: "pod x", ReadCloser: io.NopCloser(strings.NewReader("<html>"))},
		"reading the stream of pod y: the trace is damaged": {Where: "pod y", ReadCloser: io.NopCloser(bytes.NewReader(header(t)))},
		"no scheduler leads":                                nil,
	} {
		_, err := attach.Open(t.Context(), attach.Options{Play: noOptions, Connect: func(context.Context, time.Duration) (*attach.Connection, error) {
			if c == nil {
				return nil, errNoLeader
			}
			return c, nil
		}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// header returns a trace that ends before its first record.
func header(t *testing.T) []byte {
	var file bytes.Buffer
	if _, err := trace.NewWriter(&file, trace.Header{Origin: trace.FromState, Start: start}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// A session whose records are not taken stops reading.
func TestSession_HoldsABoundedAmount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := longTrace(t)
		rest := &counter{from: bytes.NewReader(file)}
		s, err := attach.Open(t.Context(), attach.Options{Play: noOptions, Connect: func(context.Context, time.Duration) (*attach.Connection, error) {
			return &attach.Connection{ReadCloser: io.NopCloser(rest), EndReason: func() string { return "" }}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		synctest.Wait()
		read := rest.bytes
		if read > len(file)*5/6 {
			t.Errorf("%d of %d bytes were read before any was taken", read, len(file))
		}
		s.Take()
		s.Take()
		synctest.Wait()
		if rest.bytes == read {
			t.Error("it does not go on after records were taken")
		}
	})
}

// longTrace returns a trace of 24 MiB, unpacked.
func longTrace(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	random, text := rand.NewChaCha8([32]byte{}), make([]byte, 48<<10)
	for range 1 << 9 {
		_, _ = random.Read(text)
		if err := w.Write(trace.Record{At: start, Body: trace.Mark{Text: string(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

type counter struct {
	from  io.Reader
	bytes int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += n
	return n, err
}

// A snapshot stands where the scheduler stood at its first checkpoint.
func TestSnapshot_StandsInThePresent(t *testing.T) {
	s := newScheduler(t, "orrery-a")
	s.schedule("one", "two", "three", "four", "five")
	digest := s.engine.Digest()
	s.schedule("six")
	c := s.connection("")
	defer c.Close()
	p, err := attach.Snapshot(c, play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Engine().Digest() != digest || !p.Report().OK() || p.At() != p.End() {
		t.Errorf("it stands at %v of %v with %v, not %v", p.At(), p.End(), p.Engine().Digest(), digest)
	}
	s.sent.Truncate(s.sent.Len() / 4)
	cut := s.connection("it stops")
	if _, err := attach.Snapshot(cut, play.Options{}); err == nil {
		t.Error("a stream that ends before the present is answered from")
	}
}
