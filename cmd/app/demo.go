package app

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/trace/play"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/demo/scenario"
	"orrery/themes"
	"orrery/tui"
	"orrery/tui/term"
)

// demoFlags are what can be said about a demo.
type demoFlags struct {
	speed        string
	loop         bool
	theme        string
	wishes       term.Wishes
	fps          int
	seed         uint64
	config       string
	list, screen bool
}

func demoCommand(plugins framework.Registry) *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo [TRACE|SCENARIO.yaml]",
		Short: "Watch a scheduler at work, in a recording",
		Long: `Demo opens a screen on which a recorded cluster schedules itself. It can be paused, stepped, wound
back and asked; press ? in it. Where there is no terminal it prints a line for every event instead.

` + traceHelp + ` Without one, the first of those is shown.
SCENARIO.yaml is a story to be played: demo/scenarios has those that the built-in traces are of.`,
		Example: `  orrery demo
  orrery demo zone-failure --speed 2
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
	f.add(c)
	return c
}

func (f *demoFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.speed, "speed", "1", "how fast it plays: 0.1 to 100, or max")
	flags.BoolVar(&f.loop, "loop", false, "begin anew at the end")
	flags.StringVar(&f.theme, "theme", "", "the colours: "+strings.Join(themeNames(), ", ")+", or a file")
	flags.StringVar(&f.wishes.Color, "color", "auto", "auto, always or never")
	flags.StringVar(&f.wishes.Glyphs, "glyphs", "auto", "auto, braille, block or ascii")
	flags.IntVar(&f.fps, "fps", 30, "frames a second at most, up to 60")
	flags.Uint64Var(&f.seed, "seed", 0, "play the scenario with other chances: the same seed shows the same story")
	flags.StringVar(&f.config, "config", "", "play the scenario with a KubeSchedulerConfiguration from a file")
	flags.BoolVar(&f.list, "list", false, "list the traces that are built in")
	flags.BoolVar(&f.screen, "tui", false, "insist on the screen")
	_ = c.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(themeNames(), cobra.ShellCompDirectiveDefault))
}

func listDemos(w io.Writer) error {
	var table [][]string
	for _, t := range demo.Traces() {
		table = append(table, []string{t.Name, since(t.Length), t.Title})
	}
	rows(w, "", table)
	return nil
}

// run shows what is called name, on a screen if there may be one.
func (f *demoFlags) run(c *cobra.Command, name string, plugins framework.Registry) error {
	speed, err := speedOf(f.speed)
	if err != nil {
		return err
	}
	facts, err := term.Detect(os.Environ(), os.Stdin, os.Stdout, f.wishes)
	if err != nil {
		return err
	}
	if f.screen && facts.Forbidden {
		return fmt.Errorf("--tui: %s", facts.Refusal)
	}
	theme, all, err := chosenTheme(f.theme)
	if err != nil {
		return err
	}
	trace, err := f.open(c, name, plugins)
	if err != nil {
		return err
	}
	defer trace.Close()
	if facts.Refusal != "" && !f.screen {
		adjust := func(o *engine.Options) { o.Plugins = plugins }
		return demo.Print(c.OutOrStdout(), trace, play.Options{Adjust: adjust})
	}
	began := time.Now()
	clock := func() time.Duration { return time.Since(began) }
	p := newProgress(c, "opening "+trace.name)
	deck, err := tui.OpenDeck(p.reading(trace, trace.size), playback.Options{Name: trace.name, Plugins: plugins, Loop: f.loop, Speed: speed}, clock)
	p.done()
	if err != nil {
		return err
	}
	if f.config == "" && !c.Flags().Changed("seed") && !isScenario(name) {
		deck.Trace = name
	}
	deck.StepDecision() // until then there is nothing to see
	deck.Play()
	return tui.Run(c.Context(), tui.Options{Source: deck, Terminal: facts, Theme: theme, Themes: all, FPS: f.fps, Clock: clock})
}

func speedOf(text string) (float64, error) {
	if text == "max" {
		return math.Inf(1), nil
	}
	speed, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(speed >= 0.1 && speed <= 1e6) {
		return 0, fmt.Errorf("--speed=%.40q: say a number from 0.1 on, or max", text)
	}
	return speed, nil
}

// open opens a trace, or plays a scenario to have one.
func (f *demoFlags) open(c *cobra.Command, name string, plugins framework.Registry) (*recording, error) {
	isFile := isScenario(name)
	anew := f.config != "" || c.Flags().Changed("seed")
	if !isFile && !anew {
		return openTrace(c, name)
	}
	s, err := f.scenario(name, isFile)
	if err != nil {
		return nil, err
	}
	s = s.Extended(plugins)
	if c.Flags().Changed("seed") {
		s = s.Seeded(f.seed)
	}
	if f.config != "" {
		configuration, err := readConfig(f.config)
		if err != nil {
			return nil, err
		}
		s = s.Configured(configuration)
	}
	var file bytes.Buffer
	p := newProgress(c, "playing "+s.Name)
	err = s.Record(&file, func(done time.Duration) { p.say(func() string { return since(done) + " of " + since(s.Length) }) })
	p.done()
	if err != nil {
		return nil, fmt.Errorf("playing %s: %w", name, err)
	}
	return &recording{name: s.Name, size: int64(file.Len()), ReadCloser: io.NopCloser(&file)}, nil
}

// isScenario tells scenarios from traces, by their names.
func isScenario(name string) bool {
	ending := filepath.Ext(name)
	return ending == ".yaml" || ending == ".yml"
}

func (f *demoFlags) scenario(name string, isFile bool) (*scenario.Scenario, error) {
	if isFile {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("opening a scenario: %w", err)
		}
		return scenario.Parse(name, data)
	}
	s, err := demo.Scenario(name)
	if err != nil {
		return nil, fmt.Errorf("--seed and --config are for scenarios, and a recording was made already: %w", err)
	}
	return s, nil
}

func themeNames() []string {
	var names []string
	for _, t := range themes.Shipped() {
		names = append(names, t.Name)
	}
	return names
}

func readConfig(file string) (*config.Configuration, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return config.LoadNamed(file, data, config.DefaultFeatures())
}
