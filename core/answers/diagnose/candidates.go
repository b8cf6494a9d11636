package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"orrery/core/answers/change"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// The plugins with remedies or evidence.
const (
	unschedulablePlugin = config.NodeUnschedulable
	taintPlugin         = config.TaintToleration
	fitPlugin           = config.NodeResourcesFit
	affinityPlugin      = config.NodeAffinity
	spreadPlugin        = config.PodTopologySpread
)

// pendingPod is the pod to diagnose, with the nodes of the engine.
type pendingPod struct {
	engine *engine.Engine
	pod    *v1.Pod
	name   string
	nodes  map[string]*cache.NodeInfo
	claims []ClaimLink // once they were needed
	// devices is the chain of its claims for devices, once it was needed.
	devices *Devices
}

func newPendingPod(e *engine.Engine, pod *v1.Pod) *pendingPod {
	p := &pendingPod{engine: e, pod: pod, name: world.PodRefOf(pod).String(), nodes: map[string]*cache.NodeInfo{}}
	for info := range e.Cache().RecentlyChanged() {
		if info.Node() != nil {
			p.nodes[info.Node().Name] = info
		}
	}
	return p
}

// rejection is a node and the plugins that reject the pod there.
type rejection struct {
	node    *cache.NodeInfo
	plugins []string
}

func (p *pendingPod) rejections(x *engine.Explanation) []rejection {
	var all []rejection
	for i := range x.Nodes {
		r := rejection{node: p.nodes[x.Nodes[i].Node]}
		for _, s := range x.Nodes[i].Statuses {
			if rejects(s) {
				r.plugins = append(r.plugins, s.Plugin)
			}
		}
		if r.node != nil && len(r.plugins) > 0 {
			all = append(all, r)
		}
	}
	return all
}

// candidates returns changes worth trying, the cheapest first. Each removes all rejections on some node.
func (p *pendingPod) candidates(x *engine.Explanation) []Remedy {
	all := p.rejections(x)
	p.devicesOf(x)
	return slices.Concat(p.uncordon(all), p.tolerate(all), p.shrink(all), p.unselect(all), p.storageRemedies(all), p.deviceRemedies(all), p.addNode(all))
}

// only reports whether no other plugins reject the pod on the node.
func (r *rejection) only(plugins ...string) bool {
	return !slices.ContainsFunc(r.plugins, func(p string) bool { return !slices.Contains(plugins, p) })
}

func (p *pendingPod) uncordon(all []rejection) []Remedy {
	for _, r := range all {
		if node := r.node.Node(); node.Spec.Unschedulable && r.only(unschedulablePlugin, taintPlugin) {
			return []Remedy{{Change: change.Change{Verb: change.Uncordon, Name: node.Name}, Text: "uncordon " + node.Name}}
		}
	}
	return nil
}

// tolerate returns tolerations of the two taints that alone reject the pod on the most nodes.
func (p *pendingPod) tolerate(all []rejection) []Remedy {
	counts := map[string]int{}
	for _, r := range all {
		if !r.only(taintPlugin) {
			continue
		}
		var untolerated []string
		for _, t := range r.node.Node().Spec.Taints {
			if p.repelledBy(&t) {
				untolerated = append(untolerated, t.ToString())
			}
		}
		if len(untolerated) == 1 && !strings.HasPrefix(untolerated[0], change.ConditionTaintPrefix) {
			counts[untolerated[0]]++
		}
	}
	taints := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var remedies []Remedy
	for _, t := range taints[:min(len(taints), maxTaints)] {
		remedies = append(remedies, Remedy{Change: change.Change{Verb: change.Tolerate, Name: p.name, Value: t}, Text: "tolerate the taint " + t})
	}
	return remedies
}

// shrink lowers the requests to the free resources of the node that lets the pod keep the largest share of them.
func (p *pendingPod) shrink(all []rejection) []Remedy {
	requested := requests.Of(p.pod, resourcehelper.PodResourcesOptions{ExcludeOverhead: true})
	var best []change.Request
	var share float64
	for _, r := range all {
		if !r.only(fitPlugin) {
			continue
		}
		if lower, kept := p.fitted(requested, r.node); kept > share {
			best, share = lower, kept
		}
	}
	if best == nil {
		return nil
	}
	words := make([]string, len(best))
	for i, r := range best {
		words[i] = fmt.Sprintf("%s=%s", r.Resource, r.Amount)
	}
	return []Remedy{{
		Change: change.Change{Verb: change.SetRequests, Name: p.name, Requests: best},
		Text:   "lower its requests to " + strings.Join(words, " "),
	}}
}

// fitted returns the pod's lowered requests on a node, for the resources it requests too much of, and the smallest
// share of them that it keeps; zero if one of them has nothing free, or if none is short.
func (p *pendingPod) fitted(requested v1.ResourceList, node *cache.NodeInfo) (lower []change.Request, share float64) {
	share = 1
	for _, name := range slices.Sorted(maps.Keys(requested)) {
		want := amountOf(requested, name)
		free := saturating.Sub(p.free(node, name), amountOf(p.pod.Spec.Overhead, name))
		if want <= free {
			continue
		}
		if isBytes(name) {
			free = free >> 20 << 20
		}
		if free <= 0 {
			return nil, 0
		}
		lower = append(lower, change.Request{Resource: name, Amount: formatAmount(name, free)})
		share = min(share, float64(free)/float64(want))
	}
	if lower == nil {
		return nil, 0
	}
	return lower, share
}

// unselect drops one key of the pod's node selector or affinity, if that plugin alone rejects the pod on some node.
func (p *pendingPod) unselect(all []rejection) []Remedy {
	if !slices.ContainsFunc(all, func(r rejection) bool { return r.only(affinityPlugin) }) {
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
	var remedies []Remedy
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		remedies = append(remedies, Remedy{Change: change.Change{Verb: change.Unselect, Name: p.name, Value: key}, Text: "drop nodeSelector " + key})
	}
	return remedies[:min(len(remedies), 3)]
}

// addNode adds a node of the smallest size that is large enough, or of the next larger size.
func (p *pendingPod) addNode(all []rejection) []Remedy {
	requested := requests.Of(p.pod, resourcehelper.PodResourcesOptions{})
	var kinds []*cache.NodeInfo
	for _, r := range all {
		if !slices.Contains(r.plugins, affinityPlugin) && fitsEmpty(requested, r.node) && p.hasModelDevices(&r) {
			kinds = append(kinds, r.node)
		}
	}
	slices.SortStableFunc(kinds, func(a, b *cache.NodeInfo) int {
		return cmp.Or(compareSize(a, b), cmp.Compare(a.Node().Name, b.Node().Name))
	})
	kinds = slices.CompactFunc(kinds, func(a, b *cache.NodeInfo) bool { return compareSize(a, b) == 0 })
	var remedies []Remedy
	for _, k := range kinds[:min(len(kinds), 2)] {
		name := k.Node().Name
		remedies = append(remedies, Remedy{
			Change: change.Change{Verb: change.AddNodes, Name: name, Count: 1}, Text: "add one more node like " + name,
			likely: newNodeName(p.engine, name),
		})
	}
	return remedies
}

func compareSize(a, b *cache.NodeInfo) int {
	x, y := a.GetAllocatable(), b.GetAllocatable()
	return cmp.Or(cmp.Compare(x.GetMilliCPU(), y.GetMilliCPU()), cmp.Compare(x.GetMemory(), y.GetMemory()))
}

func fitsEmpty(requested v1.ResourceList, node *cache.NodeInfo) bool {
	for name := range requested {
		if amountOf(requested, name) > requests.AmountIn(node.GetAllocatable(), name) {
			return false
		}
	}
	return true
}
