package app

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/live"
)

// target is the source of a query: a trace at some position, or a cluster as it is now.
type target struct {
	connection
	trace, at string
	noReuse   bool
	// attach is the scheduler that is asked, if --attach is given.
	attach  string
	running schedulerTarget
}

// targetHelp explains the source in help texts.
const targetHelp = `Without --trace the cluster of the kubeconfig is asked, as it is now: it is read once, and nothing in it
is changed. An answer of its API server is waited for 30s, unless --request-timeout says otherwise.
Where there is no kubeconfig a person on a terminal gets an answer about the first built-in trace, and a program an error.`

func (a *target) flag(c *cobra.Command, namespaced bool) {
	a.connection.onlyReads = true
	c.Flags().StringVar(&a.trace, "trace", "", "the `TRACE` to ask; the cluster of the kubeconfig if it is not given")
	c.Flags().StringVar(&a.at, "at", "", "the `time` to ask at, or @N for after N records; the end if it is not given")
	_ = c.RegisterFlagCompletionFunc("trace", func(c *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeTrace(c, nil, text)
	})
	addNoReuse(c.Flags(), &a.noReuse, "")
	c.Flags().StringVar(&a.attach, attachFlag, "", "ask the scheduler that runs, and leads: --attach, or --attach=`TARGET` as \"orrery attach\" takes it")
	c.Flags().Lookup(attachFlag).NoOptDefVal = theLeader
	a.running.addFlags(c.Flags())
	a.connection.addFlags(c, namespaced)
}

// adjust sets what the flags say of the engine.
func (a *target) adjust(plugins framework.Registry) func(*engine.Options) {
	return func(o *engine.Options) { o.Plugins, o.NoReuse = plugins, a.noReuse }
}

// playing sets what the flags say of a recording.
func (a *target) playing(plugins framework.Registry) play.Options {
	return play.Options{Adjust: a.adjust(plugins), Kubernetes: a.kubernetes.release}
}

// openAt opens the trace or the cluster.
func (a *target) openAt(c *cobra.Command, plugins framework.Registry) (*openedAt, error) {
	if c.Flags().Changed(attachFlag) {
		if a.kubernetes.release != nil {
			return nil, fmt.Errorf("--%s and --%s: a scheduler that runs answers as the release that it decides as", attachFlag, kubernetesFlag)
		}
		return a.openAttached(c, plugins)
	}
	used := a.givenFlags(c)
	if a.trace != "" && len(used) > 0 {
		return nil, fmt.Errorf("--trace and %s: either a trace is asked, or a cluster", used[0])
	}
	if a.trace != "" {
		return openTraceAt(c, a.playing(plugins), a.trace, a.at)
	}
	if !a.configured(c) {
		if named := os.Getenv(clientcmd.RecommendedConfigPathEnvVar); named != "" {
			return nil, fmt.Errorf("finding the cluster: %s=%q names no cluster: correct it, or ask a recording with --trace",
				clientcmd.RecommendedConfigPathEnvVar, named)
		}
		if !readByPerson(c) {
			return nil, fmt.Errorf("%w, or a recording with --trace, as in \"--trace %s\"", errNoKubeconfig, builtIn()[0])
		}
		s, err := openTraceAt(c, a.playing(plugins), builtIn()[0], a.at)
		if err == nil {
			s.fallback = true
		}
		return s, err
	}
	if a.at != "" {
		return nil, fmt.Errorf("--at %q: a cluster is asked as it is now; for another time give --trace", a.at)
	}
	return a.openCluster(c, plugins)
}

// readByPerson reports whether a command prints text on a terminal.
func readByPerson(c *cobra.Command) bool {
	stdout, is := raw(c.OutOrStdout()).(*os.File)
	return is && term.IsTerminal(stdout.Fd()) && c.Flags().Lookup(outputFlag).Value.String() == asText
}

// qualify adds the namespace of the flag to a pod without one.
func (a *target) qualify(arg string) string {
	if n := a.flags.overrides.Context.Namespace; n != "" && !strings.Contains(arg, "/") {
		return n + "/" + arg
	}
	return arg
}

// sourceDocument is the cluster, or the scheduler in it, that a result comes from; nil for a trace.
type sourceDocument struct {
	Cluster string `json:"cluster"`
	Server  string `json:"server"`
	// NewerServer is the API server's version, if it is newer than all releases that are modelled: its scheduler may decide otherwise.
	NewerServer string `json:"newerServer,omitempty"`
	ReadAt      moment `json:"readAt"`
	// Configuration is the file of the scheduler's configuration; "default" is kube-scheduler's default, "scheduler" that of Scheduler.
	Configuration string               `json:"configuration"`
	Unread        []unreadableDocument `json:"unread"`
	// Scheduler is the one that was asked; nil if the cluster was read.
	Scheduler *schedulerDocument `json:"scheduler,omitempty"`

	decides modelled.Release
}

// openCluster lists everything in a cluster once and opens an engine with it.
func (a *target) openCluster(c *cobra.Command, plugins framework.Registry) (*openedAt, error) {
	from, err := a.open(c, answerTimeout)
	if err != nil {
		return nil, err
	}
	configuration, err := a.schedulerOf(c, from)
	if err != nil {
		return nil, err
	}
	o := engine.Options{Config: configuration, Plugins: plugins, NoReuse: a.noReuse, Start: time.Now().Round(0)}
	e, err := engine.New(o) // which kinds it reads
	if err != nil {
		return nil, err
	}
	kinds, err := e.WatchedKinds()
	if err != nil {
		return nil, err
	}
	p := newProgress(c, "reading "+from.name+" at "+from.server)
	defer p.done()
	lists, left, err := live.ReadOnce(c.Context(), from.client, withKinds(kinds, slices.Concat(extraKinds, optionalKinds)...))
	if err != nil {
		return nil, orNoAnswer(err)
	}
	unread, err := unreadableOf(left, kinds)
	if err != nil {
		return nil, err
	}
	if o.Config, o.Unread = guarded(configuration, left), forbiddenOf(left); len(o.Unread) > 0 || o.Config != configuration {
		if e, err = engine.New(o); err != nil {
			return nil, err
		}
	}
	s, err := openLists(e, o, lists)
	if err != nil {
		return nil, fmt.Errorf("taking in what was read of %s: %w", from.name, err)
	}
	s.trace, s.cluster, s.configuration = from.name, from, configuration
	s.source = &sourceDocument{
		Cluster: from.name, Server: from.server, NewerServer: from.newer, ReadAt: momentOf(s.at), Configuration: a.configurationName(), Unread: unread,
		decides: configuration.Features.Release(),
	}
	s.again = whatIfWords(c, a.clusterFlags(c))
	return s, nil
}

func (n *connection) configurationName() string {
	if n.config == "" {
		return "default"
	}
	return printable.Line(n.config, 200)
}

// openLists returns a player of an engine that has applied the lists and decided nothing.
func openLists(e *engine.Engine, o engine.Options, lists []world.Listed) (*openedAt, error) {
	flight, err := play.NewFlightRecorder(e, o, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		flight.Applied(world.Input{At: o.Start, Event: list}, nil)
	}
	player, err := flight.Player()
	if err != nil {
		return nil, err
	}
	if err := player.SeekRecord(len(player.Records())); err != nil {
		return nil, err
	}
	return &openedAt{Player: player, at: o.Start}, nil
}

// location says after a time what was read: a cluster, or a trace at an offset.
func (d *sourceDocument) location(offset, trace string) string {
	if d != nil && d.Scheduler != nil {
		return " by " + trace
	}
	if d != nil {
		return " of " + d.Cluster
	}
	return ", " + offset + " in " + trace
}

// text writes the source, after the result.
func (d *sourceDocument) text(w io.Writer) {
	if d == nil {
		return
	}
	if d.Scheduler != nil {
		d.Scheduler.text(w, d.ReadAt)
		return
	}
	configuration := d.Configuration
	if d.Configuration == "default" {
		configuration = "kube-scheduler's default; --config names another"
	}
	rows := [][]string{
		{"cluster", d.Cluster + ", " + d.Server + ", as read at " + string(d.ReadAt)},
		{"configuration", configuration},
	}
	if d.NewerServer != "" {
		rows = append(rows, []string{"API server", newerText(d.NewerServer, d.decides)})
	}
	section(w, "Source", rows)
	writeUnreadable(w, d.Unread)
}
