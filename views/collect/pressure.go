package collect

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/evict/pressure"
	"orrery/core/printable"
	"orrery/core/usage"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/filter"
)

// ranking is something that pods can be ranked by, and what people call it.
type ranking struct {
	word   string
	signal pressure.Signal
}

var rankings = []ranking{
	{"memory", pressure.MemoryAvailable},
	{"disk", pressure.NodeFsAvailable},
	{"inodes", pressure.NodeFsInodesFree},
	{"image disk", pressure.ImageFsAvailable},
	{"image inodes", pressure.ImageFsInodesFree},
	{"processes", pressure.PIDAvailable},
}

// pressureOf is a node's signals and its pods in the order of eviction; nil if there is no such node.
func (c *Collector) pressureOf(e *engine.Engine, look Look) *views.Pressure {
	at, ok := c.nodes.places[look.Node]
	if !ok {
		return nil
	}
	info := c.nodes.known[at].info
	node := info.Node()
	v := &views.Pressure{Node: printable.Text(node.Name), Key: node.Name, Conditions: pressureConditions(node)}
	r := look.Usage
	if r == nil {
		r = &usage.Reading{Asked: true, Configuration: pressure.DefaultConfiguration(node.Status.NodeInfo.OperatingSystem)}
		v.Usage = "no usage data: a recording has none, as no scheduler is told what pods use"
		v.Thresholds = "thresholds: a kubelet's defaults"
	} else {
		v.Usage, v.Known, v.At = r.Says(), r.Summary != nil, r.At
		v.Thresholds = "thresholds: the kubelet's own"
		if !r.Configured {
			v.Thresholds = "thresholds: the defaults, and this kubelet's may be others"
			if r.Unconfigured != "" {
				v.Thresholds += ": " + r.Unconfigured
			}
		}
	}
	for _, rule := range r.Missing {
		v.Rules = append(v.Rules, printable.Text(rule.String()))
	}
	for _, w := range r.Configuration.Warnings() {
		v.Warnings = append(v.Warnings, printable.Text(w))
	}
	c.measure(v, r, info, look)
	return v
}

// pressureConditions are those by which a node reports pressure.
func pressureConditions(node *v1.Node) []string {
	var list []string
	for i := range node.Status.Conditions {
		switch c := &node.Status.Conditions[i]; c.Type {
		case v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure:
			if c.Status != v1.ConditionTrue {
				continue
			}
			word := string(c.Type)
			if since := c.LastTransitionTime; !since.IsZero() {
				word += " since " + since.UTC().Format("15:04:05")
			}
			list = append(list, word)
		}
	}
	return list
}

// measure holds the thresholds against what is measured, and ranks the pods.
func (c *Collector) measure(v *views.Pressure, r *usage.Reading, info fwk.NodeInfo, look Look) {
	summary := r.Summary
	if summary == nil {
		summary = &pressure.Summary{}
	}
	layout := pressure.LayoutOf(summary)
	thresholds, err := r.Configuration.Thresholds()
	if err != nil { // it was read once, and that makes sure that there are none that cannot be
		v.Warnings = append(v.Warnings, printable.Text(err.Error()))
	}
	by := pressure.Signal("")
	for _, t := range thresholds {
		if o, ok := summary.Observe(t.Signal); ok && by == "" && t.Met(o, false) {
			by = t.Signal // the hard ones come first
		}
		v.Signals = append(v.Signals, signalOf(t, summary))
	}
	by = rankedBy(look.Sort, by, info.Node())
	v.By = string(by)
	if v.Unranked = unranked(by, r, info); v.Unranked != "" {
		v.By = ""
	}
	c.rankPods(v, by, layout, summary, info, look)
}

func signalOf(t pressure.Threshold, summary *pressure.Summary) views.PressureSignal {
	s := views.PressureSignal{Name: string(t.Signal), Threshold: t.Value.String(), Available: "·", Capacity: "·"}
	if !t.Hard() {
		s.Threshold += " for " + t.Grace.String()
	}
	if o, ok := summary.Observe(t.Signal); ok {
		s.Measured, s.Met = true, t.Met(o, false)
		s.Available, s.Capacity = amountOf(t.Signal.Resource(), o.Available), amountOf(t.Signal.Resource(), o.Capacity)
		s.Left = fraction(o.Available.Value(), o.Capacity.Value())
	}
	return s
}

// amountOf is an amount of a resource as people write it.
func amountOf(of v1.ResourceName, q resource.Quantity) string {
	if of == pressure.Inodes || of == pressure.PIDs {
		return whole(q.Value(), 0).Used
	}
	return binary(q.Value())
}

// rankedBy is the signal to rank pods under: the one that was asked for, else that of which there is too little, else that of
// the pressure that the node reports, else memory.
func rankedBy(asked string, short pressure.Signal, node *v1.Node) pressure.Signal {
	for _, r := range rankings {
		if r.word == asked {
			return r.signal
		}
	}
	if short != "" {
		return short
	}
	for i := range node.Status.Conditions {
		c := &node.Status.Conditions[i]
		for _, r := range rankings {
			if c.Status == v1.ConditionTrue && r.signal.Condition() == c.Type {
				return r.signal
			}
		}
	}
	return pressure.MemoryAvailable
}

// unranked is why pods cannot be ranked under a signal; empty if they can.
func unranked(by pressure.Signal, r *usage.Reading, info fwk.NodeInfo) string {
	if r.Summary == nil {
		return "pods are in no order of eviction: what they use is not known"
	}
	if len(info.GetPods()) == 0 {
		return ""
	}
	for i := range r.Summary.Pods {
		if measures(by, &r.Summary.Pods[i]) {
			return ""
		}
	}
	return "pods are in no order of eviction by " + string(by) + ": " + r.Source.String() + " does not tell that of pods"
}

// measures tells whether there is anything of what a signal is about in a pod's stats.
func measures(signal pressure.Signal, p *pressure.PodStats) bool {
	switch signal.Resource() {
	case v1.ResourceMemory:
		return p.Memory != nil && p.Memory.WorkingSetBytes != nil
	case pressure.PIDs:
		return p.Processes != nil && p.Processes.Count != nil
	}
	return p.EphemeralStorage != nil || len(p.Volumes) > 0 ||
		slices.ContainsFunc(p.Containers, func(c pressure.ContainerStats) bool { return c.Rootfs != nil || c.Logs != nil })
}

// rankPods lists the pods that are on the screen, the first to go first.
func (c *Collector) rankPods(v *views.Pressure, by pressure.Signal, layout pressure.Layout, summary *pressure.Summary, info fwk.NodeInfo, look Look) {
	pods := make([]*v1.Pod, 0, len(info.GetPods()))
	for _, p := range info.GetPods() {
		pods = append(pods, p.GetPod())
	}
	standings := pressure.Rank(by, layout, pods, summary)
	if v.Unranked != "" {
		slices.SortFunc(standings, func(a, b pressure.Standing) int {
			return cmp.Or(cmp.Compare(a.Pod.Namespace, b.Pod.Namespace), cmp.Compare(a.Pod.Name, b.Pod.Name))
		})
	}
	rows := make([]views.PressurePod, 0, len(standings))
	place := 0
	for i := range standings {
		if standings[i].Spared == "" {
			place++
		}
		if look.Filter != nil && !look.Filter.Match(podSubject(standings[i].Pod)) {
			continue
		}
		rows = append(rows, pressurePod(&standings[i], place, by, v.Unranked == ""))
	}
	if look.Reverse {
		slices.Reverse(rows)
	}
	if look.Filter != nil {
		c.narrowed = &views.Narrowed{Matches: len(rows), Of: len(standings)}
	}
	first, end := look.window(len(rows))
	v.Pods = views.List[views.PressurePod]{First: first, Total: len(rows), Rows: rows[first:end]}
}

func podSubject(pod *v1.Pod) *filter.Subject {
	return &filter.Subject{Namespace: pod.Namespace, Name: pod.Name, Labels: pod.Labels}
}

func pressurePod(s *pressure.Standing, place int, by pressure.Signal, ranked bool) views.PressurePod {
	name, key := podNames(world.RefOf(s.Pod))
	of := by.Resource()
	p := views.PressurePod{
		Place: place, Name: name, Key: key, Priority: s.Priority, Measured: ranked && s.Measured, Spared: s.Spared,
		Usage: "·", Request: "·", Excess: "·",
	}
	if of == v1.ResourceMemory || of == v1.ResourceEphemeralStorage {
		asked := (*requestsOf(s.Pod))[of]
		p.Request = amountOf(of, asked)
		p.Share = fraction(s.Usage.Value(), asked.Value())
	}
	if !p.Measured {
		p.Share = 0
		return p
	}
	p.Usage, p.Exceeds = amountOf(of, s.Usage), s.Exceeds
	if p.Exceeds && p.Request != "·" {
		p.Excess = "+" + strings.TrimPrefix(amountOf(of, s.Excess), "-")
	}
	return p
}
