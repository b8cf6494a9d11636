package benchattach

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// inProcess is an engine in this process, and the feed of its records.
type inProcess struct {
	b      *testing.B
	engine *engine.Engine
	feed   *play.Feed
	at     time.Time
}

func (p *inProcess) apply(event world.Event) {
	p.at = p.at.Add(time.Millisecond / 6)
	in := world.Input{At: p.at, Event: event}
	err := p.engine.Apply(in)
	if err != nil {
		p.b.Fatal(err)
	}
	p.feed.Applied(in, err)
}

func (p *inProcess) change(op world.Op, pod *v1.Pod) {
	p.apply(world.Changed{Op: op, Object: trim.LiveObject(pod)})
}

// decide lets a pod come, be bound, run and go, as a cluster tells of it.
func (p *inProcess) decide(pod *v1.Pod) {
	p.change(world.Added, pod)
	d, _ := p.engine.Step()
	p.feed.Stepped(d)
	if d == nil || d.Node == "" {
		p.b.Fatalf("%s gets no node: %+v", pod.Name, d)
	}
	bound := *pod
	bound.Spec.NodeName = d.Node
	for _, effect := range p.engine.Effects() {
		p.feed.Emitted(effect)
		if world.HasOutcome(effect.Action) {
			p.apply(world.EffectDone{Effect: effect.ID})
		}
	}
	p.change(world.Modified, &bound)
	runs := running(&bound)
	p.change(world.Modified, runs)
	gone := *runs
	gone.DeletionTimestamp = &runs.CreationTimestamp
	p.change(world.Modified, &gone)
	p.change(world.Deleted, &gone)
}

// BenchmarkReader_Writing measures what writing the records of a decision takes, of the pods of the other benchmarks, without a
// network: most of what a reader takes.
func BenchmarkReader_Writing(b *testing.B) {
	const pods = 2000
	p := &inProcess{b: b, at: time.Now()}
	o := engine.Options{Seed: 1, Start: p.at}
	var err error
	if p.engine, err = engine.New(o); err != nil {
		b.Fatal(err)
	}
	p.feed = play.NewFeed(p.engine, o, nil)
	for i := range 100 {
		p.apply(world.Changed{Op: world.Added, Object: trim.LiveObject(newNode(i))})
	}
	reader := p.feed.Subscribe(play.SubscriptionOptions{MaxBytes: 1 << 40})
	to := &counter{}
	written, n := time.Duration(0), 0
	for b.Loop() {
		for range pods {
			p.decide(newPod(n))
			n++
		}
		before := b.Elapsed()
		if _, err := reader.Copy(to); err != nil {
			b.Fatal(err)
		}
		if err := reader.Heartbeat(); err != nil {
			b.Fatal(err)
		}
		written += b.Elapsed() - before
	}
	b.ReportMetric(float64(written.Microseconds())/float64(n), "µs/pod")
	b.ReportMetric(float64(to.bytes)/float64(n), "B/pod")
}

type counter struct{ bytes int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}
