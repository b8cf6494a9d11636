package app

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/framework"
	"orrery/core/printable"
	"orrery/core/whatif"
	"orrery/core/world"
)

func whatIfCommand(plugins framework.Registry) *cobra.Command {
	var (
		out  output
		whom asked
		more []string
	)
	c := &cobra.Command{
		Use:   "whatif CHANGE... [--do CHANGE]",
		Short: "Say what would become of the pods if something were different",
		Long: `Whatif makes changes to a copy of a cluster, and lets the scheduler, the owners of pods, the kubelets and
the disruption budgets carry on until nothing more happens: once with the changes and once without. What
differs is the answer. Nothing is changed in the cluster or the trace that is asked.

Several changes have commas between them, or each its own --do. They are written:

  ` + strings.ReplaceAll(whatif.Usage(), "\n", "\n  ") + `

PODs and OWNERs are names, or NAMESPACE/NAME. ` + whomHelp + `

With --trace the question is about a moment of it; without --at that is its end.
` + traceHelp + `
` + momentHelp + `

The exit code is 1 when a pod ends worse: without a node that it would have otherwise.`,
		Example: `  orrery whatif drain node-3 --trace rolling-drain --at +40s
  orrery whatif add 2 nodes like node-1, cordon node-2
  orrery whatif --do "requests shop/web-0 cpu=500m memory=1Gi" --trace incident.orrery -o json | jq .after`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			changes, err := changesOf(args, more)
			if err != nil {
				return err
			}
			s, err := whom.stand(c, plugins)
			if err != nil {
				return err
			}
			a, err := ask(c, s, changes)
			if err != nil {
				return err
			}
			doc := newWhatIf(s, whom.trace, a)
			if err := out.print(c, doc, doc.text); err != nil {
				return err
			}
			return answer(!doc.Worse)
		},
	}
	whom.flag(c, false)
	c.Flags().StringArrayVar(&more, "do", nil, "a `change`, beside those in the arguments; may be given several times")
	out.flag(c)
	return c
}

// changesOf reads the changes of a command line.
func changesOf(args, more []string) ([]whatif.Change, error) {
	changes, err := whatif.ParseAll(args)
	if err != nil {
		return nil, err
	}
	for _, text := range more {
		also, err := whatif.ParseAll([]string{text})
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

// ask asks where a trace stands. Time that has passed since the last record has passed for the scheduler, too.
func ask(c *cobra.Command, s *standpoint, changes []whatif.Change) (*whatif.Answer, error) {
	p := newProgress(c, "asking what if")
	defer p.done()
	p.say(func() string { return "letting two copies of the cluster come to rest" })
	e, err := s.Engine().Fork()
	if err != nil {
		return nil, err
	}
	if s.at.After(e.Now()) {
		if err := e.Apply(world.Input{At: s.at, Event: world.Passed{}}); err != nil {
			return nil, fmt.Errorf("going on to %s: %w", clock(s.at), err)
		}
	}
	return whatif.Ask(e, changes, whatif.Options{})
}

// whatIfDocument is the answer of whatif.
type whatIfDocument struct {
	envelope
	Trace   string   `json:"trace"`
	At      moment   `json:"at"`
	Changes []string `json:"changes"`
	// Worse says that a pod ends without a node that it would have otherwise.
	Worse  bool            `json:"worse"`
	Before outcomeDocument `json:"before"`
	After  outcomeDocument `json:"after"`
	// Pods fare differently; Waiting find no node either way.
	Pods    []podFate `json:"pods"`
	Waiting []podFate `json:"waiting"`
	Held    []heldPod `json:"heldByBudgets"`
	Notes   []string  `json:"notes"`
	// Truncated says that it was not followed to rest.
	Truncated bool `json:"truncated"`
	// Command asks the same again.
	Command string `json:"command"`
	// Source is the cluster that was asked.
	Source *sourceDocument `json:"source,omitempty"`

	rest time.Duration
	ago  time.Duration
}

// outcomeDocument is a cluster at rest. Shares are from 0 to 1.
type outcomeDocument struct {
	Nodes     int     `json:"nodes"`
	Placed    int     `json:"placed"`
	Pending   int     `json:"pending"`
	Moved     int     `json:"moved"`
	Evicted   int     `json:"evicted"`
	Preempted int     `json:"preempted"`
	CPU       float64 `json:"cpuAllocated"`
	Memory    float64 `json:"memoryAllocated"`
	Spread    float64 `json:"spread"`
	Deviation float64 `json:"deviation"`
	Decisions uint64  `json:"decisions"`
	Rest      moment  `json:"rest"`
}

// podFate is how a pod fares without and with the changes.
type podFate struct {
	Pod    podRef       `json:"pod"`
	Fate   string       `json:"fate"`
	Before fareDocument `json:"before"`
	After  fareDocument `json:"after"`
}

type fareDocument struct {
	// Pod is the pod itself or the one that took its place; absent if nobody did.
	Pod   *podRef `json:"pod,omitempty"`
	State string  `json:"state,omitempty"`
	Node  string  `json:"node,omitempty"`
	// Reason is why it has no node, which Nodes of the Of nodes gave.
	Reason string `json:"reason,omitempty"`
	Nodes  int    `json:"nodes,omitempty"`
	Of     int    `json:"of,omitempty"`
	// Left is what made the pod leave its node.
	Left string `json:"left,omitempty"`
}

type heldPod struct {
	Pod      podRef    `json:"pod"`
	Node     string    `json:"node"`
	Budget   string    `json:"budget,omitempty"`
	Why      string    `json:"why"`
	Troubles []trouble `json:"troubles"`
}

// trouble is one reason for which an eviction is not allowed, and what can be done about it.
type trouble struct {
	Trouble  string   `json:"trouble"`
	Detail   string   `json:"detail"`
	Remedies []string `json:"remedies"`
}

func newWhatIf(s *standpoint, trace string, a *whatif.Answer) *whatIfDocument {
	since := s.at.Sub(s.Start().Time)
	doc := &whatIfDocument{
		envelope: document("WhatIf"), Trace: s.trace, At: momentOf(s.at), Changes: []string{}, Worse: a.Worse(),
		Before: outcomeOf(a.Before), After: outcomeOf(a.After), Pods: fatesOf(a.Pods), Waiting: fatesOf(a.Waiting),
		Held: []heldPod{}, Notes: append([]string{}, a.Notes...), Truncated: a.Truncated,
		Command: whatif.Command(trace, since, a.Changes),
		Source:  s.source, rest: a.Rest.Sub(a.At), ago: since,
	}
	if s.numbered {
		doc.Command = whatif.CommandAtRecord(trace, s.At().Record, a.Changes)
	}
	if s.source != nil {
		doc.Command = "orrery whatif " + s.source.again + whatif.ShellWords(a.Changes)
	}
	for _, c := range a.Changes {
		doc.Changes = append(doc.Changes, c.String())
	}
	for _, h := range a.Held {
		held := heldPod{refOf(h.Pod), h.Node, h.Budget, h.Why, []trouble{}}
		for _, t := range h.Troubles {
			held.Troubles = append(held.Troubles, trouble{string(t.Trouble), t.Detail, t.Remedies})
		}
		doc.Held = append(doc.Held, held)
	}
	return doc
}

func outcomeOf(o whatif.Outcome) outcomeDocument {
	return outcomeDocument{
		o.Nodes, o.Placed, o.Pending, o.Moved, o.Evicted, o.Preempted,
		rounded(o.CPU), rounded(o.Memory), rounded(o.Spread), rounded(o.Deviation), o.Decisions, momentOf(o.Rest),
	}
}

func fatesOf(pods []whatif.PodChange) []podFate {
	all := make([]podFate, 0, len(pods))
	for _, p := range pods {
		all = append(all, podFate{refOf(p.Pod), p.Fate.String(), fareOf(p.Before), fareOf(p.After)})
	}
	return all
}

func fareOf(f whatif.Fare) fareDocument {
	doc := fareDocument{State: string(f.Place), Node: f.Node, Nodes: f.On, Of: f.Of, Left: f.Left}
	if f.Pod != (world.Ref{}) {
		ref := refOf(f.Pod)
		doc.Pod, doc.Reason = &ref, f.Why
	}
	return doc
}

// text says first that nothing has happened, and then what would.
func (d *whatIfDocument) text(w io.Writer) {
	fmt.Fprintf(w, "hypothetical: what if %s?\n", printable.Line(strings.Join(d.Changes, ", "), 300))
	fmt.Fprintf(w, "  asked at %s%s; nothing was changed\n\n", d.At, d.Source.within(offset(d.ago), d.Trace))
	rows(w, "  ", d.numbers())
	if len(d.Pods) == 0 {
		fmt.Fprintln(w, "\nNo pod would fare differently")
	} else {
		section(w, fmt.Sprintf("%s would fare differently", counted(len(d.Pods), "pod")), fateLines(d.Pods))
	}
	var held, notes [][]string
	for _, h := range d.Held {
		held = append(held, []string{podName(h.Pod), "stays on " + printable.Line(h.Node, 100), printable.Line(h.Why, 300)})
		for _, t := range h.Troubles {
			held = append(held, []string{"", "", printable.Line(t.Detail, 300)}, []string{"", "", "  " + strings.Join(t.Remedies, "; or ")})
		}
	}
	section(w, "Held by disruption budgets", held)
	section(w, counted(len(d.Waiting), "pod")+" would wait either way", waitingLines(d.Waiting))
	for _, n := range d.Notes {
		notes = append(notes, []string{printable.Line(n, 300)})
	}
	section(w, "Besides", notes)
	if d.Truncated {
		fmt.Fprintf(w, "\nThis was followed for %s and is not at rest: more would happen later\n", since(d.rest))
	} else {
		fmt.Fprintf(w, "\nAt rest %s after the changes\n", since(d.rest))
	}
	fmt.Fprintf(w, "Ask again: %s\n", printable.Line(d.Command, 2000))
	d.Source.text(w)
}

func podName(p podRef) string { return printable.Line(p.Namespace+"/"+p.Name, 150) }

// numbers are before and after side by side.
func (d *whatIfDocument) numbers() [][]string {
	b, a := &d.Before, &d.After
	table := [][]string{{"", "before", "after", "change"}}
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
	percent("cpu allocated", b.CPU, a.CPU)
	percent("memory allocated", b.Memory, a.Memory)
	percent("fullest to emptiest", b.Spread, a.Spread)
	percent("standard deviation", b.Deviation, a.Deviation)
	count("decisions", int(b.Decisions), int(a.Decisions))
	return table
}

// mostLines is how many pods are listed for people; programs get them all.
const mostLines = 200

func fateLines(pods []podFate) [][]string {
	var lines [][]string
	for _, p := range pods[:min(len(pods), mostLines)] {
		lines = append(lines, []string{podName(p.Pod), p.Fate, p.Before.words(), "->", p.After.words()})
	}
	if rest := len(pods) - mostLines; rest > 0 {
		lines = append(lines, []string{fmt.Sprintf("and %d more", rest)})
	}
	return lines
}

// words are where a pod is, or why it is nowhere.
func (f fareDocument) words() string {
	text := printable.Line(f.Node, 100)
	switch {
	case f.Node == "" && f.Pod == nil && f.State == "":
		return "not there"
	case f.Node == "" && f.Pod == nil:
		text = "gone"
	case f.Node == "" && f.Of > 0:
		text = fmt.Sprintf("no node: %s on %d of %d", printable.Line(f.Reason, 120), f.Nodes, f.Of)
	case f.Node == "":
		text = "no node"
		if f.Reason != "" {
			text += ": " + printable.Line(f.Reason, 160)
		}
	}
	if f.Left != "" {
		text += " (" + f.Left + ")"
	}
	return text
}

// waitingLines count the pods that wait by what most of the nodes say, most pods first.
func waitingLines(pods []podFate) [][]string {
	counts := map[string]int{}
	for _, p := range pods {
		reason := p.After.Reason
		if reason == "" {
			reason = p.After.State
		}
		counts[reason]++
	}
	var reasons []string
	for r := range counts {
		reasons = append(reasons, r)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var lines [][]string
	for _, r := range reasons[:min(len(reasons), 12)] {
		lines = append(lines, []string{counted(counts[r], "pod"), printable.Line(r, 200)})
	}
	return lines
}
