package app

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/capacity"
	"orrery/core/answers/change"
	"orrery/core/objects/requests"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
)

// capacityFlags are the flags of capacity.
type capacityFlags struct {
	out    output
	whom   target
	by     string
	points int
}

func capacityCommand(plugins framework.Registry) *cobra.Command {
	var f capacityFlags
	c := &cobra.Command{
		Use:   "capacity",
		Short: "Say what room a cluster has, and how large a pod may be",
		Long: `Capacity sums up what the nodes have and what is requested of them: in all, and by zone, instance type, pool or any label. It
says which is the largest pod that still fits on one node; how many more pods of the sizes that are usual there; and how much of the room
is in pieces too small for one. With --points it says how all that went over a recording.

This is arithmetic on requests. Whether a pod fits by all rules, and how many of it, says "orrery fit".

` + targetHelp + `
` + traceHelp + `

` + momentHelp,
		Example: `  orrery capacity --by pool,zone
  orrery capacity --trace monday.orrery --at 09:14 --by example.com/pool
  orrery capacity --trace monday.orrery --points 12
  orrery capacity -o json | jq '.shapes[].fragmented'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, plugins) },
	}
	f.whom.flag(c, false)
	c.Flags().StringVar(&f.by, "by", "", "group nodes by zone, type, pool or the `key` of a label, or by several of these with commas between them")
	c.Flags().IntVar(&f.points, "points", 0, "at how many moments of a recording, at equal distances up to --at")
	f.out.addFlag(c)
	return c
}

// maxPoints bounds the moments of a recording.
//
//orrery:limit answers; moments of a recording that capacity tells; refused
const maxPoints = 1000

func (f *capacityFlags) run(c *cobra.Command, plugins framework.Registry) error {
	switch {
	case f.points < 0 || f.points > maxPoints:
		return fmt.Errorf("--points %d: it takes a number up to %d", f.points, maxPoints)
	case f.points > 0 && f.whom.trace == "":
		return errors.New("--points is of a recording: give one with --trace")
	}
	group, err := grouping(f.by)
	if err != nil {
		return err
	}
	s, e, err := f.whom.openEngine(c, plugins)
	if err != nil {
		return err
	}
	d := newCapacity(s, capacity.Of(e, group), f.by)
	d.Command = s.againAs("capacity")
	if f.by != "" {
		d.Command += " --by " + change.ShellWord(f.by)
	}
	if f.points > 0 {
		d.Command += " --points " + strconv.Itoa(f.points)
		if err := d.addPoints(s, f.points); err != nil {
			return err
		}
	}
	if err := f.out.print(c, d, d.text); err != nil {
		return err
	}
	return exitFor(d.Damage == nil)
}

// capacityDocument is the answer of capacity.
type capacityDocument struct {
	envelope
	Trace string `json:"trace"`
	At    moment `json:"at"`
	// Kubernetes is the release that was decided as.
	Kubernetes modelled.Release  `json:"kubernetes,omitzero"`
	All        capacityGroup     `json:"all"`
	By         string            `json:"by,omitempty"`
	Groups     []capacityGroup   `json:"groups"`
	Largest    []capacityLargest `json:"largest"`
	Shapes     []capacityShape   `json:"shapes"`
	Points     []capacityPoint   `json:"points"`
	Command    string            `json:"command"`
	Source     *sourceDocument   `json:"source,omitempty"`
	Damage     *damageDocument   `json:"damage,omitempty"`

	position string
	fallback string
}

type capacityGroup struct {
	Name      string             `json:"name,omitempty"`
	Nodes     int                `json:"nodes"`
	Open      int                `json:"open"`
	Pods      int                `json:"pods"`
	Resources []capacityResource `json:"resources"`
}

type capacityResource struct {
	Resource    string  `json:"resource"`
	Allocatable string  `json:"allocatable"`
	Requested   string  `json:"requested"`
	Share       float64 `json:"share"`
	Free        string  `json:"free"`
	Largest     string  `json:"largest"`
}

type capacityLargest struct {
	MemoryPerCore string `json:"memoryPerCore"`
	CPU           string `json:"cpu"`
	Memory        string `json:"memory"`
	Node          string `json:"node,omitempty"`
}

type capacityShape struct {
	CPU        string  `json:"cpu"`
	Memory     string  `json:"memory"`
	Pods       int     `json:"pods"`
	Fit        int     `json:"fit"`
	BySum      int     `json:"bySum"`
	Fragmented float64 `json:"fragmented"`
}

// capacityPoint is one moment of a recording.
type capacityPoint struct {
	At      moment  `json:"at"`
	Nodes   int     `json:"nodes"`
	Pods    int     `json:"pods"`
	Pending int     `json:"pending"`
	CPU     float64 `json:"cpuRequested"`
	Memory  float64 `json:"memoryRequested"`
	// FreeCPU and LargestCPU are of open nodes: in all, and on one.
	FreeCPU    string `json:"freeCPU"`
	LargestCPU string `json:"largestCPU"`
}

func newCapacity(s *openedAt, r *capacity.Report, by string) *capacityDocument {
	d := &capacityDocument{
		envelope: document("Capacity"), Trace: s.trace, At: momentOf(s.at), Kubernetes: s.release(), All: capacityGroupOf(&r.All), By: by,
		Groups: []capacityGroup{}, Largest: []capacityLargest{}, Shapes: []capacityShape{}, Points: []capacityPoint{},
		Source: s.source, Damage: s.damage, position: s.position,
	}
	if s.fallback {
		d.fallback = s.fallbackText()
	}
	for i := range r.Groups {
		d.Groups = append(d.Groups, capacityGroupOf(&r.Groups[i]))
	}
	cpu := func(n int64) string { return requests.Format(v1.ResourceCPU, n) }
	memory := func(n int64) string { return requests.Format(v1.ResourceMemory, n) }
	for _, l := range r.Largest {
		d.Largest = append(d.Largest, capacityLargest{memory(l.PerCore), cpu(l.CPU), memory(l.Memory), l.Node})
	}
	for _, shape := range r.Shapes {
		d.Shapes = append(d.Shapes, capacityShape{cpu(shape.CPU), memory(shape.Memory), shape.Pods, shape.Fit, shape.BySum, rounded(shape.Fragmented())})
	}
	return d
}

func capacityGroupOf(g *capacity.Group) capacityGroup {
	doc := capacityGroup{Name: g.Name, Nodes: g.Nodes, Open: g.Open, Pods: g.Pods, Resources: []capacityResource{}}
	for _, r := range g.Resources {
		text := func(n int64) string { return requests.Format(r.Name, n) }
		doc.Resources = append(doc.Resources, capacityResource{
			string(r.Name), text(r.Allocatable), text(r.Requested), rounded(r.Share()), text(r.Free), text(r.Largest),
		})
	}
	return doc
}

// addPoints plays the recording again up to the moment, and looks at it at equal distances.
func (d *capacityDocument) addPoints(s *openedAt, n int) error {
	start := s.Start().Time
	for i := 1; i <= n; i++ {
		at := start.Add(s.at.Sub(start) * time.Duration(i) / time.Duration(n))
		if err := s.SeekRecord(s.RecordAt(at)); err != nil {
			return fmt.Errorf("playing %s: %w", s.trace, err)
		}
		all := capacity.Of(s.Engine(), nil).All
		queue := s.Engine().Queue().Counts()
		p := capacityPoint{At: momentOf(at), Nodes: all.Nodes, Pods: all.Pods, Pending: queue.Active + queue.Backoff + queue.ErrorBackoff + queue.Unschedulable + queue.Gated}
		for _, r := range all.Resources {
			switch r.Name {
			case v1.ResourceCPU:
				p.CPU, p.FreeCPU, p.LargestCPU = rounded(r.Share()), requests.Format(r.Name, r.Free), requests.Format(r.Name, r.Largest)
			case v1.ResourceMemory:
				p.Memory = rounded(r.Share())
			}
		}
		d.Points = append(d.Points, p)
	}
	return nil
}

// text writes what is free first, then what fits in it.
func (d *capacityDocument) text(w io.Writer) {
	if d.fallback != "" {
		fmt.Fprintf(w, "(%s)\n", d.fallback)
	}
	fmt.Fprintf(w, "%s, of which %d take pods that tolerate nothing, with %s\n", countText(d.All.Nodes, "node"), d.All.Open, countText(d.All.Pods, "pod"))
	fmt.Fprintf(w, "  at %s%s\n\n", d.At, d.Source.location(d.position, d.Trace))
	writeTable(w, "  ", d.All.table())
	for i := range d.Groups {
		g := &d.Groups[i]
		name := printable.Line(g.Name, 100)
		if g.Name == "" {
			name = "without " + printable.Line(d.By, 100)
		}
		section(w, fmt.Sprintf("%s: %s, %d open, %s", name, countText(g.Nodes, "node"), g.Open, countText(g.Pods, "pod")), g.table())
	}
	largest := [][]string{{"memory for each core", "cpu", "memory", "on"}}
	for _, l := range d.Largest {
		largest = append(largest, []string{l.MemoryPerCore, l.CPU, human("memory", l.Memory), printable.Line(l.Node, 100)})
	}
	section(w, "The largest pod that fits on one node", largest)
	if len(d.Shapes) > 0 {
		shapes := [][]string{{"cpu", "memory", "there are", "more fit", "by sum", "fragmented"}}
		for _, s := range d.Shapes {
			shapes = append(shapes, []string{s.CPU, human("memory", s.Memory), strconv.Itoa(s.Pods), strconv.Itoa(s.Fit), strconv.Itoa(s.BySum), fmt.Sprintf("%.0f%%", 100*s.Fragmented)})
		}
		section(w, "What most pods request", shapes)
	}
	if len(d.Points) > 0 {
		points := [][]string{{"at", "nodes", "pods", "pending", "cpu", "memory", "cpu free", "on one node"}}
		for _, p := range d.Points {
			points = append(points, []string{
				string(p.At), strconv.Itoa(p.Nodes), strconv.Itoa(p.Pods), strconv.Itoa(p.Pending), fmt.Sprintf("%.1f%%", 100*p.CPU), fmt.Sprintf("%.1f%%", 100*p.Memory),
				p.FreeCPU, p.LargestCPU,
			})
		}
		section(w, "How it went", points)
	}
	fmt.Fprintf(w, "\nRun again: %s\n", printable.Line(d.Command, 2000))
	d.Source.text(w)
}

func (g *capacityGroup) table() [][]string {
	table := [][]string{{"", "allocatable", "requested", "", "free", "most on one node"}}
	for _, r := range g.Resources {
		table = append(table, []string{
			printable.Line(r.Resource, 100), human(r.Resource, r.Allocatable), human(r.Resource, r.Requested), fmt.Sprintf("%.1f%%", 100*r.Share),
			human(r.Resource, r.Free), human(r.Resource, r.Largest),
		})
	}
	return table
}
