package benchattach

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/core/trace"
	"orrery/core/trace/segments"
)

// segmentsOf returns a directory, which is closed, once it has so many segments.
func (s *scheduler) segmentsOf(dir string, atLeast int) (d *segments.Directory) {
	s.b.Helper()
	s.until(fmt.Sprintf("%s has %d segments", dir, atLeast), func() bool {
		opened, err := segments.Open(dir)
		if err != nil {
			return false
		}
		d = opened
		return d.Close() == nil && len(d.Segments) >= atLeast
	})
	return d
}

// BenchmarkRecording_Day records at 50 decisions a second for some minutes, and reports how many bytes a day of that has: those of the
// decisions measured, and the states that its segments begin with.
func BenchmarkRecording_Day(b *testing.B) {
	const rate, day = 50, 24 * time.Hour
	length := time.Duration(setting(b, "ORRERY_SECONDS", 240)) * time.Second
	for b.Loop() {
		dir := b.TempDir()
		s := schedule(b, "--record-dir="+dir)
		s.rate = rate
		s.work()
		state := s.stateBytes()
		bound, before := s.load.bound.Load(), s.segmentsOf(dir, 1)
		time.Sleep(length)
		decisions, after := s.load.bound.Load()-bound, s.segmentsOf(dir, 1)
		// A segment that began meanwhile begins with a state, which is no record of a decision.
		began := int64(len(after.Segments) - len(before.Segments))
		perDecision := float64(after.Bytes()-before.Bytes()-began*state) / float64(decisions)
		records := perDecision * rate * day.Seconds()
		// As segments' own limits have it: one an hour, or one for twice its state's bytes.
		states := max(24, records/float64(max(8<<20, 2*state)))
		b.ReportMetric(float64(decisions), "decisions")
		b.ReportMetric(perDecision, "B/decision")
		b.ReportMetric(float64(state)/1e6, "MB/state")
		b.ReportMetric(states, "segments/day")
		b.ReportMetric((records+states*float64(state))/1e9, "GB/day")
	}
}

// stateBytes returns how many bytes a stream's state has, as a segment's does.
func (s *scheduler) stateBytes() int64 {
	s.b.Helper()
	from := s.attach(0)
	defer from.Close()
	var read counter
	r, err := trace.NewReader(io.TeeReader(from, &read))
	if err == nil {
		_, err = r.Next()
	}
	if err != nil {
		s.b.Fatalf("reading the state: %v", err)
	}
	return int64(read.bytes)
}

// BenchmarkRecording_ExplainAt records whole segments, fills their directory with copies of an earlier time up to ORRERY_GIB, and measures
// how long "orrery explain --at" takes for the last moment of a whole segment, which decides all of it again.
func BenchmarkRecording_ExplainAt(b *testing.B) {
	const times = 5
	most := int64(setting(b, "ORRERY_GIB", 10)) << 30
	for b.Loop() {
		dir := b.TempDir()
		s := schedule(b, "--record-dir="+dir, "--record-max-size=1Ti")
		s.work()
		recorded := s.segmentsOf(dir, 2).Segments
		s.Stop()
		whole := recorded[0]
		size, count := fill(b, dir, whole, most)
		at := recorded[1].Start.Add(-100 * time.Millisecond)
		pod := s.boundBefore(at)
		name, err := orrery()
		if err != nil {
			b.Fatal(err)
		}
		var took []time.Duration
		for range times {
			began := time.Now()
			out, err := exec.Command(name, "explain", "shop/"+pod, "--trace", dir, "--at", at.Format(time.RFC3339Nano)).CombinedOutput()
			took = append(took, time.Since(began))
			if err != nil || !strings.Contains(string(out), pod) {
				b.Fatalf("explaining %s at %v: %v\n%s", pod, at, err, out)
			}
		}
		b.ReportMetric(float64(size)/(1<<30), "GiB")
		b.ReportMetric(float64(count), "segments")
		b.ReportMetric(float64(whole.Bytes)/1e6, "MB/segment")
		b.ReportMetric(median(took).Seconds(), "s/explain")
		b.ReportMetric(slices.Max(took).Seconds(), "s/explain-max")
	}
}

// boundBefore returns the latest pod that was bound a second before a time.
func (s *scheduler) boundBefore(at time.Time) string {
	s.load.mu.Lock()
	defer s.load.mu.Unlock()
	latest := -1
	for pod, bound := range s.load.boundAt {
		if bound.Before(at.Add(-time.Second)) {
			latest = max(latest, pod)
		}
	}
	if latest < 0 {
		s.b.Fatalf("no pod was bound before %v", at)
	}
	return fmt.Sprintf("pod-%07d", latest)
}

// fill copies a segment to names of earlier hours until a directory has so many bytes.
func fill(b *testing.B, dir string, from segments.Segment, most int64) (size int64, count int) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(dir, from.Name))
	if err != nil {
		b.Fatal(err)
	}
	stamp, random, _ := strings.Cut(from.Name, "-")
	const layout = "20060102T150405.000000000Z"
	for size < most {
		count++
		start := from.Start.Add(-time.Duration(count) * time.Minute)
		name := start.UTC().Format(layout) + "-" + random
		if _, ok := segments.ParseName(name); !ok {
			b.Fatalf("%s, made of %s, is no name of a segment", name, stamp)
		}
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(f, strings.NewReader(string(text)))
		if closing := f.Close(); err == nil {
			err = closing
		}
		if err != nil {
			b.Fatal(err)
		}
		size += n
	}
	return size, count
}
