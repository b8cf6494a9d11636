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
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// largeEngine is an engine of 5,000 nodes and 100,000 pods, of which 5,000 fit nowhere.
func largeEngine(b *testing.B) *engine.Engine {
	b.Helper()
	const nodes, bound, pending = 5000, 95_000, 5000
	e := newEngine(b, options(0))
	add := func(o world.Object) { apply(b, e, drive.Observers{}, world.Changed{Op: world.Added, Object: o}) }
	for i := range nodes {
		add(mk.Node(fmt.Sprintf("n%d", i)).Zone(fmt.Sprintf("z%d", i%3)).CPU("128").Memory("512Gi").Pods("250").Obj())
	}
	for i := range bound {
		add(mk.Pod(fmt.Sprintf("old%d", i)).Node(fmt.Sprintf("n%d", i%nodes)).Label("app", fmt.Sprintf("old%d", i%500)).CPU("1").Memory("2Gi").Obj())
	}
	for i := range pending {
		add(mk.Pod(fmt.Sprintf("huge%d", i)).Label("app", "huge").CPU("1000").Obj())
	}
	for {
		if d, more := e.Step(); d == nil && !more {
			break
		}
		e.Effects()
	}
	return e
}

// BenchmarkCheckpoint begins subscriptions of a large cluster. It reports what that takes of the loop's time, the longest one, what
// decisions after it take more than those before, and how long writing the state takes elsewhere.
func BenchmarkCheckpoint(b *testing.B) {
	const pods = 2000
	e := largeEngine(b)
	n := 0
	took := func(do func()) time.Duration {
		began := b.Elapsed()
		do()
		return b.Elapsed() - began
	}
	decide := func(w drive.Observer) func() {
		return func() {
			for range pods {
				onePod(b, e, w, n)
				n++
			}
		}
	}
	decide(drive.Observers{})()
	var begin, longest, written, before, after time.Duration
	for b.Loop() {
		feed := play.NewFeed(e, options(0), nil)
		before += took(decide(feed))
		var one *play.Subscriber
		this := took(func() { one = feed.Subscribe(play.SubscriptionOptions{MaxBytes: 1 << 40}) })
		begin, longest = begin+this, max(longest, this)
		after += took(decide(feed))
		written += took(func() {
			if _, err := one.Copy(io.Discard); err != nil {
				b.Fatal(err)
			}
		})
		feed.Unsubscribe(one)
	}
	for name, sum := range map[string]time.Duration{"ms-of-loop": begin, "ms-decisions-before": before, "ms-decisions-after": after, "ms-written": written} {
		b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), name)
	}
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
}

// BenchmarkCheckpoint_Restored makes players of the state of a large cluster, as attaching does.
func BenchmarkCheckpoint_Restored(b *testing.B) {
	feed := play.NewFeed(largeEngine(b), options(0), nil)
	one := feed.Subscribe(play.SubscriptionOptions{MaxBytes: 1 << 40})
	var written bytes.Buffer
	if _, err := one.Copy(&written); err != nil {
		b.Fatal(err)
	}
	if err := one.Flush(); err != nil {
		b.Fatal(err)
	}
	feed.Unsubscribe(one)
	b.ReportMetric(float64(written.Len())/1e6, "MB/state")
	b.ReportAllocs()
	for b.Loop() {
		r, err := trace.NewReader(bytes.NewReader(written.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		first, err := r.Next()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := play.NewGrowingPlayer(r.Header(), first, play.Options{}, 0); err != nil {
			b.Fatal(err)
		}
	}
}
