package app

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/printable"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/live"
)

// asked is whom a question is put to: a trace at some moment, or a cluster as it is now.
type asked struct {
	connection
	trace, at string
}

// whomHelp says in help texts who is asked.
const whomHelp = `Without --trace the cluster of the kubeconfig is asked, as it is now: it is read once, and nothing in it
is changed. Where there is no kubeconfig the first built-in trace is asked.`

func (a *asked) flag(c *cobra.Command, namespaced bool) {
	c.Flags().StringVar(&a.trace, "trace", "", "the `TRACE` to ask; the cluster of the kubeconfig if it is not given")
	c.Flags().StringVar(&a.at, "at", "", "the `time` to ask at, or @N for after N records; the end if it is not given")
	_ = c.RegisterFlagCompletionFunc("trace", func(c *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeTrace(c, nil, text)
	})
	a.connection.flag(c, namespaced)
}

// stand goes to where the question is put.
func (a *asked) stand(c *cobra.Command, plugins framework.Registry) (*standpoint, error) {
	used := a.given(c)
	if a.trace != "" && len(used) > 0 {
		return nil, fmt.Errorf("--trace and %s: either a trace is asked, or a cluster", used[0])
	}
	if a.trace == "" && !a.configured(c) {
		a.trace = builtIn()[0]
	}
	if a.trace != "" {
		return stand(c, plugins, a.trace, a.at)
	}
	if a.at != "" {
		return nil, fmt.Errorf("--at %q: a cluster is asked as it is now; for another time give --trace", a.at)
	}
	return a.standInCluster(c, plugins)
}

// podName is the pod that is meant, in the namespace of the flag if it has none of its own.
func (a *asked) podName(arg string) string {
	if n := *a.flags.Namespace; n != "" && !strings.Contains(arg, "/") {
		return n + "/" + arg
	}
	return arg
}

// sourceDocument says where an answer comes from, if not from a trace.
type sourceDocument struct {
	Cluster string `json:"cluster"`
	Server  string `json:"server"`
	ReadAt  moment `json:"readAt"`
	// Configuration is the file by which was decided; "default" is kube-scheduler's default.
	Configuration string           `json:"configuration"`
	Unread        []unreadDocument `json:"unread"`

	// again are the flags that ask the same cluster, with a space behind each.
	again string
}

// standInCluster reads a cluster, all of it once, and stands where an engine has been told of it.
func (a *asked) standInCluster(c *cobra.Command, plugins framework.Registry) (*standpoint, error) {
	from, err := a.open(c)
	if err != nil {
		return nil, err
	}
	configuration, err := a.scheduler()
	if err != nil {
		return nil, err
	}
	o := engine.Options{Config: configuration, Plugins: plugins, Start: time.Now().Round(0)}
	e, err := engine.New(o)
	if err != nil {
		return nil, err
	}
	kinds, err := live.Watched(e)
	if err != nil {
		return nil, err
	}
	p := newProgress(c, "reading "+from.name)
	defer p.done()
	p.say(func() string { return from.server })
	lists, left, err := live.ReadOnce(c.Context(), from.client, with(kinds, beside...))
	if err != nil {
		return nil, err
	}
	unread, err := unreadOf(left)
	if err != nil {
		return nil, err
	}
	s, err := toldOnce(e, o, lists)
	if err != nil {
		return nil, fmt.Errorf("taking in what was read of %s: %w", from.name, err)
	}
	s.trace = from.name
	s.source = &sourceDocument{from.name, from.server, momentOf(s.at), a.configurationName(), unread, a.again(c)}
	return s, nil
}

func (n *connection) configurationName() string {
	if n.config == "" {
		return "default"
	}
	return printable.Line(n.config, 200)
}

// toldOnce is a player of a life in which an engine was told of everything at once, and has decided nothing.
func toldOnce(e *engine.Engine, o engine.Options, lists []world.Listed) (*standpoint, error) {
	flight, err := play.NewFlight(e, o, math.MaxInt64)
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
	return &standpoint{Player: player, at: o.Start}, nil
}

// within says behind a time what was asked: a cluster, or a trace so long after its beginning.
func (d *sourceDocument) within(offset, trace string) string {
	if d != nil {
		return " of " + d.Cluster
	}
	return ", " + offset + " in " + trace
}

// text says where the answer comes from, after the answer.
func (d *sourceDocument) text(w io.Writer) {
	if d == nil {
		return
	}
	configuration := "by " + d.Configuration
	if d.Configuration == "default" {
		configuration = "by kube-scheduler's default configuration; --config names another"
	}
	section(w, "Where this comes from", [][]string{
		{"asked of", d.Cluster + ", " + d.Server + ", as read at " + string(d.ReadAt)},
		{"decided", configuration},
	})
	unreadText(w, d.Unread)
}

// asPodSays corrects where a pod is: an engine that has just been told of it takes it for a new one, and its conditions say
// what the cluster's own scheduler made of it.
func (w *whereabouts) asPodSays(pod *v1.Pod) {
	if engine.Place(w.State) != engine.PlaceActive {
		return
	}
	w.since = pod.CreationTimestamp.UTC()
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Reason == v1.PodReasonUnschedulable {
			w.State, w.since = string(engine.PlaceUnschedulable), c.LastTransitionTime.UTC()
		}
	}
	if w.Since = ""; !w.since.IsZero() {
		w.Since = momentOf(w.since)
	}
}
