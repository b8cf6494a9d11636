package play_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// BenchmarkRecording schedules one pod from its arrival to its binding on 1,000 nodes: without an observer, with the
// flight recorder, with a recorder, and with a feed that has no subscriber or one.
func BenchmarkRecording(b *testing.B) {
	for _, c := range []struct {
		name  string
		watch func(*engine.Engine) (drive.Observer, error)
	}{
		{"no subscriber", func(*engine.Engine) (drive.Observer, error) { return drive.Observers{}, nil }},
		{"flight", func(e *engine.Engine) (drive.Observer, error) { return play.NewFlightRecorder(e, options(0), 0) }},
		{"file", func(e *engine.Engine) (drive.Observer, error) {
			return play.NewRecorder(io.Discard, e, options(0), play.About{})
		}},
		{"feed", func(e *engine.Engine) (drive.Observer, error) { return play.NewFeed(e, options(0), nil), nil }},
		{"reader", func(e *engine.Engine) (drive.Observer, error) {
			feed := play.NewFeed(e, options(0), nil)
			return &discarding{Feed: feed, one: feed.Subscribe(play.SubscriptionOptions{})}, nil
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := newEngine(b, options(0))
			for i := range 1000 {
				node := mk.Node(fmt.Sprintf("n%d", i)).Zone(fmt.Sprintf("z%d", i%3)).CPU("6400").Memory("25600Gi").Pods("100000").Obj()
				apply(b, e, drive.Observers{}, world.Changed{Op: world.Added, Object: node})
			}
			w, err := c.watch(e)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				onePod(b, e, w, i)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pods/s")
		})
	}
}

// discarding is a feed with a subscriber that writes what 200 decisions come to, as a stream at 1,000 decisions a second does.
type discarding struct {
	*play.Feed
	one *play.Subscriber
	n   int
}

func (d *discarding) Stepped(made *engine.Decision) {
	d.Feed.Stepped(made)
	if made == nil {
		return
	}
	if d.n++; d.n%200 == 0 {
		if _, err := d.one.Copy(io.Discard); err != nil {
			panic(err)
		}
		if err := d.one.Flush(); err != nil {
			panic(err)
		}
	}
}

func apply(b *testing.B, e *engine.Engine, w drive.Observer, event world.Event) {
	in := world.Input{At: start, Event: event}
	err := e.Apply(in)
	if w.Applied(in, err); err != nil {
		b.Fatal(err)
	}
}

// onePod adds a pod, lets it be bound, and deletes it.
func onePod(b *testing.B, e *engine.Engine, w drive.Observer, i int) {
	pod := mk.Pod(fmt.Sprintf("p%d", i)).CPU("100m").Memory("100Mi").Label("app", "web").Obj()
	apply(b, e, w, world.Changed{Op: world.Added, Object: pod})
	d, _ := e.Step()
	w.Stepped(d)
	bound := *pod
	bound.Spec.NodeName = d.Node
	for _, effect := range e.Effects() {
		w.Emitted(effect)
		apply(b, e, w, world.EffectDone{Effect: effect.ID})
	}
	w.Stepped(nil)
	apply(b, e, w, world.Changed{Op: world.Modified, Object: &bound})
	apply(b, e, w, world.Changed{Op: world.Deleted, Object: &bound})
}

// BenchmarkSeek seeks in three minutes of a busy small cluster. It reports the slowest seek.
func BenchmarkSeek(b *testing.B) {
	_, file := recorded(b, 1, 600, play.About{})
	p, err := play.NewPlayer(bytes.NewReader(file), play.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := p.PrefetchAll(nil); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	var slowest time.Duration
	at := 0
	for range b.N {
		before := b.Elapsed()
		at = (at + 67) % int(sceneLength/time.Second)
		if err := p.Seek(start.Add(seconds(at))); err != nil {
			b.Fatal(err)
		}
		slowest = max(slowest, b.Elapsed()-before)
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "ms-slowest")
	b.ReportMetric(float64(len(p.Records())), "records")
	b.ReportMetric(float64(p.Report().Decisions), "decisions")
	b.ReportMetric(float64(len(file)), "file-bytes")
}

// BenchmarkReplay replays three minutes.
func BenchmarkReplay(b *testing.B) {
	_, file := recorded(b, 1, 600, play.About{})
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, report := replay(b, file, play.Options{}); !report.OK() {
			b.Fatal(report.First)
		}
	}
}
