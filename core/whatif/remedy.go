package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/cache"
	"orrery/core/engine"
	"orrery/core/requests"
	"orrery/core/world"
)

// remedy is a change that may place a pod.
type remedy struct {
	change Change
	text   string
}

// The plugins whose rejections a change can answer.
const (
	unschedulablePlugin = "NodeUnschedulable"
	taintPlugin         = "TaintToleration"
	fitPlugin           = "NodeResourcesFit"
	affinityPlugin      = "NodeAffinity"
)

// patient is a pod that finds no node, and why on each.
type patient struct {
	engine *engine.Engine
	pod    *v1.Pod
	name   string
	nodes  map[string]*cache.NodeInfo
	// against are the plugins that turned each node down, in the order of the explanation.
	against []rejected
}

type rejected struct {
	node    string
	plugins []string
}

// remedies are changes worth trying, the cheapest first. Each answers all that speaks against some node.
func remedies(e *engine.Engine, pod *v1.Pod, x *engine.Explanation) []remedy {
	p := &patient{engine: e, pod: pod, name: world.RefOf(pod).String(), nodes: map[string]*cache.NodeInfo{}}
	for info := range e.Cache().Recent() {
		if info.Node() != nil {
			p.nodes[info.Node().Name] = info
		}
	}
	for i := range x.Nodes {
		r := rejected{node: x.Nodes[i].Node}
		for _, s := range x.Nodes[i].Said {
			if s.Code != fwk.Success && s.Code != fwk.Skip {
				r.plugins = append(r.plugins, s.Plugin)
			}
		}
		if p.nodes[r.node] != nil && len(r.plugins) > 0 {
			p.against = append(p.against, r)
		}
	}
	return slices.Concat(p.uncordon(), p.tolerate(), p.shrink(), p.unselect(), p.addNode())
}

// only tells whether nothing but these plugins speaks against a node.
func (r rejected) only(plugins ...string) bool {
	return !slices.ContainsFunc(r.plugins, func(p string) bool { return !slices.Contains(plugins, p) })
}

func (p *patient) uncordon() []remedy {
	for _, r := range p.against {
		if p.nodes[r.node].Node().Spec.Unschedulable && r.only(unschedulablePlugin, taintPlugin) {
			return []remedy{{Change{Verb: Uncordon, Name: r.node}, "uncordon " + r.node}}
		}
	}
	return nil
}

// tolerate is for the two taints that keep the pod from the most nodes that would do otherwise.
func (p *patient) tolerate() []remedy {
	counts := map[string]int{}
	for _, r := range p.against {
		if !r.only(taintPlugin) {
			continue
		}
		var left []string
		for _, t := range p.nodes[r.node].Node().Spec.Taints {
			if t.Effect != v1.TaintEffectPreferNoSchedule && !tolerated(p.pod, t) {
				left = append(left, t.ToString())
			}
		}
		if len(left) == 1 && !strings.HasPrefix(left[0], troubles) {
			counts[left[0]]++
		}
	}
	taints := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var all []remedy
	for _, t := range taints[:min(len(taints), 2)] {
		all = append(all, remedy{Change{Verb: Tolerate, Name: p.name, Value: t}, "tolerate the taint " + t})
	}
	return all
}

func tolerated(pod *v1.Pod, taint v1.Taint) bool {
	return corev1.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &taint, true)
}

// shrink has the pod ask for what is free on the node that lets it keep the most.
func (p *patient) shrink() []remedy {
	asks := requests.Of(p.pod, resourcehelper.PodResourcesOptions{ExcludeOverhead: true})
	kept := 0.0
	var best []Request
	var where string
	for _, r := range p.against {
		if !r.only(fitPlugin) {
			continue
		}
		if less, share := p.fitted(asks, p.nodes[r.node]); share > kept {
			kept, best, where = share, less, r.node
		}
	}
	if best == nil {
		return nil
	}
	c := Change{Verb: SetRequests, Name: p.name, Requests: best}
	words := make([]string, len(best))
	for i, r := range best {
		words[i] = fmt.Sprintf("%s=%s", r.Resource, r.Amount)
	}
	return []remedy{{c, fmt.Sprintf("lower its requests to %s, which is free on %s", strings.Join(words, " "), where)}}
}

// fitted is what the pod may ask for on a node, of the resources it asks too much of, and the least share of them that it
// keeps; zero if it would have to do without one, or if it is not for want of resources that it does not fit.
func (p *patient) fitted(asks v1.ResourceList, on *cache.NodeInfo) (less []Request, share float64) {
	share = 1
	for _, name := range slices.Sorted(maps.Keys(asks)) {
		want, free := amountOf(asks, name), free(on, name)-amountOf(p.pod.Spec.Overhead, name)
		if want <= free {
			continue
		}
		text, kept := written(name, free)
		if kept <= 0 {
			return nil, 0
		}
		less = append(less, Request{name, text})
		share = min(share, float64(kept)/float64(want))
	}
	if less == nil {
		return nil, 0
	}
	return less, share
}

// amountOf is an amount of a list as the scheduler counts: cpu in thousandths, everything else in whole units.
func amountOf(list v1.ResourceList, name v1.ResourceName) int64 {
	q := list[name]
	if name == v1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// free is what nobody has asked for yet of a node's resource.
func free(on *cache.NodeInfo, name v1.ResourceName) int64 {
	has, asked := on.GetAllocatable(), on.GetRequested()
	switch name {
	case v1.ResourceCPU:
		return has.GetMilliCPU() - asked.GetMilliCPU()
	case v1.ResourceMemory:
		return has.GetMemory() - asked.GetMemory()
	case v1.ResourceEphemeralStorage:
		return has.GetEphemeralStorage() - asked.GetEphemeralStorage()
	}
	return has.GetScalarResources()[name] - asked.GetScalarResources()[name]
}

// written is an amount as people write it, rounded down, and what it comes to.
func written(name v1.ResourceName, n int64) (string, int64) {
	switch {
	case name == v1.ResourceCPU && n%1000 == 0:
		return strconv.FormatInt(n/1000, 10), n
	case name == v1.ResourceCPU:
		return strconv.FormatInt(n, 10) + "m", n
	case (name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage) && n >= 1<<30 && n%(1<<30) == 0:
		return strconv.FormatInt(n>>30, 10) + "Gi", n
	case name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage:
		return strconv.FormatInt(n>>20, 10) + "Mi", n >> 20 << 20
	}
	return strconv.FormatInt(n, 10), n
}

// unselect drops one of the keys by which the pod selects nodes, where nothing else speaks against some node.
func (p *patient) unselect() []remedy {
	if !slices.ContainsFunc(p.against, func(r rejected) bool { return r.only(affinityPlugin) }) {
		return nil
	}
	keys := map[string]bool{}
	for key := range p.pod.Spec.NodeSelector {
		keys[key] = true
	}
	if a := p.pod.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, r := range term.MatchExpressions {
				keys[r.Key] = true
			}
		}
	}
	var all []remedy
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all = append(all, remedy{Change{Verb: Unselect, Name: p.name, Value: key}, "no longer select nodes by " + key})
	}
	return all[:min(len(all), 3)]
}

// addNode is for one more of the smallest node that is large enough, and of the next larger kind.
func (p *patient) addNode() []remedy {
	asks := requests.Of(p.pod, resourcehelper.PodResourcesOptions{})
	var kinds []*cache.NodeInfo
	for _, r := range p.against {
		if info := p.nodes[r.node]; !slices.Contains(r.plugins, affinityPlugin) && fitsEmpty(asks, info) {
			kinds = append(kinds, info)
		}
	}
	slices.SortStableFunc(kinds, func(a, b *cache.NodeInfo) int {
		return cmp.Or(compareSize(a, b), cmp.Compare(a.Node().Name, b.Node().Name))
	})
	kinds = slices.CompactFunc(kinds, func(a, b *cache.NodeInfo) bool { return compareSize(a, b) == 0 })
	var all []remedy
	for _, k := range kinds[:min(len(kinds), 2)] {
		name := k.Node().Name
		all = append(all, remedy{Change{Verb: AddNodes, Name: name, Count: 1}, "add one more node like " + name})
	}
	return all
}

func compareSize(a, b *cache.NodeInfo) int {
	x, y := a.GetAllocatable(), b.GetAllocatable()
	return cmp.Or(cmp.Compare(x.GetMilliCPU(), y.GetMilliCPU()), cmp.Compare(x.GetMemory(), y.GetMemory()))
}

func fitsEmpty(asks v1.ResourceList, on *cache.NodeInfo) bool {
	for name := range asks {
		if amountOf(asks, name) > amountOf(on.Node().Status.Allocatable, name) {
			return false
		}
	}
	return true
}
