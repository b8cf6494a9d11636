package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"orrery/core/testing/fuzz"
)

const (
	longestRound = 5 * time.Minute
	// shortestRound is what go test needs to try anything beyond the corpus, and rounds is how often each target has its turn.
	shortestRound = 2 * time.Second
	rounds        = 4
)

// round is what came of running a target for a while.
type round struct {
	processor time.Duration
	inputs    int64  // new ones, beyond the corpus that each round begins with
	kept      int    // inputs in the corpus, each for other code
	memory    int64  // the largest resident size of the target's processes
	failure   string // what go test says of the input that fails
}

// session runs targets in rounds and adds up what they did.
type session struct {
	to   io.Writer
	jobs int
	now  func() time.Time

	mu      sync.Mutex
	began   time.Time
	targets []*progress
	err     error // of go test itself
}

// progress is what a target has done so far.
type progress struct {
	fuzz.Target
	round
	turn    time.Duration // the length of its next round
	running bool
}

func newSession(targets []fuzz.Target, to io.Writer, jobs int) *session {
	s := &session{to: to, jobs: min(jobs, len(targets)), now: time.Now, began: time.Now()}
	for _, t := range targets {
		s.targets = append(s.targets, &progress{Target: t})
	}
	return s
}

// run gives each target its share of the time, or of what passes until an interrupt, and returns an error where one fails.
func (s *session) run(ctx context.Context, length time.Duration, runOne func(context.Context, fuzz.Target, time.Duration) (round, error)) error {
	s.began = s.now()
	share := length * time.Duration(s.jobs) / time.Duration(len(s.targets))
	for _, p := range s.targets {
		p.turn = min(max(share/rounds, shortestRound), longestRound)
	}
	var workers sync.WaitGroup
	for range s.jobs {
		workers.Go(func() {
			for ctx.Err() == nil {
				left := length - s.elapsed()
				p := s.next()
				if p == nil || left < shortestRound {
					return
				}
				r, err := runOne(ctx, p.Target, min(p.turn, left))
				s.add(p, r, err)
			}
		})
	}
	workers.Wait()
	if s.err != nil {
		return s.err
	}
	return s.summary()
}

// next returns the target with the least processor time of those that neither run nor failed, and nil once no target is left or none
// can be run.
func (s *session) next() *progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first *progress
	for _, p := range s.targets {
		if s.err == nil && !p.running && p.failure == "" && (first == nil || p.processor < first.processor) {
			first = p
		}
	}
	if first != nil {
		first.running = true
	}
	return first
}

func (s *session) add(p *progress, r round, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.running = false
	if err != nil {
		s.err = err
		return
	}
	p.processor += r.processor
	p.inputs += r.inputs
	p.kept = max(p.kept, r.kept)
	p.memory = max(p.memory, r.memory)
	p.failure = r.failure
	if r.inputs < int64(r.kept) || r.inputs == 0 {
		p.turn *= 2 // most of the round went into the corpus
	}
	s.line("%s: %s new inputs in %v of processor time, %s kept, at most %d MiB", p.Package+" "+p.Name, humanize.Comma(p.inputs), p.processor.Round(time.Second), humanize.Comma(int64(p.kept)), p.memory>>20)
	if p.failure != "" {
		s.line("%s FAILS\n%s", p.Package+" "+p.Name, p.failure)
	}
}

func (s *session) elapsed() time.Duration { return s.now().Sub(s.began) }

// line prints a line with the time since the beginning.
func (s *session) line(format string, args ...any) {
	fmt.Fprintf(s.to, "%8v  %s\n", s.elapsed().Round(time.Second), fmt.Sprintf(format, args...))
}

func (s *session) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line("%s", text)
}

// summary prints each target's part, and returns an error where one fails.
func (s *session) summary() error {
	slices.SortStableFunc(s.targets, func(a, b *progress) int { return cmp.Compare(a.processor, b.processor) })
	var total round
	failed := 0
	fmt.Fprintf(s.to, "\n%12s %15s %9s %11s  target\n", "processor", "new inputs", "corpus", "memory")
	for _, p := range s.targets {
		fmt.Fprintf(s.to, "%12v %15s %9s %7d MiB  %s %s\n", p.processor.Round(time.Second), humanize.Comma(p.inputs), humanize.Comma(int64(p.kept)), p.memory>>20, p.Package, p.Name)
		total.processor += p.processor
		total.inputs += p.inputs
		total.kept += p.kept
		total.memory = max(total.memory, p.memory)
		if p.failure != "" {
			failed++
		}
	}
	fmt.Fprintf(s.to, "%d targets, %.2f core-hours, %s new inputs, %s in the corpus, at most %d MiB: %d targets fail\n",
		len(s.targets), total.processor.Hours(), humanize.Comma(total.inputs), humanize.Comma(int64(total.kept)), total.memory>>20, failed)
	if failed == 0 {
		return nil
	}
	for _, p := range s.targets {
		if p.failure != "" {
			fmt.Fprintf(s.to, "\n%s %s\n%s\n", p.Package, p.Name, p.failure)
		}
	}
	return errFailed
}
