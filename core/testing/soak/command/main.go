// Command command runs the simulation of core/testing/soak over many seeds: make soak HOURS= SEED=, or with PLAN= over one plan.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"orrery/core/testing/soak"
)

// errViolated ends the command after a violation, which has been told.
var errViolated = errors.New("an invariant does not hold")

// gcPercent trades memory, of which a run takes little, for time.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	if err := command(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	hours, each, jobs int
	seed              uint64
	plan, out         string
	runs              int
}

func command(args []string, to io.Writer) error {
	var o options
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.IntVar(&o.hours, "hours", 100, "virtual hours in all")
	flags.IntVar(&o.each, "each", 10, "virtual hours of a seed")
	flags.Uint64Var(&o.seed, "seed", 1, "the first seed; the next ones follow")
	flags.IntVar(&o.jobs, "jobs", runtime.GOMAXPROCS(0), "how many seeds run at once")
	flags.StringVar(&o.plan, "plan", "", "run the plan in this file instead of seeds")
	flags.StringVar(&o.out, "out", "soak-violation.json", "write the plan of a violation to this file, as small as it could be made")
	flags.IntVar(&o.runs, "reduce", 400, "how many runs the plan of a violation is made small with")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.plan != "" {
		return replay(o.plan, to)
	}
	if o.hours < 1 || o.each < 1 || o.jobs < 1 {
		return errors.New("-hours, -each and -jobs must be at least 1")
	}
	return newSoak(o, to).run()
}

// replay runs one plan.
func replay(file string, to io.Writer) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p, err := soak.ReadPlan(text)
	if err != nil {
		return err
	}
	r, err := soak.Run(p)
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "digest %s, %d decisions\n", r.Digest, r.Decisions)
	if r.Violation == nil {
		fmt.Fprintln(to, "every invariant holds")
		return nil
	}
	fmt.Fprintln(to, r.Violation)
	return errViolated
}

// session runs seeds on several cores and adds up what they did.
type session struct {
	options
	to    io.Writer
	began time.Time
	seeds int

	mu        sync.Mutex
	next      int
	done      int
	total     soak.Result
	violation *soak.Result
	err       error
	reported  time.Time
}

func newSoak(o options, to io.Writer) *session {
	now := time.Now()
	return &session{
		options: o, to: to, began: now, reported: now, seeds: max(1, (o.hours+o.each-1)/o.each),
		total: soak.Result{Steps: map[string]int{}, Checks: map[string]int{}, Reached: map[string]int{}},
	}
}

func (s *session) run() error {
	var workers sync.WaitGroup
	for range min(s.jobs, s.seeds) {
		workers.Go(s.work)
	}
	workers.Wait()
	if s.err != nil {
		return s.err
	}
	s.summary()
	if s.violation == nil {
		return nil
	}
	return s.report()
}

// work runs seeds until none is left, or one has a violation.
func (s *session) work() {
	for {
		s.mu.Lock()
		n := s.next
		stop := n >= s.seeds || s.violation != nil || s.err != nil
		s.next++
		s.mu.Unlock()
		if stop {
			return
		}
		r, err := soak.Run(soak.Draw(s.seed+uint64(n), min(s.each, s.hours-n*s.each)))
		s.add(&r, err)
	}
}

func (s *session) add(r *soak.Result, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.err = fmt.Errorf("seed %d: %w", r.Plan.Seed, err)
		return
	}
	s.done++
	s.total.Decisions += r.Decisions
	s.total.Inputs += r.Inputs
	s.total.Plan.Hours += r.Plan.Hours
	for name, n := range r.Steps {
		s.total.Steps[name] += n
	}
	for name, n := range r.Checks {
		s.total.Checks[name] += n
	}
	for name, n := range r.Reached {
		s.total.Reached[name] += n
	}
	if r.Violation != nil && (s.violation == nil || r.Plan.Seed < s.violation.Plan.Seed) {
		s.violation = r
	}
	if now := time.Now(); now.Sub(s.reported) > 5*time.Second {
		s.reported = now
		s.progress()
	}
}

func (s *session) progress() {
	faults, _ := soak.StepNames()
	injected, kinds := 0, 0
	for _, name := range faults {
		if n := s.total.Steps[name]; n > 0 {
			injected += n
			kinds++
		}
	}
	fmt.Fprintf(s.to, "%6.0fs  %d/%d seeds  %d virtual hours  %d decisions  %d faults of %d/%d kinds\n",
		time.Since(s.began).Seconds(), s.done, s.seeds, s.total.Plan.Hours, s.total.Decisions, injected, kinds, len(faults))
}

// summary tells how often each step was taken and each invariant was checked.
func (s *session) summary() {
	s.progress()
	fmt.Fprintln(s.to, "steps: ", s.total.Steps)
	fmt.Fprintln(s.to, "reached:", s.total.Reached)
	fmt.Fprintln(s.to, "checks:", s.total.Checks)
	violations := 0
	if s.violation != nil {
		violations = 1
	}
	fmt.Fprintf(s.to, "%d seeds from %d, %d virtual hours, %d violations\n", s.done, s.seed, s.total.Plan.Hours, violations)
}

// report makes the plan of the violation small and writes it.
func (s *session) report() error {
	r := s.violation
	fmt.Fprintf(s.to, "\nseed %d: %s\n", r.Plan.Seed, r.Violation)
	small := soak.Reduce(r.Plan, r.Violation.Invariant, s.runs)
	if err := os.WriteFile(s.out, small.Text(), 0o600); err != nil {
		return err
	}
	fmt.Fprintf(s.to, "%d steps of %d and %d nodes of %d do it, too: make soak PLAN=%s\n", len(small.Steps), len(r.Plan.Steps), len(small.Nodes), len(r.Plan.Nodes), s.out)
	return errViolated
}
