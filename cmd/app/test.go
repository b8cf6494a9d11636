package app

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/answers/answer"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/demo/suite"
)

// testFormats are the formats of test, besides text, JSON and YAML.
var testFormats = []string{asJUnit, asTAP, asMarkdown}

const (
	asJUnit    = "junit"
	asTAP      = "tap"
	asMarkdown = "markdown"
)

// maxSeeds bounds the seeds of a scenario.
//
//orrery:limit tests; seeds of a scenario; an error
const maxSeeds = 10_000

func testCommand(plugins framework.Registry) *cobra.Command {
	var (
		out   = output{more: testFormats}
		seeds int
		as    []string
	)
	c := &cobra.Command{
		Use:   "test PATH...",
		Short: "Check what scenarios and recordings expect",
		Long: `Test runs scenarios and recordings, and checks what they expect: that pods get a node in time and in the right zone, that they wait for the
right reason, that nothing is preempted, that a change of the configuration makes nothing worse. PATH is a scenario with expect, a
recording with a file NAME.expect.yaml beside it, a folder, in which everything with expectations is tested, or the name of
a built-in story. docs/testing.md has all expectations.

With --seeds each scenario runs under so many seeds, which choose otherwise among equally good nodes. With --kubernetes it runs as each of
those releases; a recording is replayed by its rules. Runs are independent, and use all cores.

A failure says what is otherwise, why, as explain does, and the command that shows the moment on the screen.

The exit code is 1 when something is not as expected, and 2 when something could not be run.`,
		Example: `  orrery test zone-failure
  orrery test my-cluster.yaml --seeds 5
  orrery test scenarios/ --kubernetes 1.37 -o junit >report.xml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, paths []string) error {
			if seeds < 1 || seeds > maxSeeds {
				return fmt.Errorf("--seeds %d: it is between 1 and %d", seeds, maxSeeds)
			}
			var releases []modelled.Release
			if len(as) > 0 {
				var err error
				if releases, err = releasesOf(as, modelled.Oldest); err != nil {
					return err
				}
			}
			subjects, err := suite.Find(paths, plugins)
			if err != nil {
				return err
			}
			began := time.Now()
			p := newProgress(c, "testing")
			defer p.done()
			ran := suite.Run(subjects, suite.Options{
				Seeds: seeds, Releases: releases, Parallel: runtime.GOMAXPROCS(0), Plugins: plugins, Program: c.Root().DisplayName(),
				Progress: func(done, of int) { p.update(func() string { return fmt.Sprintf("%d of %d runs", done, of) }) },
			})
			p.done()
			doc := newTests(ran, time.Since(began))
			if err := doc.print(c, &out); err != nil {
				return err
			}
			if doc.Errors > 0 {
				return errBadInput
			}
			return exitFor(doc.Failed == 0)
		},
	}
	c.Flags().IntVar(&seeds, "seeds", 1, "run each scenario under so many `seeds`, from its own on")
	c.Flags().StringArrayVar(&as, kubernetesFlag, nil, "decide as this `release` of Kubernetes, such as "+modelled.Newest.String()+"; give it once for each")
	out.addFlag(c)
	return c
}

// testsDocument is the results of tests.
type testsDocument struct {
	envelope
	// Passed, Failed and Skipped count expectations, each in every run; Errors counts runs that were not possible.
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Errors  int `json:"errors"`
	// Seconds is how long all took.
	Seconds float64   `json:"seconds"`
	Runs    []testRun `json:"runs"`
}

// testRun is a scenario or recording under a seed and as a release.
type testRun struct {
	// Name is the path or the built-in story, File where its expectations are.
	Name string `json:"name"`
	File string `json:"file"`
	// Seed is that of the run of a scenario.
	Seed *uint64 `json:"seed,omitempty"`
	// Kubernetes is the release that was decided as; missing for a recording that was not told another one.
	Kubernetes string `json:"kubernetes,omitempty"`
	// Error is why it could not be run.
	Error        string            `json:"error,omitempty"`
	Expectations []testExpectation `json:"expectations"`

	variant string
}

// testExpectation is what came of an expectation.
type testExpectation struct {
	// Line is where it is written, Expects what it says.
	Line    int    `json:"line"`
	Expects string `json:"expects"`
	// Result is passed, failed or skipped.
	Result string `json:"result"`
	// Message says what is otherwise, or why it was skipped.
	Message string `json:"message,omitempty"`
	// At is the moment of the failure, Pod the pod that it is about, Command what shows it on the screen.
	At      moment  `json:"at,omitempty"`
	Pod     *podRef `json:"pod,omitempty"`
	Command string  `json:"command,omitempty"`
	// Answer is what explain says of the pod at that moment.
	Answer *answer.Answer `json:"answer,omitempty"`
}

// The results of an expectation.
const (
	hasPassed  = "passed"
	hasFailed  = "failed"
	wasSkipped = "skipped"
)

func newTests(all []suite.Ran, took time.Duration) *testsDocument {
	doc := &testsDocument{envelope: document("Tests"), Seconds: took.Seconds(), Runs: []testRun{}}
	for i := range all {
		r := &all[i]
		run := testRun{Name: r.Name, File: r.File, Seed: r.Seed, Expectations: []testExpectation{}, variant: r.Variant()}
		if r.Release != nil {
			run.Kubernetes = r.Release.String()
		}
		if r.Err != nil {
			doc.Errors++
			run.Error = printable.Text(r.Err.Error())
		}
		for _, result := range r.Results {
			one := testExpectation{Line: result.LineNumber(), Expects: result.String(), Result: hasPassed, Message: result.Skipped}
			switch f := result.Failure; {
			case result.Skipped != "":
				one.Result = wasSkipped
				doc.Skipped++
			case f != nil:
				doc.Failed++
				one.Result, one.Message, one.At, one.Command, one.Answer = hasFailed, f.Message, momentOf(f.At), result.Command, f.Answer
				if f.Pod != nil {
					pod := refOf(*f.Pod)
					one.Pod = &pod
				}
			default:
				doc.Passed++
			}
			run.Expectations = append(run.Expectations, one)
		}
		doc.Runs = append(doc.Runs, run)
	}
	return doc
}

func (d *testsDocument) print(c *cobra.Command, out *output) error {
	write := map[string]func(io.Writer) error{asJUnit: d.junit, asTAP: d.tap, asMarkdown: d.markdown}[out.format]
	if write == nil {
		return out.print(c, d, d.text)
	}
	if err := write(c.OutOrStdout()); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	return nil
}

// ok reports whether a run is as expected.
func (r *testRun) ok() bool {
	return r.Error == "" && !slices.ContainsFunc(r.Expectations, func(x testExpectation) bool { return x.Result == hasFailed })
}

// title names a run.
func (r *testRun) title() string {
	if r.variant == "" {
		return printable.Line(r.Name, 200)
	}
	return printable.Line(r.Name, 200) + " (" + r.variant + ")"
}

// text has a line for each run, and what failed below it.
func (d *testsDocument) text(w io.Writer) {
	for i := range d.Runs {
		r := &d.Runs[i]
		if r.Error != "" {
			fmt.Fprintf(w, "error   %s\n  %s\n", r.title(), printable.Text(r.Error))
			continue
		}
		word := "passed"
		if !r.ok() {
			word = "FAILED"
		}
		fmt.Fprintf(w, "%s  %s: %s\n", word, r.title(), countText(len(r.Expectations), "expectation"))
		for j := range r.Expectations {
			if x := &r.Expectations[j]; x.Result == hasFailed {
				fmt.Fprintf(w, "  %s:%d: %s\n", printable.Line(r.File, 200), x.Line, printable.Line(x.Expects, 300))
				for _, line := range x.lines() {
					fmt.Fprintln(w, "    "+line)
				}
			}
		}
	}
	fmt.Fprintf(w, "\n%s\n", d.summary())
}

// lines are a failure: what is otherwise, why, what would help, and what shows it.
func (x *testExpectation) lines() []string {
	lines := []string{limited(x.Message)}
	if a := x.Answer; a != nil {
		if a.Summary != "" {
			lines = append(lines, "why: "+limited(a.Summary))
		} else if a.Headline != "" {
			lines = append(lines, "why: "+limited(a.Headline))
		}
		for i := range a.Remedies {
			if r := &a.Remedies[i]; r.Places {
				lines = append(lines, "would help: "+limited(r.Text))
				break
			}
		}
	}
	return append(lines, "see: "+printable.Line(x.Command, longest))
}

func (d *testsDocument) summary() string {
	text := fmt.Sprintf("%s of %s in %s: %d passed, %d failed", countText(d.Passed+d.Failed+d.Skipped, "expectation"), countText(len(d.Runs), "run"),
		durationText(time.Duration(d.Seconds*float64(time.Second))), d.Passed, d.Failed)
	if d.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", d.Skipped)
	}
	if d.Errors > 0 {
		text += ", " + countText(d.Errors, "run") + " not possible"
	}
	return text
}

// oneLine is a failure in a line.
func (x *testExpectation) oneLine() string { return strings.Join(x.lines(), "; ") }
