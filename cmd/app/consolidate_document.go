package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/answers/capacity"
	"orrery/core/answers/change"
	"orrery/core/answers/consolidate"
	"orrery/core/answers/price"
	"orrery/core/objects/requests"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	modelled "orrery/core/scheduler/release"

	v1 "k8s.io/api/core/v1"
)

// consolidationDocument is the answer of consolidate.
type consolidationDocument struct {
	envelope
	Trace string `json:"trace"`
	At    moment `json:"at"`
	// Kubernetes is the release that was decided as.
	Kubernetes modelled.Release `json:"kubernetes,omitzero"`
	Summary    string           `json:"summary"`
	// Freed is how many nodes are emptied, Bound how many could be at most by the sums of requests, Candidates how many were looked at.
	Freed      int    `json:"freed"`
	Bound      int    `json:"bound"`
	Candidates int    `json:"candidates"`
	Search     string `json:"search"`
	// Stopped is why the search ended before all were looked at.
	Stopped string `json:"stopped,omitempty"`
	// RoomFor is for how many pods room is made, and HasRoom whether they fit in the end.
	RoomFor int  `json:"roomFor,omitempty"`
	HasRoom bool `json:"hasRoom,omitempty"`
	// Waves are drained one after the other; CordonAll says that all their nodes are cordoned first.
	Waves     [][]string          `json:"waves"`
	CordonAll bool                `json:"cordonAll"`
	Moves     []consolidationMove `json:"moves"`
	Blocked   []blockedNode       `json:"blocked"`
	Before    nodeTotals          `json:"before"`
	After     nodeTotals          `json:"after"`
	Commands  []string            `json:"commands"`
	Command   string              `json:"command"`
	Source    *sourceDocument     `json:"source,omitempty"`
	Damage    *damageDocument     `json:"damage,omitempty"`

	position string
	fallback string
}

type consolidationMove struct {
	Pod         podRef `json:"pod"`
	Replacement podRef `json:"replacement"`
	From        string `json:"from"`
	To          string `json:"to"`
	Wave        int    `json:"wave"`
}

type blockedNode struct {
	Node   string `json:"node"`
	Kind   string `json:"kind"`
	Pod    string `json:"pod,omitempty"`
	Detail string `json:"detail"`
}

// nodeTotals are sums over nodes. Shares are from 0 to 1.
type nodeTotals struct {
	Nodes  int     `json:"nodes"`
	Pods   int     `json:"pods"`
	CPU    float64 `json:"cpuRequested"`
	Memory float64 `json:"memoryRequested"`
	// LargestCPU and LargestMemory are the most that is free on one node.
	LargestCPU    string         `json:"largestFreeCPU"`
	LargestMemory string         `json:"largestFreeMemory"`
	Price         *priceDocument `json:"price,omitempty"`
}

const greedy = "greedy: the emptiest node first"

func newConsolidation(c *cobra.Command, s *openedAt, plan *consolidate.Plan, e *engine.Engine, prices *price.Prices) *consolidationDocument {
	d := &consolidationDocument{
		envelope: document("Consolidation"), Trace: s.trace, At: momentOf(s.at), Kubernetes: s.release(), Summary: plan.Verdict(),
		Freed: len(plan.Freed()), Bound: plan.Bound, Candidates: plan.Candidates, Search: greedy, Stopped: plan.Stopped, RoomFor: plan.RoomFor, HasRoom: plan.HasRoom, Waves: [][]string{},
		CordonAll: plan.CordonAll, Moves: []consolidationMove{}, Blocked: []blockedNode{}, Before: totalsDocument(plan.Before), After: totalsDocument(plan.After),
		Commands: drainCommands(c, plan), Source: s.source, Damage: s.damage, position: s.position,
	}
	d.Waves = append(d.Waves, plan.Waves...)
	for _, m := range plan.Moves {
		d.Moves = append(d.Moves, consolidationMove{refOf(m.Pod), refOf(m.Replacement), m.From, m.To, m.Wave + 1})
	}
	for _, b := range plan.Blocked {
		d.Blocked = append(d.Blocked, blockedNode{b.Node, string(b.Kind), b.Pod, b.Detail})
	}
	if prices != nil {
		d.setPrices(plan, e, prices)
	}
	d.Command = s.againAs("consolidate")
	if flags := repeatFlags(c, []string{"free", "until", "room", "keep", "max-moves", "prices", "price-label"}); flags != "" {
		d.Command += " " + strings.TrimRight(flags, " ")
	}
	if s.fallback {
		d.fallback = s.fallbackText()
	}
	return d
}

func totalsDocument(t consolidate.Totals) nodeTotals {
	return nodeTotals{
		Nodes: t.Nodes, Pods: t.Pods, CPU: rounded(t.CPU), Memory: rounded(t.Memory),
		LargestCPU: requests.Format(v1.ResourceCPU, t.LargestCPU), LargestMemory: requests.Format(v1.ResourceMemory, t.LargestMemory),
	}
}

func (d *consolidationDocument) setPrices(plan *consolidate.Plan, e *engine.Engine, prices *price.Prices) {
	gone := map[string]bool{}
	for _, node := range plan.Freed() {
		gone[node] = true
	}
	var before, after price.Sum
	for info := range capacity.Nodes(e) {
		before.Add(prices, info.Node())
		if !gone[info.Node().Name] {
			after.Add(prices, info.Node())
		}
	}
	was, is := priceOf(before), priceOf(after)
	d.Before.Price, d.After.Price = &was, &is
	d.Summary += fmt.Sprintf("; price %s -> %s", before, after)
}

// drainCommands are the commands of kubectl that carry the plan out.
func drainCommands(c *cobra.Command, plan *consolidate.Plan) []string {
	commands := []string{}
	kubectl := "kubectl"
	if f := c.Flags().Lookup("context"); f != nil && f.Changed {
		kubectl += " --context " + change.ShellWord(f.Value.String())
	}
	add := func(verb, flags string, nodes []string) {
		words := kubectl + " " + verb
		for _, node := range nodes {
			words += " " + change.ShellWord(node)
		}
		commands = append(commands, words+flags)
	}
	if plan.CordonAll {
		add("cordon", "", plan.Freed())
	}
	for _, wave := range plan.Waves {
		add("drain", " --ignore-daemonsets --delete-emptydir-data", wave)
	}
	if plan.RoomFor > 0 && len(plan.Waves) > 0 {
		add("uncordon", "", plan.Freed())
	}
	return commands
}

// text writes the plan, and then what keeps the other nodes.
func (d *consolidationDocument) text(w io.Writer) {
	if d.fallback != "" {
		fmt.Fprintf(w, "(%s)\n", d.fallback)
	}
	fmt.Fprintln(w, printable.Line(d.Summary, 400))
	fmt.Fprintf(w, "  evaluated at %s%s%s; nothing was changed\n", d.At, d.Source.location(d.position, d.Trace), decidedAs(d.Kubernetes))
	fmt.Fprintf(w, "  searched %s", d.Search)
	if d.Stopped != "" {
		fmt.Fprintf(w, ", until %s", printable.Line(d.Stopped, 200))
	}
	fmt.Fprint(w, "\n\n")
	writeTable(w, "  ", d.numbers())
	var moves, blocked, commands [][]string
	for _, m := range d.Moves[:min(len(d.Moves), maxLines)] {
		moves = append(moves, []string{strconv.Itoa(m.Wave), printable.Line(m.From, 100), podName(m.Pod), "->", printable.Line(m.To, 100)})
	}
	if rest := len(d.Moves) - maxLines; rest > 0 {
		moves = append(moves, []string{"", fmt.Sprintf("and %d more", rest)})
	}
	section(w, "Moves, by wave", moves)
	for _, b := range d.Blocked[:min(len(d.Blocked), maxLines)] {
		detail := printable.Line(b.Detail, 300)
		if b.Pod != "" {
			detail = printable.Line(b.Pod, 150) + ": " + detail
		}
		blocked = append(blocked, []string{printable.Line(b.Node, 100), b.Kind, detail})
	}
	if rest := len(d.Blocked) - maxLines; rest > 0 {
		blocked = append(blocked, []string{fmt.Sprintf("and %d more", rest)})
	}
	section(w, "Nodes that stay", blocked)
	for _, line := range d.Commands {
		commands = append(commands, []string{printable.Line(line, 4000)})
	}
	section(w, "Commands", commands)
	fmt.Fprintf(w, "\nRun again: %s\n", printable.Line(d.Command, 2000))
	d.Source.text(w)
}

func (d *consolidationDocument) numbers() [][]string {
	b, a := &d.Before, &d.After
	percent := func(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
	table := [][]string{
		{"", "before", "after"},
		{"nodes", strconv.Itoa(b.Nodes), strconv.Itoa(a.Nodes)},
		{"cpu requested", percent(b.CPU), percent(a.CPU)},
		{"memory requested", percent(b.Memory), percent(a.Memory)},
		{"most cpu free on one node", b.LargestCPU, a.LargestCPU},
		{"most memory free on one node", b.LargestMemory, a.LargestMemory},
	}
	if b.Price != nil {
		table = append(table, []string{"price", b.Price.String(), a.Price.String()})
	}
	return table
}
