package suite

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"orrery/core/safe/panics"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/trace/play"
	"orrery/demo/scenario/expect"
)

// Options are how tests run.
type Options struct {
	// Seeds is how many seeds each scenario has, from its own on; Releases are those to decide as, its own without any.
	Seeds    int
	Releases []release.Release
	// Parallel is how many run at once.
	Parallel int
	Plugins  framework.Registry
	// Program is the command in the lines that show a moment.
	Program string
	// Progress, if not nil, is called after each run, one call at a time.
	Progress func(done, of int)
}

// Result is what came of an expectation in a run.
type Result struct {
	*expect.Expectation
	// Skipped says why it was not checked; empty if it was.
	Skipped string
	// Failure is nil if it holds.
	Failure *expect.Failure
	// Since is how long after the beginning the failure is, Command what shows it on the screen.
	Since   time.Duration
	Command string
}

// Ran is a run of a subject, with a result for each expectation.
type Ran struct {
	*Subject
	// Seed is nil of a recording, Release of one that decides as recorded.
	Seed    *uint64
	Release *release.Release
	Results []Result
	// Err is why it could not be run.
	Err error
}

// Run runs all subjects.
func Run(subjects []*Subject, o Options) []Ran {
	var all []Ran
	var variants []variant
	for _, s := range subjects {
		for _, v := range s.variants(o.Seeds, o.Releases) {
			all, variants = append(all, Ran{Subject: s, Seed: v.seed, Release: v.as}), append(variants, v)
		}
	}
	next := make(chan int)
	var workers sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range max(o.Parallel, 1) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for i := range next {
				if panicked := panics.Call("this test", func() { all[i].run(variants[i], o) }); panicked != nil {
					all[i].Err = panicked
				}
				mu.Lock()
				if done++; o.Progress != nil {
					o.Progress(done, len(all))
				}
				mu.Unlock()
			}
		}()
	}
	for i := range all {
		next <- i
	}
	close(next)
	workers.Wait()
	return all
}

// run runs a variant and checks its expectations.
func (r *Ran) run(v variant, o Options) {
	playing := play.Options{Adjust: func(e *engine.Options) { e.Plugins = o.Plugins }}
	observed, err := r.observe(v, playing)
	if err != nil {
		r.Err = err
		return
	}
	others := expect.Others{
		Recording: func(name string) (*expect.Run, error) { return r.recording(name, playing) },
		As: func(as release.Release) (*expect.Run, error) {
			return r.observe(variant{seed: v.seed, as: &as}, playing)
		},
	}
	for i := range r.Expectations {
		x := &r.Expectations[i]
		result := Result{Expectation: x}
		if x.Kind() == "same-as" && !v.own {
			result.Skipped = "it is about the scenario's own seed and release"
			r.Results = append(r.Results, result)
			continue
		}
		if result.Failure, err = observed.Check(x, others); err != nil {
			r.Err = fmt.Errorf("checking line %d of %s: %w", x.LineNumber(), r.File, err)
			return
		}
		if f := result.Failure; f != nil {
			result.Since = f.At.Sub(observed.Start())
			result.Command = expect.Command(r.opening(o.Program, v.named), observed.Shown(f.At).Sub(observed.Start()))
		}
		r.Results = append(r.Results, result)
	}
}

// opening is the command that opens the run on the screen.
func (r *Ran) opening(program string, as bool) []string {
	words := []string{program, "demo", r.Name}
	if r.Seed != nil {
		words = append(words, "--seed", strconv.FormatUint(*r.Seed, 10))
	}
	if as && r.scenario != nil {
		words = append(words, "--kubernetes", r.Release.String())
	}
	return words
}

// Variant names how a subject was run.
func (r *Ran) Variant() string {
	text := ""
	if r.Seed != nil {
		text = "seed " + strconv.FormatUint(*r.Seed, 10)
	}
	if r.Release != nil {
		if text != "" {
			text += ", "
		}
		text += "Kubernetes " + r.Release.String()
	}
	return text
}
