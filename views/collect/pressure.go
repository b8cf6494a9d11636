package collect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/evict"
	"orrery/core/evict/pressure"
	"orrery/core/objects/requests"
	"orrery/core/operator/usage"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// pressureOrder is an order of pods, with its name on the screen.
type pressureOrder struct {
	name   string
	signal pressure.Signal
}

var pressureOrders = []pressureOrder{
	{"memory", pressure.MemoryAvailable},
	{"disk", pressure.NodeFsAvailable},
	{"inodes", pressure.NodeFsInodesFree},
	{"image disk", pressure.ImageFsAvailable},
	{"image inodes", pressure.ImageFsInodesFree},
	{"processes", pressure.PIDAvailable},
}

// pressureOf returns a node's signals and its pods in the order of eviction; nil if there is no such node.
func (c *Collector) pressureOf(e *engine.Engine, query Query) *views.Pressure {
	c.ranked = nil
	at, ok := c.nodes.positions[query.Node]
	if !ok {
		return nil
	}
	info := c.nodes.known[at].info
	node := info.Node()
	v := &views.Pressure{Node: printable.Text(node.Name), Key: node.Name, Conditions: pressureConditions(node, &query)}
	r := query.Usage
	if r == nil {
		r = &usage.Reading{Queried: true, Configuration: pressure.DefaultConfiguration(node.Status.NodeInfo.OperatingSystem)}
		v.Usage = "no usage data: this recording has none, as no scheduler is told what pods use"
		v.Thresholds = "thresholds: a kubelet's defaults"
	} else {
		v.Usage, v.Known, v.At = r.SourceText(), r.Summary != nil, r.At
		v.Thresholds = "thresholds: the kubelet's own"
		if !r.Configured {
			v.Thresholds = "thresholds: the defaults, and this kubelet's may be others"
			if r.WhyDefaults != "" {
				v.Thresholds += ": " + r.WhyDefaults
			}
		}
	}
	for _, rule := range r.MissingRules {
		v.Rules = append(v.Rules, printable.Text(rule.String()))
	}
	for _, w := range r.Configuration.Warnings() {
		v.Warnings = append(v.Warnings, printable.Text(w))
	}
	c.compareThresholds(v, r, info, query)
	return v
}

// pressureConditions returns the pressure conditions that a node reports.
func pressureConditions(node *v1.Node, query *Query) []string {
	var list []string
	for i := range node.Status.Conditions {
		switch c := &node.Status.Conditions[i]; c.Type {
		case v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure:
			if c.Status != v1.ConditionTrue {
				continue
			}
			name := string(c.Type)
			if since := c.LastTransitionTime; !since.IsZero() {
				name += " since " + query.clock(since.Time)
			}
			list = append(list, name)
		}
	}
	return list
}

// compareThresholds compares the thresholds with the measurements, and ranks the pods.
func (c *Collector) compareThresholds(v *views.Pressure, r *usage.Reading, info fwk.NodeInfo, query Query) {
	summary := r.Summary
	if summary == nil {
		summary = &pressure.Summary{}
	}
	layout := pressure.LayoutOf(summary)
	thresholds, err := r.Configuration.Thresholds()
	if err != nil { // loading the configuration has checked them
		v.Warnings = append(v.Warnings, printable.Text(err.Error()))
	}
	thresholds, _ = pressure.OnLayout(thresholds, layout) // the configuration's warnings name the ignored ones
	by := pressure.Signal("")
	for _, t := range thresholds {
		if o, ok := summary.Observe(t.Signal); ok && by == "" && t.Met(o, false) {
			by = t.Signal // the hard ones come first
		}
		v.Signals = append(v.Signals, signalOf(t, summary))
	}
	by = rankingSignal(query.Sort, by, info.Node())
	v.RankedBy = string(by)
	short := len(v.Conditions) > 0 || slices.ContainsFunc(v.Signals, func(s views.PressureSignal) bool { return s.BelowThreshold })
	if v.UnrankedBecause = unrankedReason(by, r, info); v.UnrankedBecause != "" {
		v.RankedBy = ""
		v.Next = nextByRequests(by, info)
	}
	c.rankPods(v, by, layout, summary, info, r.At)
	if v.UnrankedBecause == "" {
		v.Next = nextByUsage(by, c.ranked, short)
	}
	v.KilledFirst = killedFirst(summary, info)
}

// killedFirst returns which container the kernel kills if a node's memory runs out; empty if the memory of containers is not known.
func killedFirst(summary *pressure.Summary, info fwk.NodeInfo) string {
	capacity := whole(*info.Node().Status.Capacity.Memory())
	order := pressure.OOMOrder(podsOn(info), summary, capacity, capacity)
	if len(order) == 0 || capacity == 0 {
		return ""
	}
	p := order[0]
	return fmt.Sprintf("if memory runs out first, the kernel kills %s (%s): oom_score %d, adj %d",
		printable.Text(p.Pod.Namespace+"/"+p.Pod.Name), printable.Text(p.Container), p.Score, p.Adj)
}

func podsOn(info fwk.NodeInfo) []*v1.Pod {
	pods := make([]*v1.Pod, 0, len(info.GetPods()))
	for _, p := range info.GetPods() {
		pods = append(pods, p.GetPod())
	}
	return pods
}

func signalOf(t pressure.Threshold, summary *pressure.Summary) views.PressureSignal {
	s := views.PressureSignal{Name: string(t.Signal), Threshold: t.Value.String(), Available: "·", Capacity: "·"}
	if !t.Hard() {
		s.Threshold += " for " + t.Grace.String()
	}
	if o, ok := summary.Observe(t.Signal); ok {
		s.Measured, s.BelowThreshold = true, t.Met(o, false)
		s.Available, s.Capacity = amountOf(t.Signal.Resource(), o.Available), amountOf(t.Signal.Resource(), o.Capacity)
		s.AvailableFraction = fraction(whole(o.Available), whole(o.Capacity))
	}
	return s
}

// amountOf formats an amount of a resource.
func amountOf(of v1.ResourceName, q resource.Quantity) string {
	if of == pressure.Inodes || of == pressure.PIDs {
		return countAmount(whole(q), 0).Used
	}
	return bytesText(whole(q))
}

func whole(q resource.Quantity) int64 { return requests.Amount(v1.ResourceMemory, q) }

// rankingSignal returns the signal to rank pods by: the requested one, else the one below its threshold, else that of the
// node's reported pressure, else memory.
func rankingSignal(sortBy string, short pressure.Signal, node *v1.Node) pressure.Signal {
	for _, r := range pressureOrders {
		if r.name == sortBy {
			return r.signal
		}
	}
	if short != "" {
		return short
	}
	for i := range node.Status.Conditions {
		c := &node.Status.Conditions[i]
		for _, r := range pressureOrders {
			if c.Status == v1.ConditionTrue && r.signal.Condition() == c.Type {
				return r.signal
			}
		}
	}
	return pressure.MemoryAvailable
}

// unrankedReason returns why pods cannot be ranked by a signal; empty if they can.
func unrankedReason(by pressure.Signal, r *usage.Reading, info fwk.NodeInfo) string {
	if r.Summary == nil {
		return "what the pods use is not known, so this is the order by requests and priority alone"
	}
	if len(info.GetPods()) == 0 {
		return ""
	}
	for i := range r.Summary.Pods {
		if hasUsage(by, &r.Summary.Pods[i]) {
			return ""
		}
	}
	return "pods are in no order of eviction by " + string(by) + ": " + r.Source.String() + " does not tell that of pods"
}

// hasUsage reports whether a pod's stats have the signal's resource.
func hasUsage(signal pressure.Signal, p *pressure.PodStats) bool {
	switch signal.Resource() {
	case v1.ResourceMemory:
		return p.Memory != nil && p.Memory.WorkingSetBytes != nil
	case pressure.PIDs:
		return p.Processes != nil && p.Processes.Count != nil
	}
	return p.EphemeralStorage != nil || len(p.Volumes) > 0 ||
		slices.ContainsFunc(p.Containers, func(c pressure.ContainerStats) bool { return c.Rootfs != nil || c.Logs != nil })
}

// rankPods lists the pods in the order of eviction as of the reading, and below them those that came later.
func (c *Collector) rankPods(v *views.Pressure, by pressure.Signal, layout pressure.Layout, summary *pressure.Summary, info fwk.NodeInfo, read time.Time) {
	ranked := pressure.Rank(by, layout, podsOn(info), summary)
	if v.UnrankedBecause != "" {
		slices.SortFunc(ranked, func(a, b pressure.RankedPod) int { return compareByRequests(by, &a, &b) })
	}
	c.ranked, c.ranking = make([]views.PressurePod, 0, len(ranked)), c.ranking+1
	rank := 0
	var later []views.PressurePod
	for i := range ranked {
		p := &ranked[i]
		if v.UnrankedBecause == "" && !p.Measured && cameAfter(p.Pod, read) {
			later = append(later, pressurePod(p, 0, by, true))
			continue
		}
		if p.Exempt == "" {
			rank++
		}
		c.ranked = append(c.ranked, pressurePod(p, rank, by, v.UnrankedBecause == ""))
	}
	c.ranked = append(c.ranked, later...)
}

// cameAfter reports whether a pod came to its node after a reading, which for that reason does not have it. Times in pods are whole
// seconds.
func cameAfter(pod *v1.Pod, read time.Time) bool {
	came := pod.CreationTimestamp.Time
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Status == v1.ConditionTrue {
			came = evict.Later(came, c.LastTransitionTime.Time)
		}
	}
	return !came.IsZero() && came.Add(time.Second).After(read)
}

func pressurePod(s *pressure.RankedPod, rank int, by pressure.Signal, ranked bool) views.PressurePod {
	name, key := podNames(world.PodRefOf(s.Pod))
	of := by.Resource()
	p := views.PressurePod{
		Rank: rank, Name: name, Key: key, Labels: s.Pod.Labels, Priority: s.Priority, Measured: ranked && s.Measured, ExcludedBecause: s.Exempt,
		Usage: "·", Request: "·", Excess: "·",
	}
	if of == v1.ResourceMemory || of == v1.ResourceEphemeralStorage {
		request := (*requestsOf(s.Pod))[of]
		p.Request = amountOf(of, request)
		p.Share = fraction(whole(s.Usage), whole(request))
	}
	if !p.Measured {
		p.Share = 0
		if !ranked {
			p.Because = becauseRequests(by, s, &p)
		}
		return p
	}
	p.Usage, p.Exceeds = amountOf(of, s.Usage), s.Exceeds
	if p.Exceeds && p.Request != "·" {
		p.Excess = "+" + strings.TrimPrefix(amountOf(of, s.Excess), "-")
	}
	return p
}
