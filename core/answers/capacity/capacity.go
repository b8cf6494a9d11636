package capacity

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/engine"
)

// Report is the room of a cluster at one moment.
type Report struct {
	All Group
	// Groups are the nodes by what they were grouped by, in order of their names; empty if nothing was asked for.
	Groups []Group
	// Shapes are what most pods request, the most frequent first.
	Shapes []Shape
	// Largest are the largest pods that fit on one node, by the memory for each core.
	Largest []Largest
}

// Group is some nodes.
type Group struct {
	// Name is what the nodes have in common; empty of nodes that tell nothing.
	Name  string
	Nodes int
	// Open nodes take pods that tolerate nothing.
	Open int
	Pods int
	// Resources are cpu, memory and pods, and then the others by name.
	Resources []Resource
}

// Resource is one resource of some nodes, in the units of [requests.Amount]. Free and Largest are of open nodes.
type Resource struct {
	Name                                  v1.ResourceName
	Allocatable, Requested, Free, Largest int64
}

// Share is the requested share, from 0 to 1.
func (r Resource) Share() float64 {
	if r.Allocatable <= 0 {
		return 0
	}
	return float64(r.Requested) / float64(r.Allocatable)
}

// Shape is the requests of pods that request the same.
type Shape struct {
	CPU, Memory int64
	// Pods is how many pods request that. Fit is how many more fit on the open nodes, each whole on one, and BySum how many would if all
	// that is free were on one node: the difference is fragmented.
	Pods, Fit, BySum int
}

// Fragmented is the share of the room for the shape that is in pieces too small for it, from 0 to 1.
func (s Shape) Fragmented() float64 {
	if s.BySum <= 0 {
		return 0
	}
	return 1 - float64(s.Fit)/float64(s.BySum)
}

// Largest is the largest pod with so many bytes of memory for each core.
type Largest struct {
	PerCore, CPU, Memory int64
	Node                 string
}

const (
	// maxShapes bounds the shapes of a report.
	//
	//orrery:limit answers; shapes of pods in a report of capacity; the rarer ones are left out
	maxShapes = 8
	gibibyte  = 1 << 30
)

// perCore are the usual kinds of machines: for computing, for anything, and for memory.
var perCore = []int64{2 * gibibyte, 4 * gibibyte, 8 * gibibyte}

// Of reports the room of an engine's cluster, with groups of nodes that a function gives the same name; nil makes no groups.
func Of(e *engine.Engine, group func(*v1.Node) string) *Report {
	r := &Report{}
	groups, shapes := map[string]*sums{}, map[[2]int64]int{}
	all := newSums("")
	for info := range Nodes(e) {
		all.add(info)
		if group != nil {
			value := group(info.Node())
			if groups[value] == nil {
				groups[value] = newSums(value)
			}
			groups[value].add(info)
		}
		for _, p := range info.GetPods() {
			asked := p.CalculateResource().Resource
			if shape := [2]int64{asked.GetMilliCPU(), asked.GetMemory()}; shape != [2]int64{} {
				shapes[shape]++
			}
		}
	}
	r.All = all.group
	r.All.Resources = all.resources()
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name]
		g.group.Resources = g.resources()
		r.Groups = append(r.Groups, g.group)
	}
	for shape, pods := range shapes {
		r.Shapes = append(r.Shapes, Shape{CPU: shape[0], Memory: shape[1], Pods: pods})
	}
	slices.SortFunc(r.Shapes, func(a, b Shape) int {
		return cmp.Or(cmp.Compare(b.Pods, a.Pods), cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.Memory, b.Memory))
	})
	r.Shapes = r.Shapes[:min(len(r.Shapes), maxShapes)]
	for i := range r.Shapes {
		r.Shapes[i].count(e)
	}
	for _, each := range perCore {
		r.Largest = append(r.Largest, largest(e, each))
	}
	return r
}

// Nodes iterates over the nodes of an engine as they are now. Those of its last decision's snapshot may be older, or none.
func Nodes(e *engine.Engine) iter.Seq[fwk.NodeInfo] {
	return func(yield func(fwk.NodeInfo) bool) {
		for name := range e.Cache().NodeOrder() {
			if info := e.Cache().Node(name); info != nil && !yield(info) {
				return
			}
		}
	}
}

// isOpen reports whether a node takes pods that tolerate nothing.
func isOpen(node *v1.Node) bool {
	return !node.Spec.Unschedulable && !slices.ContainsFunc(node.Spec.Taints, func(t v1.Taint) bool { return t.Effect != v1.TaintEffectPreferNoSchedule })
}

// podsLeft is how many more pods a node takes by number.
func podsLeft(info fwk.NodeInfo) int64 {
	return int64(info.GetAllocatable().GetAllowedPodNumber() - len(info.GetPods()))
}

type sums struct {
	group Group
	of    map[v1.ResourceName]*Resource
}

func newSums(name string) *sums {
	return &sums{Group{Name: name}, map[v1.ResourceName]*Resource{}}
}

func (s *sums) add(info fwk.NodeInfo) {
	open := isOpen(info.Node())
	s.group.Nodes++
	s.group.Pods += len(info.GetPods())
	if open {
		s.group.Open++
	}
	each := func(name v1.ResourceName, has, asked int64) {
		r := s.of[name]
		if r == nil {
			r = &Resource{Name: name}
			s.of[name] = r
		}
		r.Allocatable, r.Requested = saturating.Add(r.Allocatable, has), saturating.Add(r.Requested, asked)
		if free := has - asked; open && free > 0 {
			r.Free, r.Largest = saturating.Add(r.Free, free), max(r.Largest, free)
		}
	}
	has, asked := info.GetAllocatable(), info.GetRequested()
	each(v1.ResourceCPU, has.GetMilliCPU(), asked.GetMilliCPU())
	each(v1.ResourceMemory, has.GetMemory(), asked.GetMemory())
	each(v1.ResourcePods, int64(has.GetAllowedPodNumber()), int64(len(info.GetPods())))
	for name := range has.GetScalarResources() {
		each(name, requests.AmountIn(has, name), requests.AmountIn(asked, name))
	}
}

// resources are cpu, memory and pods first.
func (s *sums) resources() []Resource {
	first := []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourcePods}
	var all []Resource
	for _, name := range first {
		if r := s.of[name]; r != nil {
			all = append(all, *r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.of)) {
		if !slices.Contains(first, name) {
			all = append(all, *s.of[name])
		}
	}
	return all
}

// count says how many pods of the shape fit.
func (s *Shape) count(e *engine.Engine) {
	var cpu, memory, pods int64
	for info := range Nodes(e) {
		if !isOpen(info.Node()) {
			continue
		}
		free := [2]int64{requests.Free(info, v1.ResourceCPU), requests.Free(info, v1.ResourceMemory)}
		left := max(0, podsLeft(info))
		s.Fit += int(s.times(free[0], free[1], left))
		cpu, memory, pods = saturating.Add(cpu, max(0, free[0])), saturating.Add(memory, max(0, free[1])), saturating.Add(pods, left)
	}
	s.BySum = int(s.times(cpu, memory, pods))
}

// times is how often the shape goes into some room.
func (s *Shape) times(cpu, memory, pods int64) int64 {
	n := min(pods, math.MaxInt32)
	for _, of := range [][2]int64{{cpu, s.CPU}, {memory, s.Memory}} {
		if of[1] > 0 {
			n = min(n, of[0]/of[1])
		}
	}
	return max(0, n)
}

// largest finds the node that takes the largest pod with so much memory for each core.
func largest(e *engine.Engine, perCore int64) Largest {
	l := Largest{PerCore: perCore}
	for info := range Nodes(e) {
		if !isOpen(info.Node()) || podsLeft(info) <= 0 {
			continue
		}
		cpu := min(requests.Free(info, v1.ResourceCPU), max(0, requests.Free(info, v1.ResourceMemory))/(perCore/1000))
		if name := info.Node().Name; cpu > l.CPU || cpu == l.CPU && cpu > 0 && name < l.Node {
			l.CPU, l.Memory, l.Node = cpu, cpu*(perCore/1000), name
		}
	}
	return l
}
