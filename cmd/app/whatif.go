package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world"
)

func whatIfCommand(plugins framework.Registry) *cobra.Command {
	var (
		out  output
		whom target
		more []string

		pools  poolsFlags
		prices pricesFlags
	)
	c := &cobra.Command{
		Use:   "whatif CHANGE... [--do CHANGE]",
		Short: "Say what would happen to pods if something were different",
		Long: `Whatif makes changes to a copy of a cluster, and lets the scheduler, the owners of pods, the kubelets and
the disruption budgets carry on until nothing more happens: once with the changes and once without. What
differs is the answer. Nothing is changed in the cluster or the trace that is asked.

Several changes have commas between them, or each its own --do. They are written:

  ` + strings.ReplaceAll(change.Usage(), "\n", "\n  ") + `

PODs, OWNERs and claims are names, in the namespace of --namespace if it is given, or NAMESPACE/NAME; DEVICEs are POOL/DEVICE, or DRIVER/POOL/DEVICE. ` + targetHelp + `

With --trace the question is about a moment of it; without --at that is its end.
` + traceHelp + `
` + momentHelp + `

An upgrade restarts the scheduler as that release of Kubernetes, and says what happens to the pods that are pending. Of a recording
the hour after that moment is scheduled, too, by both releases, and the rules and feature gates are named that make the difference.

With --autoscale the nodes are added that an autoscaler would make of the node pools for the pods that wait with the changes; changes may
be left out then. ` + poolsHelp + `

The exit code is 1 when a pod ends worse, without a node that it would have otherwise, when a budget keeps
a drain from finishing, when an upgrade leaves pods of the next hour pending or preempts them, and when the trace is damaged.`,
		Example: `  orrery whatif drain new-a-1 --trace node-drain --at +40s
  orrery whatif add 2 nodes like node-1, cordon node-2
  orrery whatif upgrade 1.37           # of the cluster's scheduler
  orrery whatif free claim shop/train-2
  orrery whatif -n shop select web-0 disk=ssd
  orrery whatif drain node-7 --attach  # asks the scheduler that runs
  orrery whatif --autoscale --pools pools.txt  # what an autoscaler would do now
  orrery whatif requests shop/web-0 cpu=500m memory=1Gi -o json | jq .with`,
		ValidArgsFunction: completer{&whom, plugins}.changes,
		RunE: func(c *cobra.Command, args []string) error {
			changes, err := changesOf(args, more)
			if len(args)+len(more) == 0 && pools.autoscale {
				changes, err = nil, nil // what an autoscaler would do is a question of its own
			}
			if err != nil {
				return err
			}
			priceList, err := prices.read()
			if err != nil {
				return err
			}
			s, err := whom.openAt(c, plugins)
			if err != nil {
				return err
			}
			if n := whom.flags.overrides.Context.Namespace; n != "" {
				if err := checkNamespace(s, n); err != nil {
					return err
				}
				for i := range changes {
					changes[i] = changes[i].In(n)
				}
			}
			warn(c, refusals(s.Engine().Refusals())...)
			grown, err := growing(c, s, &pools, priceList, changes)
			if err != nil {
				return err
			}
			a := grown.result
			doc := newWhatIf(s, a)
			grown.into(c, s, doc, &pools, changes)
			if doc.NextHour, err = nextHour(c, s, changes, plugins); err != nil {
				return err
			}
			if err := out.print(c, doc, doc.text); err != nil {
				return err
			}
			return exitFor(!a.Worse() && !a.Blocks() && doc.Damage == nil && !doc.NextHour.worse())
		},
	}
	whom.flag(c, true)
	_ = c.RegisterFlagCompletionFunc(clientcmd.FlagNamespace, completer{&whom, plugins}.namespaces)
	c.Flags().StringArrayVar(&more, "do", nil, "a `change`, beside those in the arguments; may be given several times")
	pools.addFlags(c)
	prices.addFlags(c)
	out.addFlag(c)
	return c
}

// changesOf reads the changes of a command line.
func changesOf(args, more []string) ([]change.Change, error) {
	changes, err := change.ParseAll(args)
	if err != nil {
		return nil, err
	}
	for _, text := range more {
		also, err := change.ParseAll([]string{text})
		if err != nil {
			return nil, fmt.Errorf("--do: %w", err)
		}
		changes = append(changes, also...)
	}
	if len(changes) == 0 {
		return nil, errors.New(`say what should be different, as in "orrery whatif drain NODE"; "orrery whatif --help" lists the changes`)
	}
	return changes, nil
}

func evaluate(c *cobra.Command, s *openedAt, changes []change.Change) (*whatif.Result, error) {
	p := newProgress(c, "asking what if")
	defer p.done()
	p.update(func() string { return "letting two copies of the cluster come to rest" })
	return evaluateAt(s, changes)
}

// evaluateAt evaluates the changes at the trace's position.
func evaluateAt(s *openedAt, changes []change.Change) (*whatif.Result, error) {
	e, err := engineAt(s)
	if err != nil {
		return nil, err
	}
	return whatif.Evaluate(e, changes, whatif.Options{})
}

// engineAt returns a fork of the engine at the requested time.
func engineAt(s *openedAt) (*engine.Engine, error) {
	e, err := s.Engine().Fork()
	if err != nil {
		return nil, err
	}
	if s.at.After(e.Now()) {
		if err := e.Apply(world.Input{At: s.at, Event: world.Tick{}}); err != nil {
			return nil, fmt.Errorf("going on to %s: %w", timeText(s.at), err)
		}
	}
	return e, nil
}

// openEngine opens what is asked about, warns of what it refused, and returns a fork of the engine at the requested time.
func (a *target) openEngine(c *cobra.Command, plugins framework.Registry) (*openedAt, *engine.Engine, error) {
	s, err := a.openAt(c, plugins)
	if err != nil {
		return nil, nil, err
	}
	warn(c, refusals(s.Engine().Refusals())...)
	e, err := engineAt(s)
	return s, e, err
}

// againAs is the command that asks about the same with another command.
func (s *openedAt) againAs(command string) string {
	return strings.Replace(strings.TrimRight(s.again, " "), " whatif", " "+command, 1)
}

// whatIfDocument is the result of whatif.
type whatIfDocument struct {
	envelope
	Trace string `json:"trace"`
	At    moment `json:"at"`
	// Kubernetes is the release that was decided as.
	Kubernetes modelled.Release `json:"kubernetes,omitzero"`
	Changes    []string         `json:"changes"`
	// Summary is the verdict in one line.
	Summary string `json:"summary"`
	// Worse says that a pod has no node at rest that it would have without the changes.
	Worse   bool           `json:"worse"`
	Without clusterSummary `json:"without"`
	With    clusterSummary `json:"with"`
	// Pods are those whose outcome changes; StillPending have no node in either run.
	Pods         []podChange       `json:"pods"`
	StillPending []podChange       `json:"stillPending"`
	Blocked      []blockedEviction `json:"blockedEvictions"`
	Notes        []string          `json:"notes"`
	// Causes are the rules and feature gates that make the difference, of an upgrade; NotTried were not turned off.
	Causes   []causeDocument    `json:"causes,omitempty"`
	NotTried []notTriedDocument `json:"notTried,omitempty"`
	// NextHour is what came in the hour after that moment of a recording, scheduled as both releases do; of an upgrade only.
	NextHour *upgradeDocument `json:"nextHour,omitempty"`
	// Pools says which nodes of pools are added, and why they take no more.
	Pools *poolsDocument `json:"pools,omitempty"`
	// Price is what all nodes cost without and with the changes.
	Price *pricesBeforeAfter `json:"price,omitempty"`
	// Truncated says that the run ended before the cluster came to rest.
	Truncated bool `json:"truncated"`
	// Command is the command for the same evaluation.
	Command string `json:"command"`
	// Source is the cluster that was read; nil for a trace.
	Source *sourceDocument `json:"source,omitempty"`
	Damage *damageDocument `json:"damage,omitempty"`

	rest     time.Duration
	position string
}

// clusterSummary is a cluster at rest. Shares are from 0 to 1.
type clusterSummary struct {
	Nodes     int     `json:"nodes"`
	Placed    int     `json:"placed"`
	Pending   int     `json:"pending"`
	Moved     int     `json:"moved"`
	Evicted   int     `json:"evicted"`
	Preempted int     `json:"preempted"`
	CPU       float64 `json:"cpuRequested"`
	Memory    float64 `json:"memoryRequested"`
	Spread    float64 `json:"utilizationSpread"`
	Deviation float64 `json:"utilizationDeviation"`
	Decisions uint64  `json:"decisions"`
	RestAt    moment  `json:"restAt"`
}

// podChange is a pod's outcome without and with the changes.
type podChange struct {
	Pod     podRef     `json:"pod"`
	Kind    string     `json:"kind"`
	Without podOutcome `json:"without"`
	With    podOutcome `json:"with"`
	// Cause names what makes the difference, of an upgrade.
	Cause string `json:"cause,omitempty"`
}

type podOutcome struct {
	// Pod is the pod itself or its replacement; absent if there is neither.
	Pod *podRef `json:"pod,omitempty"`
	// State is where it is in the end: on a node, or why not.
	State string `json:"state,omitempty"`
	// Node is its node.
	Node string `json:"node,omitempty"`
	// Reason is why it has no node, out of TotalNodes.
	Reason     *answer.Reason `json:"reason,omitempty"`
	TotalNodes int            `json:"totalNodes,omitempty"`
	// RemovedBy is why the original pod was deleted.
	RemovedBy string `json:"removedBy,omitempty"`
}

type blockedEviction struct {
	Pod     podRef          `json:"pod"`
	Node    string          `json:"node"`
	Budget  string          `json:"budget,omitempty"`
	Message string          `json:"message"`
	Causes  []evictionCause `json:"causes"`
}

// evictionCause is one reason why a budget blocks an eviction, with its remedy.
type evictionCause struct {
	Kind     string   `json:"kind"`
	Detail   string   `json:"detail"`
	Remedies []string `json:"remedies"`
}

func newWhatIf(s *openedAt, r *whatif.Result) *whatIfDocument {
	doc := &whatIfDocument{
		envelope: document("WhatIf"), Trace: s.trace, At: momentOf(s.at), Kubernetes: s.release(), Changes: []string{}, Summary: r.Verdict(), Worse: r.Worse(),
		Without: clusterSummaryOf(r.Without), With: clusterSummaryOf(r.With),
		Pods: podChanges(r.Pods), StillPending: podChanges(r.StillPending), Blocked: []blockedEviction{},
		Notes: append([]string{}, r.Notes...), Truncated: r.Truncated,
		Command: s.again + change.ShellWords(r.Changes), Source: s.source, Damage: s.damage, rest: r.RestAt.Sub(r.At), position: s.position,
	}
	doc.addCauses(s, r)
	for _, c := range r.Changes {
		doc.Changes = append(doc.Changes, c.String())
	}
	for _, b := range r.Blocked {
		blocked := blockedEviction{refOf(b.Pod), b.Node, b.Budget, b.Message, []evictionCause{}}
		for _, c := range b.Causes {
			blocked.Causes = append(blocked.Causes, evictionCause{string(c.Kind), c.Detail, c.Remedies})
		}
		doc.Blocked = append(doc.Blocked, blocked)
	}
	return doc
}

func clusterSummaryOf(o whatif.ClusterSummary) clusterSummary {
	return clusterSummary{
		o.Nodes, o.Placed, o.Pending, o.Moved, o.Evicted, o.Preempted,
		rounded(o.CPU), rounded(o.Memory), rounded(o.Spread), rounded(o.Deviation), o.Decisions, momentOf(o.RestAt),
	}
}

func podChanges(pods []whatif.PodChange) []podChange {
	all := make([]podChange, 0, len(pods))
	for _, p := range pods {
		all = append(all, podChange{refOf(p.Pod), p.Kind.String(), podOutcomeOf(p.Without), podOutcomeOf(p.With), p.Cause})
	}
	return all
}

func podOutcomeOf(o whatif.PodOutcome) podOutcome {
	doc := podOutcome{State: string(o.State), Node: o.Node, TotalNodes: o.TotalNodes, RemovedBy: o.RemovedBy}
	if o.Pod != (world.PodRef{}) {
		ref := refOf(o.Pod)
		doc.Pod = &ref
	}
	if o.Reason.Reason != "" {
		doc.Reason = &answer.Reason{Plugin: o.Reason.Plugin, Message: o.Reason.Reason, Nodes: o.Reason.Nodes}
	}
	return doc
}

// text writes the verdict first, then that nothing was changed, and then what would change.
func (d *whatIfDocument) text(w io.Writer) {
	fmt.Fprintln(w, printable.Line(d.Summary, 300))
	fmt.Fprintf(w, "  what-if: %s\n", printable.Line(strings.Join(d.Changes, ", "), 300))
	fmt.Fprintf(w, "  evaluated at %s%s%s; nothing was changed\n\n", d.At, d.Source.location(d.position, d.Trace), decidedAs(d.Kubernetes))
	writeTable(w, "  ", d.numbers())
	d.Pools.text(w)
	section(w, countText(len(d.Pods), "pod")+" would change outcome", changeLines(d.Pods))
	section(w, "What makes the difference", causeLines(d.Causes))
	var blocked, notes [][]string
	for _, b := range d.Blocked {
		blocked = append(blocked, []string{podName(b.Pod), "stays on " + printable.Line(b.Node, 100), printable.Line(b.Message, 300)})
		for _, c := range b.Causes {
			blocked = append(blocked, []string{"", "", printable.Line(c.Detail, 300)}, []string{"", "", "  " + strings.Join(c.Remedies, "; or ")})
		}
	}
	section(w, "Blocked by PodDisruptionBudgets", blocked)
	section(w, countText(len(d.StillPending), "pod")+" still pending", pendingLines(d.StillPending))
	for _, n := range d.Notes {
		notes = append(notes, []string{printable.Line(n, 300)})
	}
	section(w, "Notes", notes)
	d.NextHour.section(w)
	if d.Truncated {
		fmt.Fprintf(w, "\nTruncated after %s, before the cluster came to rest: more would happen later\n", durationText(d.rest))
	} else {
		fmt.Fprintf(w, "\nAt rest %s after the changes\n", durationText(d.rest))
	}
	fmt.Fprintf(w, "Run again: %s\n", printable.Line(d.Command, 2000))
	d.Source.text(w)
}

func podName(p podRef) string { return printable.Line(p.Namespace+"/"+p.Name, 150) }

// numbers returns the summaries without and with the changes, side by side.
func (d *whatIfDocument) numbers() [][]string {
	b, a := &d.Without, &d.With
	table := [][]string{{"", "without", "with", "change"}}
	count := func(name string, before, after int) {
		table = append(table, []string{name, strconv.Itoa(before), strconv.Itoa(after), signed(int64(after - before))})
	}
	percent := func(name string, before, after float64) {
		x, y := math.Round(1000*before), math.Round(1000*after)
		change := "="
		if x != y {
			change = fmt.Sprintf("%+.1f", (y-x)/10)
		}
		table = append(table, []string{name, fmt.Sprintf("%.1f%%", x/10), fmt.Sprintf("%.1f%%", y/10), change})
	}
	count("nodes", b.Nodes, a.Nodes)
	count("pods placed", b.Placed, a.Placed)
	count("pods pending", b.Pending, a.Pending)
	count("moved", b.Moved, a.Moved)
	count("evicted", b.Evicted, a.Evicted)
	count("preempted", b.Preempted, a.Preempted)
	percent("cpu requested", b.CPU, a.CPU)
	percent("memory requested", b.Memory, a.Memory)
	percent("utilization spread (max-min)", b.Spread, a.Spread)
	percent("utilization deviation", b.Deviation, a.Deviation)
	count("decisions", int(b.Decisions), int(a.Decisions))
	if d.Price != nil {
		table = append(table, []string{"price of all nodes", d.Price.Before.String(), d.Price.After.String(), ""})
	}
	return table
}

// maxLines bounds the pods in text output; JSON has all.
//
//orrery:limit answers; pods in a printed what-if; the others are counted; JSON has all
const maxLines = 200

func changeLines(pods []podChange) [][]string {
	var lines [][]string
	for _, p := range pods[:min(len(pods), maxLines)] {
		lines = append(lines, []string{podName(p.Pod), p.Kind, p.Without.words(), "->", p.With.words()})
	}
	if rest := len(pods) - maxLines; rest > 0 {
		lines = append(lines, []string{fmt.Sprintf("and %d more", rest)})
	}
	return lines
}

// words returns a pod's node, or why it has none.
func (o podOutcome) words() string {
	text := printable.Line(o.Node, 100)
	switch {
	case o.Node == "" && o.Pod == nil && o.State == "":
		return "does not exist"
	case o.Node == "" && o.Pod == nil:
		text = "gone"
	case o.Node == "" && o.TotalNodes > 0:
		text = fmt.Sprintf("pending: %s on %d of %d", printable.Line(o.Reason.Message, 120), o.Reason.Nodes, o.TotalNodes)
	case o.Node == "":
		text = "pending"
		if o.Reason != nil {
			text += ": " + printable.Line(o.Reason.Message, 160)
		}
	}
	if o.RemovedBy != "" {
		text += " (" + o.RemovedBy + ")"
	}
	return text
}

// pendingLines counts the pods by reason, the most frequent first.
func pendingLines(pods []podChange) [][]string {
	counts := map[string]int{}
	for _, p := range pods {
		reason := p.With.State
		if r := p.With.Reason; r != nil {
			reason = r.Message
		}
		counts[reason]++
	}
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var lines [][]string
	for _, r := range reasons[:min(len(reasons), 12)] {
		lines = append(lines, []string{countText(counts[r], "pod"), printable.Line(r, 200)})
	}
	return lines
}
