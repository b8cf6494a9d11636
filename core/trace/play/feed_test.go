package play_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// feedScene is a simulated cluster with a feed of its engine.
type feedScene struct {
	t       *testing.T
	engine  *engine.Engine
	cluster *memory.Cluster
	feed    *play.Feed
	flight  *play.FlightRecorder
}

func newFeedScene(t *testing.T, o engine.Options, c *memory.Cluster, flightBytes int64) *feedScene {
	t.Helper()
	e := newEngine(t, o)
	flight, err := play.NewFlightRecorder(e, o, flightBytes)
	if err != nil {
		t.Fatal(err)
	}
	return &feedScene{t, e, c, play.NewFeed(e, o, flight), flight}
}

func (s *feedScene) until(after time.Duration) {
	drive.Run(s.cluster, start.Add(after), drive.NewScheduler(s.engine, s.flight, s.feed))
}

// finish ends a subscription and returns its trace.
func (s *feedScene) finish(one *play.Subscriber, file *bytes.Buffer) []byte {
	s.t.Helper()
	s.feed.Unsubscribe(one)
	if _, err := one.Copy(file); !errors.Is(err, io.EOF) {
		s.t.Fatalf("the last copy of an ended subscription gave %v, not the end", err)
	}
	if err := one.Close(); err != nil {
		s.t.Fatal(err)
	}
	return file.Bytes()
}

func checkFed(t *testing.T, file []byte, e *engine.Engine) *play.Report {
	t.Helper()
	again, report := replay(t, file, play.Options{})
	if !report.Exact || !report.OK() || report.Damage != nil || again.Digest() != e.Digest() {
		t.Errorf("the replay ends in %v, not in %v: %+v", again.Digest(), e.Digest(), report)
	}
	return report
}

// Subscribers join at any time, also while others read, and each replays to the engine's digest.
func TestFeed_SubscribersReplayExactly(t *testing.T) {
	for name, scene := range map[string]func(seed uint64) (engine.Options, *memory.Cluster){
		"pods and nodes": func(seed uint64) (engine.Options, *memory.Cluster) { return options(seed), simulatedCluster(seed, 80) },
		"extenders":      func(seed uint64) (engine.Options, *memory.Cluster) { return extenderScene(t, seed) },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(6) {
				o, c := scene(seed)
				s := newFeedScene(t, o, c, 0)
				var subscribers []*play.Subscriber
				files := make([]bytes.Buffer, 5)
				for i := range files {
					s.until(time.Duration(i) * 9 * time.Second)
					subscribers = append(subscribers, s.feed.Subscribe(play.SubscriptionOptions{}))
					if _, err := subscribers[0].Copy(&files[0]); err != nil {
						t.Fatal(err)
					}
					s.feed.Checkpoint()
				}
				s.until(sceneLength + time.Minute)
				for i, one := range subscribers {
					checkFed(t, s.finish(one, &files[i]), s.engine)
				}
			}
		})
	}
}

// With Since a subscription begins in the flight recorder's past, as far as that reaches.
func TestFeed_BeginsInThePast(t *testing.T) {
	for _, bytesKept := range []int64{0, 40_000} {
		s := newFeedScene(t, options(3), simulatedCluster(3, 80), bytesKept)
		s.until(40 * time.Second)
		var now, all bytes.Buffer
		since := s.feed.Subscribe(play.SubscriptionOptions{Since: start.Add(35 * time.Second)})
		whole := s.feed.Subscribe(play.SubscriptionOptions{Since: start})
		oldest := s.flight.Since()
		s.until(sceneLength)
		checkFed(t, s.finish(since, &now), s.engine)
		report := checkFed(t, s.finish(whole, &all), s.engine)
		if bytesKept == 0 && report.Decisions == 0 || !headerOf(t, all.Bytes()).Start.Equal(oldest) || len(now.Bytes()) > len(all.Bytes()) {
			t.Errorf("with %d bytes: %d decisions from %v on, the recorder begins at %v", bytesKept, report.Decisions, headerOf(t, all.Bytes()).Start, oldest)
		}
	}
}

func headerOf(t *testing.T, file []byte) trace.Header {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return r.Header()
}

// A subscription that replaces another one begins where that ends: together they have every record, each once.
func TestFeed_ReplacingLosesNothing(t *testing.T) {
	o, c := extenderScene(t, 5)
	s := newFeedScene(t, o, c, 0)
	var files []bytes.Buffer
	whole, one := s.feed.Subscribe(play.SubscriptionOptions{}), s.feed.Subscribe(play.SubscriptionOptions{})
	decisions := 0
	for i := range 8 {
		s.until(time.Duration(i+1) * 7 * time.Second)
		next := s.feed.Subscribe(play.SubscriptionOptions{Replaces: one})
		s.until(time.Duration(i+1)*7*time.Second + 3*time.Second)
		var file bytes.Buffer
		if _, err := one.Copy(&file); !errors.Is(err, play.ErrReplaced) {
			t.Fatalf("the replaced subscription gives %v, not ErrReplaced", err)
		}
		one.Stop()
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		files, one = append(files, file), next
	}
	var last, all bytes.Buffer
	s.finish(one, &last)
	for i, file := range append(files, last) {
		_, report := replay(t, file.Bytes(), play.Options{})
		if !report.OK() || !report.Exact || report.Damage != nil {
			t.Errorf("part %d: %+v", i, report)
		}
		decisions += int(report.Decisions)
	}
	if report := checkFed(t, s.finish(whole, &all), s.engine); decisions != int(report.Decisions) || decisions == 0 {
		t.Errorf("the parts have %d decisions together, the whole has %d", decisions, report.Decisions)
	}
}

// A replaced subscription goes on until it is stopped: then its last records are the first of the other one, too.
func TestFeed_ReplacedGoesOn(t *testing.T) {
	s := newFeedScene(t, options(5), simulatedCluster(5, 80), 0)
	var file, rest bytes.Buffer
	one := s.feed.Subscribe(play.SubscriptionOptions{})
	s.until(20 * time.Second)
	next := s.feed.Subscribe(play.SubscriptionOptions{Replaces: one})
	s.until(40 * time.Second)
	if n, err := one.Copy(&file); !errors.Is(err, play.ErrReplaced) || n == 0 {
		t.Fatalf("copied %d records, %v", n, err)
	}
	before, _ := one.Begun()
	checkFed(t, s.finish(one, &file), s.engine)
	whole, _ := one.Begun()
	s.until(sceneLength)
	checkFed(t, s.finish(next, &rest), s.engine)
	after, _ := next.Begun()
	if !after.Follows(&before) || !after.Follows(&whole) || whole.Decisions <= before.Decisions {
		t.Errorf("%+v goes on after %+v, and within %+v", after, before, whole)
	}
	inputs, decisions := after.Shared(&whole)
	if inputs != whole.Inputs-before.Inputs || decisions != whole.Decisions-before.Decisions {
		t.Errorf("%d inputs and %d decisions are in both, want %d and %d", inputs, decisions, whole.Inputs-before.Inputs, whole.Decisions-before.Decisions)
	}
	other := after
	other.Seed++
	if inputs, decisions = other.Shared(&whole); inputs != 0 || decisions != 0 {
		t.Errorf("%d inputs and %d decisions of another scheduler are in both", inputs, decisions)
	}
}

// A subscription does not hold the one that it has replaced, whose trace has buffers and a compressor.
func TestFeed_HoldsNoReplacedSubscription(t *testing.T) {
	s := newFeedScene(t, options(5), simulatedCluster(5, 10), 0)
	one := s.feed.Subscribe(play.SubscriptionOptions{})
	replaced := weak.Make(one)
	one = s.feed.Subscribe(play.SubscriptionOptions{Replaces: one})
	s.until(time.Second)
	s.feed.Unsubscribe(replaced.Value())
	runtime.GC()
	if replaced.Value() != nil {
		t.Error("the replaced subscription is held")
	}
	runtime.KeepAlive(one)
}

// A subscriber that does not write in time ends; the engine and the others go on.
func TestFeed_EndsASubscriberThatFallsBehind(t *testing.T) {
	s := newFeedScene(t, options(4), simulatedCluster(4, 80), 0)
	var slow, quick bytes.Buffer
	behind := s.feed.Subscribe(play.SubscriptionOptions{MaxBytes: 20_000})
	other := s.feed.Subscribe(play.SubscriptionOptions{})
	s.until(sceneLength)
	if _, err := behind.Copy(&slow); !errors.Is(err, play.ErrFellBehind) {
		t.Errorf("the error is %v, not ErrFellBehind", err)
	}
	checkFed(t, s.finish(other, &quick), s.engine)
}

// The objects of a list that the engine holds are in memory anyway. A list of others, such as one that it knew already, is not.
func TestFeed_ListsCountWhatTheEngineDoesNotHold(t *testing.T) {
	e := newEngine(t, options(0))
	feed := play.NewFeed(e, options(0), nil)
	one := feed.Subscribe(play.SubscriptionOptions{MaxBytes: 200_000})
	list := func() (l world.Listed) {
		l.Kind = world.Pod
		for i := range 1000 {
			pod := mk.Pod(fmt.Sprintf("p%d", i)).CPU("1").Obj()
			pod.ResourceVersion = "7"
			l.Objects = append(l.Objects, pod)
		}
		return l
	}
	for i, want := range []error{nil, play.ErrFellBehind} {
		in := world.Input{At: start, Event: list()}
		feed.Applied(in, e.Apply(in))
		if _, err := one.Copy(io.Discard); !errors.Is(err, want) {
			t.Errorf("after list %d the error is %v, want %v", i+1, err, want)
		}
	}
}

// Subscribers are told once when the recording on disk stops and goes on; one that comes in between is told at its beginning.
func TestFeed_TellsOfOutages(t *testing.T) {
	s := newFeedScene(t, options(6), simulatedCluster(6, 80), 0)
	var files [2]bytes.Buffer
	first := s.feed.Subscribe(play.SubscriptionOptions{})
	s.feed.SetOutage("")
	s.until(10 * time.Second)
	for range 3 {
		s.feed.SetOutage("the disk is full")
	}
	s.until(20 * time.Second)
	second := s.feed.Subscribe(play.SubscriptionOptions{Since: start})
	s.until(30 * time.Second)
	s.feed.SetOutage("")
	s.until(sceneLength)
	want := []trace.Mark{{Kind: trace.RecordingStopped, Text: "the disk is full"}, {Kind: trace.RecordingResumed, Text: "recording on disk goes on"}}
	for i, one := range []*play.Subscriber{first, second} {
		file := s.finish(one, &files[i])
		checkFed(t, file, s.engine)
		var got []trace.Mark
		for _, m := range player(t, file).Marks() {
			if m.Mark.Kind >= trace.RecordingStopped {
				got = append(got, m.Mark)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("subscriber %d is told %+v", i, got)
		}
	}
}

// So they are told when the engine lags behind its cluster, once however far it does, and of marks that are added.
func TestFeed_TellsOfLag(t *testing.T) {
	s := newFeedScene(t, options(6), simulatedCluster(6, 80), 0)
	var files [2]bytes.Buffer
	first := s.feed.Subscribe(play.SubscriptionOptions{})
	s.feed.SetBehind("")
	s.until(10 * time.Second)
	s.feed.SetBehind("falls behind: 7 changes")
	s.feed.SetBehind("falls behind: 900 changes")
	s.until(20 * time.Second)
	second := s.feed.Subscribe(play.SubscriptionOptions{Since: start})
	s.until(30 * time.Second)
	s.feed.SetBehind("")
	s.feed.AddMark(trace.Mark{Kind: trace.Difference, Text: "unexplained"})
	s.until(sceneLength)
	want := []trace.Mark{
		{Kind: trace.FellBehind, Text: "falls behind: 7 changes"},
		{Kind: trace.CaughtUp, Text: "up to date with the cluster again"},
		{Kind: trace.Difference, Text: "unexplained"},
	}
	for i, one := range []*play.Subscriber{first, second} {
		file := s.finish(one, &files[i])
		checkFed(t, file, s.engine)
		var got []trace.Mark
		for _, m := range player(t, file).Marks() {
			if m.Mark.Kind >= trace.RecordingStopped {
				got = append(got, m.Mark)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("subscriber %d is told %+v", i, got)
		}
	}
}

// What writes a subscription learns of records, and of the end, by a channel.
func TestFeed_SaysWhenThereIsSomething(t *testing.T) {
	s := newFeedScene(t, options(4), simulatedCluster(4, 80), 0)
	one := s.feed.Subscribe(play.SubscriptionOptions{})
	<-one.Ready()
	if _, err := one.Copy(io.Discard); err != nil {
		t.Fatal(err)
	}
	select {
	case <-one.Ready():
		t.Error("ready without a record")
	default:
	}
	s.feed.Checkpoint()
	<-one.Ready()
	if n, err := one.Copy(io.Discard); n != 1 || err != nil {
		t.Errorf("copied %d records, %v; want the checkpoint", n, err)
	}
	s.feed.Unsubscribe(one)
	<-one.Ready()
}
