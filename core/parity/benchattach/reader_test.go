package benchattach

import (
	"io"
	"slices"
	"testing"
	"time"

	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
)

func (s *scheduler) attach(since time.Duration) *stream.Stream {
	s.b.Helper()
	one, err := stream.Open(s.b.Context(), s.client(admin), s.url, since)
	if err != nil {
		s.b.Fatal(err)
	}
	return one
}

// BenchmarkReader_Cost measures what one attached reader takes of the scheduler's processor time, in windows with and without one, in
// turns.
func BenchmarkReader_Cost(b *testing.B) {
	const windows, length = 8, 15 * time.Second
	for b.Loop() {
		s := schedule(b)
		s.work()
		var without, with, userWithout, userWith []time.Duration
		var rates []float64
		for range windows {
			alone, _ := s.window(length)
			one := s.attach(0)
			left := make(chan struct{})
			go func() {
				defer close(left)
				_, _ = io.Copy(io.Discard, one)
			}()
			time.Sleep(5 * time.Second) // the state is sent
			read, rate := s.window(length)
			select {
			case <-left:
				b.Fatalf("the reader was dropped: %s", one.EndReason())
			default:
			}
			_ = one.Close()
			<-left
			without, with, rates = append(without, alone.all()), append(with, read.all()), append(rates, rate)
			userWithout, userWith = append(userWithout, alone.user), append(userWith, read.user)
			b.Logf("%v and %v of the system a pod without a reader, %v and %v with one, at %.0f pods a second", alone.user, alone.system, read.user, read.system, rate)
			time.Sleep(time.Second)
		}
		more := func(without, with []time.Duration, of string) {
			alone, read := median(without), median(with)
			b.ReportMetric(float64(alone.Microseconds()), of+"-µs/pod")
			b.ReportMetric(float64((read - alone).Microseconds()), of+"-µs/pod-for-reader")
			b.ReportMetric(100*float64(read-alone)/float64(alone), of+"-%-for-reader")
		}
		more(without, with, "all")
		more(userWithout, userWith, "user")
		b.ReportMetric(median(rates), "pods/s")
	}
}

func median[T float64 | time.Duration](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// BenchmarkReader_Digest follows 100,000 decisions, and compares the digest of all with the scheduler's at each of them, and at each
// checkpoint. It reports how long after a decision the reader has made it, too.
func BenchmarkReader_Digest(b *testing.B) {
	const decisions = 100_000
	for b.Loop() {
		s := schedule(b)
		s.work()
		from := s.attach(0)
		defer from.Close()
		r, err := trace.NewReader(from)
		if err != nil {
			b.Fatal(err)
		}
		first, err := r.Next()
		if err != nil {
			b.Fatal(err)
		}
		p, err := play.NewGrowingPlayer(r.Header(), first, play.Options{}, 0)
		if err != nil {
			b.Fatal(err)
		}
		var late []time.Duration
		checks := 0
		for p.Report().Decisions < decisions {
			record, err := r.Next()
			if err != nil {
				b.Fatalf("after %d decisions: %v; %s", p.Report().Decisions, err, from.EndReason())
			}
			if err := p.Append(record); err != nil {
				b.Fatal(err)
			}
			if _, err := p.Step(); err != nil {
				b.Fatal(err)
			}
			switch record.Body.(type) {
			case trace.Decision:
				late = append(late, time.Since(record.At))
			case trace.Checkpoint:
				checks++
			}
		}
		if report := p.Report(); !report.OK() || !report.Exact || report.Same != report.Decisions {
			b.Fatalf("the reader differs: %+v", report)
		}
		slices.Sort(late)
		b.ReportMetric(float64(p.Report().Decisions), "decisions")
		b.ReportMetric(float64(checks), "checkpoints")
		b.ReportMetric(late[len(late)/2].Seconds(), "s-behind")
		b.ReportMetric(late[len(late)*99/100].Seconds(), "s-behind-p99")
	}
}
