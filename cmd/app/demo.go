package app

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/trace/play"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/demo/scenario"
	"orrery/tui"
	"orrery/views"
)

// demoFlags are the flags of demo.
type demoFlags struct {
	screen      screenFlags
	speed, at   string
	loop        bool
	seed        uint64
	config      string
	requeueRule queue.RequeueRule
	list, force bool
	noReuse     bool
	kubernetes  releaseFlag
}

func demoCommand(plugins framework.Registry) *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo [TRACE|SCENARIO.yaml]",
		Short: "Watch a scheduler at work, in a recording",
		Long: `Demo opens a screen on which a recorded cluster is scheduled. It can be paused, stepped and rewound, and
it explains every decision; press ? for the keys. Without a terminal it prints one line per event.

` + traceHelp + ` Without an argument it plays the first of those.
SCENARIO.yaml describes a simulated cluster and what happens in it; demo/scenarios has examples.`,
		Example: `  orrery demo
  orrery demo zone-failure --speed 2
  orrery demo --view orrery
  orrery demo my-cluster.yaml --seed 7
  orrery demo node-drain | grep evict`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			if f.list {
				return listDemos(c.OutOrStdout())
			}
			name := demo.Traces()[0].Name
			if len(args) > 0 {
				name = args[0]
			}
			return f.run(c, name, plugins)
		},
	}
	f.addFlags(c)
	return c
}

func (f *demoFlags) addFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.speed, "speed", "1", "the speed: 0.1 to 1000000, or max; a built-in trace may begin with its own")
	flags.StringVar(&f.at, "at", "", "where to open it, such as +52s; a built-in trace opens shortly before its climax, unless this says +0s")
	flags.BoolVar(&f.loop, "loop", false, "start again at the end")
	flags.Uint64Var(&f.seed, "seed", 0, "run the scenario with another seed: the same seed gives the same run")
	flags.StringVar(&f.config, "config", "", "run the scenario with the KubeSchedulerConfiguration of this `file`")
	addNoReuse(flags, &f.noReuse, "")
	addRequeueRule(flags, &f.requeueRule, "in a scenario, "+requeueRuleUsage)
	f.kubernetes.addFlag(c, "run the scenario as that")
	flags.BoolVar(&f.list, "list", false, "list the built-in traces")
	flags.BoolVar(&f.force, "tui", false, "draw the screen even where it is not recommended")
	f.screen.addFlags(c)
}

func listDemos(w io.Writer) error {
	var table [][]string
	for _, t := range demo.Traces() {
		table = append(table, []string{t.Name, durationText(t.Length), t.Title})
	}
	writeTable(w, "", table)
	return nil
}

// run plays a trace or a scenario on the terminal, or prints it if the terminal cannot show the screen.
func (f *demoFlags) run(c *cobra.Command, name string, plugins framework.Registry) error {
	speed, err := parseSpeed(f.speed)
	if err != nil {
		return err
	}
	o, err := f.screen.options()
	if err != nil {
		return err
	}
	if f.force && o.Terminal.Impossible {
		return fmt.Errorf("--tui: %s", o.Terminal.Refusal)
	}
	trace, err := f.open(c, name, plugins)
	if err != nil {
		return err
	}
	defer trace.Close()
	if o.Terminal.Refusal != "" && !f.force {
		return demo.Print(c.OutOrStdout(), trace, demo.PrintOptions{
			Name:   trace.name,
			Player: play.Options{Adjust: func(o *engine.Options) { o.Plugins, o.NoReuse = plugins, f.noReuse }},
			From:   func(start, end time.Time) (time.Time, error) { return f.moment(trace, start, end) },
		})
	}
	began := time.Now()
	o.Clock = func() time.Duration { return time.Since(began) }
	p := newProgress(c, "opening "+trace.name)
	collectAsBefore := collectLess()
	recording, err := tui.OpenRecording(p.reading(trace, trace.size), playback.Options{Name: trace.name, Plugins: plugins, NoReuse: f.noReuse, Loop: f.loop, Speed: speed}, o.Clock)
	collectAsBefore()
	p.done()
	if err != nil {
		return err
	}
	if !f.changesScenario(c) && !isScenario(name) {
		if recording.Trace = name; trace.segment != nil {
			recording.Trace = trace.segment.file
		}
	}
	opening, err := f.openingOf(recording, trace)
	if err != nil {
		return err
	}
	var chosen float64
	if c.Flags().Changed("speed") {
		chosen, opening.Speed = speed, speed
	}
	if err := begin(recording, opening); err != nil {
		return err
	}
	o.Source, o.Stories, o.StartCard = recording, f.stories(plugins, chosen, o.Clock), true
	if !c.Flags().Changed("view") && f.at == "" {
		o.View, o.Node = views.PaneID(opening.View), opening.Node
	}
	return tui.Run(c.Context(), o)
}

// openingOf returns where to open a recording: at the moment of --at, or else at the trace's own.
func (f *demoFlags) openingOf(r *tui.Recording, from *recording) (demo.Opening, error) {
	if f.at == "" {
		return from.opening, nil
	}
	at, err := f.moment(from, r.Start(), r.End())
	return demo.Opening{At: at.Sub(r.Start())}, err
}

// moment returns the moment of --at in a trace with that start and end; the start if it is not given.
func (f *demoFlags) moment(of *recording, start, end time.Time) (time.Time, error) {
	if f.at == "" {
		return start, nil
	}
	at, err := parseTimeWithin(of.segment.exactly(f.at), start, end, of.segment)
	if err != nil {
		return at, fmt.Errorf("--at %q: %w", printable.Line(f.at, 40), err)
	}
	return at, nil
}

func parseSpeed(text string) (float64, error) {
	if text == "max" {
		return math.Inf(1), nil
	}
	speed, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(speed >= 0.1 && speed <= 1_000_000) {
		return 0, fmt.Errorf("--speed=%q: use a number from 0.1 to 1000000, or max", printable.Line(text, 40))
	}
	return speed, nil
}

// open opens a trace, or runs a scenario to make one.
func (f *demoFlags) open(c *cobra.Command, name string, plugins framework.Registry) (*recording, error) {
	isFile := isScenario(name)
	rerun := f.changesScenario(c)
	if !isFile && !rerun {
		return openTraceWith(c, name, f.at)
	}
	s, err := f.scenario(name, isFile)
	if err != nil {
		return nil, err
	}
	warn(c, s.Warnings()...)
	s = s.WithPlugins(plugins)
	if c.Flags().Changed("seed") {
		s = s.WithSeed(f.seed)
	}
	if f.config != "" {
		configuration, err := readConfig(f.config, s.Configuration().Features)
		if err != nil {
			return nil, err
		}
		s = s.WithConfiguration(configuration)
	}
	configuration, err := f.kubernetes.in(c, s.Configuration())
	if err != nil {
		return nil, err
	}
	s = s.WithConfiguration(configuration).WithRequeueRule(f.requeueRule)
	var file bytes.Buffer
	p := newProgress(c, "running "+s.Name)
	err = s.Record(&file, func(done time.Duration) {
		p.update(func() string { return durationText(done) + " of " + durationText(s.Length) })
	})
	p.done()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", name, err)
	}
	return &recording{name: s.Name, size: int64(file.Len()), ReadCloser: io.NopCloser(&file)}, nil
}

// isScenario reports whether a name is that of a scenario file.
func isScenario(name string) bool {
	ending := filepath.Ext(name)
	return ending == ".yaml" || ending == ".yml"
}

func (f *demoFlags) scenario(name string, isFile bool) (*scenario.Scenario, error) {
	if isFile {
		return scenario.ReadFile(name)
	}
	s, err := demo.Scenario(name)
	if err != nil {
		return nil, fmt.Errorf("--seed, --config, --requeue-rule and --kubernetes are for scenarios, not for recordings: %w", err)
	}
	return s, nil
}

// changesScenario reports whether a flag requires a new run of the recorded scenario.
func (f *demoFlags) changesScenario(c *cobra.Command) bool {
	return f.config != "" || f.kubernetes.release != nil || c.Flags().Changed("seed") || c.Flags().Changed(requeueRuleFlag)
}
