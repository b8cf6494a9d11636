package app

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/answers/change"
	"orrery/core/answers/period"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/trace/segments"
	"orrery/themes"
	"orrery/tui/film"
	"orrery/views/draw"
	"orrery/views/report"
)

// asHTML is a page, which is a format of a report alone.
const asHTML = "html"

// reportFlags are what a report is asked for.
type reportFlags struct {
	out        output
	to         outFile
	first      string
	last       string
	within     time.Duration
	percentage float64
}

func reportCommand(plugins framework.Registry) *cobra.Command {
	f := reportFlags{out: output{more: []string{asMarkdown, asHTML}}}
	c := &cobra.Command{
		Use:   "report TRACE",
		Short: "Write the page after an incident, or that of a week: who waited, why, and whether it was in time",
		Long: `Report sums up a time range of a recording: the latency of scheduling against an objective, with the pods
that do not count for it and why; the workloads that waited longest, with their causes; pre-emptions,
evictions and changes; and how full and how fragmented the cluster was. docs/reports.md says how the
objective is measured.

With -o html it is one file with a time line of the screen itself, moment by moment. The file makes no
request and has no script, so that it can be mailed, archived and opened anywhere.

` + traceHelp + ` Here it stands for all of its segments, or for those that --from and --to are in.
To hide names, hash the trace first with "orrery trace hash".
` + momentHelp + `

The exit code is 1 when the objective is missed, and when the trace is damaged.`,
		Example: `  orrery report morning-rush
  orrery report incident.orrery --from +2m --to +10m -o html --out incident.html
  orrery report recording --within 10s -o markdown >week.md`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			if f.within <= 0 || f.percentage <= 0 || f.percentage > 100 {
				return errors.New("--within takes a duration above zero, and --percent a number above 0, up to 100")
			}
			return f.run(c, args[0], plugins)
		},
	}
	c.Flags().StringVar(&f.first, "from", "", "the `time` to begin at; the beginning if it is not given")
	c.Flags().StringVar(&f.last, "to", "", "the `time` to end at; the end if it is not given")
	c.Flags().DurationVar(&f.within, "within", 5*time.Second, "the objective: the time from a pod's creation to its binding")
	c.Flags().Float64Var(&f.percentage, "percent", 99, "the objective: how many of 100 pods have to be bound in that time")
	f.to.addFlags(c)
	c.Flags().Lookup("out").Usage = "the file to write; - is the standard output"
	f.out.addFlag(c)
	return c
}

func (f *reportFlags) run(c *cobra.Command, arg string, plugins framework.Registry) error {
	all, err := openSeries(c, arg)
	if err != nil {
		return err
	}
	defer all.Close()
	if err := all.rewindable(); err != nil {
		return err
	}
	from, to, err := f.span(all)
	if err != nil {
		return err
	}
	p := &report.Period{Title: "Scheduling in " + all.name, Source: all.name, Command: "orrery " + change.ShellWord("report") + " " + f.words(arg)}
	damaged, err := f.collect(c, all, p, plugins, from, to)
	if err != nil {
		return err
	}
	if err := f.print(c, all, p, plugins); err != nil {
		return err
	}
	return exitFor(p.Objective.Met && !damaged)
}

// span is the time range that was asked for.
func (f *reportFlags) span(all *series) (from, to time.Time, err error) {
	start, end, err := all.span()
	if err != nil {
		return from, to, err
	}
	from, to = start, end
	if f.first != "" {
		if from, err = all.moment(f.first, start, end); err != nil {
			return from, to, fmt.Errorf("--from %q: %w", f.first, err)
		}
	}
	if f.last != "" {
		if to, err = all.moment(f.last, start, end); err != nil {
			return from, to, fmt.Errorf("--to %q: %w", f.last, err)
		}
	}
	if !to.After(from) && isClock(f.last) {
		to = to.Add(24 * time.Hour) // the day before is what it cannot mean
	}
	switch {
	case from.Before(start):
		return from, to, fmt.Errorf("--from %q: the recording begins only at %s", f.first, timeText(start))
	case to.Sub(end) >= time.Second:
		return from, to, fmt.Errorf("--to %q: the recording ends at %s", f.last, timeText(end))
	case !to.After(from):
		return from, to, fmt.Errorf("the range from %s to %s is empty", timeText(from), timeText(to))
	}
	if to.After(end) {
		to = end
	}
	all.within(from, to)
	return from, to, nil
}

// words are the arguments that repeat the report.
func (f *reportFlags) words(arg string) string {
	words := []string{change.ShellWord(printable.Line(arg, 500))}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, change.ShellWord(printable.Line(value, 200)))
		}
	}
	add("--from", f.first)
	add("--to", f.last)
	add("--within", f.within.String())
	add("--percent", fmt.Sprint(f.percentage))
	return strings.Join(words, " ")
}

// collect replays the recording and makes the report.
func (f *reportFlags) collect(c *cobra.Command, all *series, p *report.Period, plugins framework.Registry, from, to time.Time) (damaged bool, err error) {
	collector := period.New(period.Options{From: from, To: to, Target: f.within, Share: f.percentage / 100})
	o := playingWith(plugins)
	o.Observer = collector.Observe
	var releases []string
	var before trace.Header
	exact := true
	e, damaged, err := all.track(c, tracking{
		sink: collector, options: o, until: to,
		begins: func(h trace.Header) {
			if name := h.Kubernetes.String(); !slices.Contains(releases, name) {
				releases = append(releases, name)
			}
			if !before.Start.IsZero() {
				reportChanges(collector, before, h)
			}
			before = h
		},
		ends: func(_ *engine.Engine, r *play.Report) error { exact = exact && r.Exact; return nil },
	})
	if err != nil {
		return damaged, err
	}
	p.Report = collector.Report(e)
	printable.Strings(p.Report)
	p.Release = strings.Join(releases, ", then ")
	if !exact {
		p.Notes = append(p.Notes, "the recording begins with a snapshot, without what the scheduler remembered: decisions may differ from those that were made")
	}
	if damaged {
		p.Notes = append(p.Notes, "the recording is damaged: what is after the damage is missing")
	}
	if all.directory != nil {
		for _, g := range segments.Gaps(all.directory.Summaries(func(int64) {})) {
			if g.To.After(from) && g.From.Before(to) {
				p.Notes = append(p.Notes, "nothing was recorded from "+timeText(g.From)+" to "+timeText(g.To))
			}
		}
	}
	return damaged, nil
}

// reportChanges says what differs between two parts of a recording.
func reportChanges(to *period.Collector, was, is trace.Header) {
	if was.Kubernetes != is.Kubernetes {
		to.Changed(is.Start, "scheduler: Kubernetes "+was.Kubernetes.String()+" → "+is.Kubernetes.String())
	}
	if was.Configuration != is.Configuration {
		to.Changed(is.Start, "scheduler: another configuration")
	}
	if was.Program != is.Program {
		to.Changed(is.Start, "scheduler: "+was.Program+" → "+is.Program)
	}
	var gates []string
	for name, on := range is.FeatureGates {
		if before, had := was.FeatureGates[name]; had && before != on {
			gates = append(gates, fmt.Sprintf("%s=%t", name, on))
		}
	}
	if slices.Sort(gates); len(gates) > 0 {
		to.Changed(is.Start, "scheduler: feature gates "+strings.Join(gates, ","))
	}
}

// reportDocument is a report as JSON.
type reportDocument struct {
	envelope
	Trace string `json:"trace"`
	// Kubernetes is the release that was decided as, or those one after another.
	Kubernetes string   `json:"kubernetes"`
	Verdict    string   `json:"verdict"`
	Notes      []string `json:"notes"`
	period.Report
}

// print writes the report in the format that was asked for.
func (f *reportFlags) print(c *cobra.Command, all *series, p *report.Period, plugins framework.Registry) error {
	write := func(w io.Writer) error {
		var err error
		switch f.out.format {
		case asMarkdown:
			_, err = io.WriteString(w, p.Markdown())
		case asHTML:
			var frames []*draw.Canvas
			if frames, err = filmOf(c, all, p.Samples, plugins); err == nil {
				err = p.HTML(w, frames, themes.Shipped()[0])
			}
		case asText:
			reportText(w, p)
		default:
			var text []byte
			text, err = encode(reportDocument{document("Report"), p.Source, p.Release, p.Verdict(), append([]string{}, p.Notes...), *p.Report}, f.out.format)
			if err == nil {
				_, err = w.Write(text)
			}
		}
		return err
	}
	if f.to.isStdout() {
		return write(c.OutOrStdout())
	}
	_, err := f.to.write(c, write)
	return err
}

// reportText writes the report for a terminal.
func reportText(w io.Writer, p *report.Period) {
	fmt.Fprintf(w, "%s: %s\n%s\n", p.Title, p.Range(), p.Verdict())
	for _, note := range p.Notes {
		fmt.Fprintln(w, "note: "+note)
	}
	for _, t := range p.Tables() {
		rows := t.Rows
		if !t.Facts() {
			rows = append([][]string{t.Head}, rows...)
		}
		section(w, t.Title, rows)
		if t.Note != "" {
			fmt.Fprintln(w, "  "+t.Note)
		}
	}
}

// filmOf draws the screen at the time of each sample, part after part.
func filmOf(c *cobra.Command, all *series, samples []period.Sample, plugins framework.Registry) ([]*draw.Canvas, error) {
	if all.directory == nil {
		if err := all.rewind(); err != nil {
			return nil, err
		}
	}
	var frames []*draw.Canvas
	err := all.parts(func(rec part) error {
		var times []time.Time
		for i := len(frames); i < len(samples) && (rec.until.IsZero() || samples[i].At.Before(rec.until)); i++ {
			times = append(times, samples[i].At)
		}
		p := newProgress(c, "drawing "+rec.name)
		defer p.done()
		more, err := film.Frames(p.reading(rec, rec.size), rec.name, plugins, times)
		frames = append(frames, more...)
		return err
	})
	return frames, err
}
