package play_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/world/memory"
)

// busyTrace is three minutes of 300 nodes with 3,000 pods, as large as the largest recordings on a screen.
func busyTrace(b *testing.B) []byte {
	b.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	c := memory.New(memory.Options{Start: start, Seed: 1, Latency: memory.TypicalLatency()})
	for i := range 300 {
		must(c.Create(mk.Node(fmt.Sprintf("node-%d", i)).CPU("8").Memory("32Gi").Zone(fmt.Sprintf("zone-%d", i%3)).Obj()))
	}
	for i := range 3000 {
		pod := mk.Pod(fmt.Sprintf("pod-%d", i)).UID("").CPU([]string{"250m", "500m", "1", "2"}[draw.IntN(4)]).Memory("512Mi").
			Label("app", "web").Obj()
		c.At(start.Add(time.Duration(draw.Int64N(int64(sceneLength)))), func(c *memory.Cluster) { must(c.Create(pod)) })
	}
	var file bytes.Buffer
	e, err := engine.New(options(1))
	if err != nil {
		b.Fatal(err)
	}
	r, err := play.NewRecorder(&file, e, options(1), play.About{})
	if err != nil {
		b.Fatal(err)
	}
	drive.Run(c, start.Add(sceneLength+time.Minute), drive.NewScheduler(e, r))
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	return file.Bytes()
}

// BenchmarkOpening reads a trace and prepares it for seeking.
func BenchmarkOpening(b *testing.B) {
	file := busyTrace(b)
	var p *play.Player
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			p = player(b, file)
		}
		b.ReportMetric(float64(len(p.Records())), "records")
		b.ReportMetric(float64(len(file)), "file-bytes")
	})
	b.Run("prepare", func(b *testing.B) {
		var before, after runtime.MemStats
		for b.Loop() {
			p = player(b, file)
			runtime.GC()
			runtime.ReadMemStats(&before)
			if err := p.PrefetchAll(nil); err != nil {
				b.Fatal(err)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
		b.ReportMetric(float64(p.Report().Decisions), "decisions")
		b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/(1<<20), "MiB-kept")
	})
	b.Run("seek", func(b *testing.B) {
		var slowest time.Duration
		at := 0
		for b.Loop() {
			before := b.Elapsed()
			at = (at + 7919) % (len(p.Records()) + 1)
			if err := p.SeekRecord(at); err != nil {
				b.Fatal(err)
			}
			slowest = max(slowest, b.Elapsed()-before)
		}
		b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
	})
	b.Run("fork", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Engine().Fork(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
