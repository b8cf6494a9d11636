package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/answers/answer"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world"
)

func journeyCommand(plugins framework.Registry) *cobra.Command {
	var (
		out  output
		whom target
	)
	c := &cobra.Command{
		Use:   "journey POD",
		Short: "Say what happened to a pod in the scheduler, step by step",
		Long: `Journey lists the way of a pod through the scheduler's queue: when it came, each attempt with its outcome, what rejected it, which
event of the cluster requeued it, and when it got its node. POD is a name, or NAMESPACE/NAME. ` + targetHelp + `
A cluster that is only read has no past: ask a recording of it, or with --attach the scheduler that runs.
` + traceHelp + `
` + momentHelp + `

The exit code is 1 when the pod has no node, and when the trace is damaged.`,
		Example: `  orrery journey shop/web-0 --trace incident.orrery --at 09:12
  orrery journey db-5 --trace stateful-rollout
  orrery journey web-0 -n shop --attach  # by its own queue`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completer{&whom, plugins}.explained,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := whom.openAt(c, plugins)
			if err != nil {
				return err
			}
			warn(c, refusals(s.Engine().Refusals())...)
			pod, err := findPod(s, whom.qualify(podArgument(s, args[0])))
			if err != nil {
				return err
			}
			doc := newJourney(s, world.PodRefOf(pod))
			if err := out.print(c, doc, doc.text); err != nil {
				return err
			}
			return exitFor(doc.Node != "" && doc.Damage == nil)
		},
	}
	whom.flag(c, true)
	_ = c.RegisterFlagCompletionFunc(clientcmd.FlagNamespace, completer{&whom, plugins}.namespaces)
	out.addFlag(c)
	return c
}

// journeyDocument is a pod's way through the queue.
type journeyDocument struct {
	envelope
	Trace string `json:"trace"`
	At    moment `json:"at"`
	// Kubernetes is the release that was decided as.
	Kubernetes modelled.Release `json:"kubernetes,omitzero"`
	Pod        podRef           `json:"pod"`
	State      string           `json:"state"`
	Node       string           `json:"node,omitempty"`
	Attempts   int              `json:"attempts"`
	Steps      []journeyStep    `json:"steps"`
	// Source is the cluster that was read; nil for a trace.
	Source *sourceDocument `json:"source,omitempty"`
	Damage *damageDocument `json:"damage,omitempty"`
}

// journeyStep is one transition, with the decision that it ends.
type journeyStep struct {
	At   moment `json:"at"`
	From string `json:"from"`
	To   string `json:"to"`
	// Event is what moved the pod, Plugins are those that decided so: they rejected or gate it, or their hint requeued it.
	Event   string   `json:"event"`
	Plugins []string `json:"plugins,omitempty"`
	// Attempt is the number of the attempt that the step ends.
	Attempt       int                `json:"attempt,omitempty"`
	Verdict       string             `json:"verdict,omitempty"`
	Message       string             `json:"message,omitempty"`
	Node          string             `json:"node,omitempty"`
	NominatedNode string             `json:"nominatedNode,omitempty"`
	Victims       []podRef           `json:"victims,omitempty"`
	Nodes         *answer.NodeCounts `json:"nodes,omitempty"`
}

func newJourney(s *openedAt, pod world.PodRef) *journeyDocument {
	e := askedEngine(s)
	doc := &journeyDocument{
		envelope: document("Journey"), Trace: s.trace, At: momentOf(s.at), Kubernetes: s.release(), Pod: refOf(pod),
		State: string(e.PodState(pod.Namespace, pod.Name)), Steps: []journeyStep{}, Source: s.source, Damage: s.damage,
	}
	if p := e.Store().Pod(pod.Namespace, pod.Name); p != nil {
		doc.Node = p.Spec.NodeName
	}
	decisions := map[int]*engine.Decision{} // the latest of each attempt
	for d := range e.Decisions() {
		if d.Pod.UID == pod.UID && decisions[d.Attempt] == nil {
			decisions[d.Attempt] = d
		}
	}
	for _, t := range e.PodTransitions(pod.UID) {
		step := journeyStep{At: momentOf(t.At), From: t.From.String(), To: t.To.String(), Event: t.Event, Message: t.Note}
		if step.Plugins = t.NewRejectors; t.Plugin != "" {
			step.Plugins = []string{t.Plugin}
		}
		if t.From == queue.InFlight {
			step.Attempt = t.Attempts
			step.decided(decisions[t.Attempts])
		}
		doc.Attempts = t.Attempts
		doc.Steps = append(doc.Steps, step)
	}
	return doc
}

// decided adds the decision of the step's attempt, if it is still known.
func (j *journeyStep) decided(d *engine.Decision) {
	if d == nil {
		return
	}
	made := newMadeDecision(d)
	j.Verdict, j.Node, j.NominatedNode, j.Victims, j.Nodes = made.Verdict, made.Node, made.NominatedNode, made.Victims, &made.Nodes
	if made.Message != "" {
		j.Message = made.Message
	}
}

// text writes a line for each step.
func (d *journeyDocument) text(w io.Writer) {
	where := "no node"
	if d.Node != "" {
		where = "on " + printable.Line(d.Node, 100)
	}
	fmt.Fprintf(w, "%s is %s, %s, after %s\n", podName(d.Pod), d.State, where, countText(d.Attempts, "attempt"))
	var table [][]string
	for i := range d.Steps {
		s := &d.Steps[i]
		table = append(table, []string{string(s.At), s.From + " -> " + s.To, printable.Line(s.Event, 60), s.words()})
	}
	section(w, "Steps", table)
	d.Source.text(w)
}

// words says what came of a step.
func (j *journeyStep) words() string {
	text := printable.Line(j.Message, 200)
	if j.Verdict == engine.Placed.String() {
		text = "placed on " + printable.Line(j.Node, 100)
	}
	if j.NominatedNode != "" {
		text += "; nominated to " + printable.Line(j.NominatedNode, 100) + ", preempting " + countText(len(j.Victims), "pod")
	}
	if len(j.Plugins) > 0 {
		text += " (" + printable.Line(strings.Join(j.Plugins, ", "), 120) + ")"
	}
	return text
}
