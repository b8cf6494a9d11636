package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"orrery/core/answers/change"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/world"
)

// The plugins that a node's size, and its labels, are to.
const (
	fitPlugin      = config.NodeResourcesFit
	affinityPlugin = config.NodeAffinity
)

// pendingPod is the pod to diagnose, with the nodes of the engine.
type pendingPod struct {
	engine *engine.Engine
	pod    *v1.Pod
	name   string
	nodes  map[string]*cache.NodeInfo
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
			if s.Rejects() {
				r.plugins = append(r.plugins, s.Plugin)
			}
		}
		if r.node != nil && len(r.plugins) > 0 {
			all = append(all, r)
		}
	}
	return all
}

// candidates returns changes worth trying: first those that leave what the pod asks for as it is or correct it, then those that ask for
// less of it, and last those by which it may come to be something else.
func (p *pendingPod) candidates(x *engine.Explanation) []Remedy {
	all := p.rejections(x)
	own := p.proposed(x)
	little, much := p.shrink(all)
	return slices.Concat(own[change.Uncordon], own[change.Select], own[change.DeletePod], own[change.Tolerate], little, own[change.SetClass],
		own[change.FreeClaim], p.honoring(x), own[change.Label], p.addNode(x, all), p.skewing(x), much, own[change.Unselect], own[change.SetDeviceClass])
}

// honoring has the pod's spread constraints count only nodes whose taints it tolerates. By default the nodes of a zone that has failed
// count as empty, so that all pods are to go there.
func (p *pendingPod) honoring(x *engine.Explanation) []Remedy {
	return p.respread(x, func(c *v1.TopologySpreadConstraint) (value, text string) {
		if c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == v1.NodeInclusionPolicyHonor {
			return "", ""
		}
		return "nodeTaintsPolicy=Honor", "count only nodes whose taints it tolerates (nodeTaintsPolicy: Honor) in its spread over " + c.TopologyKey
	})
}

// skewing allows the pod to be spread a little less evenly.
func (p *pendingPod) skewing(x *engine.Explanation) []Remedy {
	return p.respread(x, func(c *v1.TopologySpreadConstraint) (value, text string) {
		skew := strconv.Itoa(int(c.MaxSkew) + 1)
		return "maxSkew=" + skew, "allow a skew of " + skew + " in its spread over " + c.TopologyKey
	})
}

// respread gives each spread constraint that may keep the pod from nodes another value.
func (p *pendingPod) respread(x *engine.Explanation, to func(*v1.TopologySpreadConstraint) (value, text string)) []Remedy {
	if len(x.RejectedOn(config.PodTopologySpread)) == 0 {
		return nil
	}
	var remedies []Remedy
	for i := range p.pod.Spec.TopologySpreadConstraints {
		c := &p.pod.Spec.TopologySpreadConstraints[i]
		if value, text := to(c); value != "" && c.WhenUnsatisfiable == v1.DoNotSchedule {
			remedies = append(remedies, Remedy{Change: change.Change{Verb: change.SetSpread, Name: p.name, Of: c.TopologyKey, Value: value}, Text: text})
		}
	}
	return remedies[:min(len(remedies), maxProposed)]
}

// only reports whether no other plugins reject the pod on the node.
func (r *rejection) only(plugins ...string) bool {
	return !slices.ContainsFunc(r.plugins, func(p string) bool { return !slices.Contains(plugins, p) })
}

// shrink lowers the requests to the free resources of the node that lets the pod keep the largest share of them: by little, if that is
// half of them or more.
func (p *pendingPod) shrink(all []rejection) (little, much []Remedy) {
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
		return nil, nil
	}
	words := make([]string, len(best))
	for i, r := range best {
		words[i] = fmt.Sprintf("%s=%s", r.Resource, r.Amount)
	}
	list := []Remedy{{
		Change: change.Change{Verb: change.SetRequests, Name: p.name, Requests: best},
		Text:   "lower its requests to " + strings.Join(words, " "),
	}}
	if share < 0.5 {
		return nil, list
	}
	return list, nil
}

// fitted returns the pod's lowered requests on a node, for the resources it requests too much of, and the smallest
// share of them that it keeps; zero if one of them has nothing free, or if none is short.
func (p *pendingPod) fitted(requested v1.ResourceList, node *cache.NodeInfo) (lower []change.Request, share float64) {
	share = 1
	for _, name := range slices.Sorted(maps.Keys(requested)) {
		want := requests.AmountOf(requested, name)
		free := saturating.Sub(p.free(node, name), requests.AmountOf(p.pod.Spec.Overhead, name))
		if want <= free {
			continue
		}
		if requests.IsBytes(name) {
			free = free >> 20 << 20
		}
		if free <= 0 {
			return nil, 0
		}
		lower = append(lower, change.Request{Resource: name, Amount: requests.Format(name, free)})
		share = min(share, float64(free)/float64(want))
	}
	if lower == nil {
		return nil, 0
	}
	return lower, share
}

// addNode adds a node of the smallest size that is large enough, or of the next larger size. It is like none that lacks the labels or devices
// which the pod asks for.
func (p *pendingPod) addNode(x *engine.Explanation, all []rejection) []Remedy {
	unwanted := map[string]bool{}
	for _, e := range x.AllEvidence(dynamicresources.Name) {
		for _, name := range e.Nodes {
			unwanted[name] = unwanted[name] || e.Wants != ""
		}
	}
	requested := requests.Of(p.pod, resourcehelper.PodResourcesOptions{})
	var kinds []*cache.NodeInfo
	for _, r := range all {
		if !slices.Contains(r.plugins, affinityPlugin) && fitsEmpty(requested, r.node) && !unwanted[r.node.Node().Name] {
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
		if requests.AmountOf(requested, name) > requests.AmountIn(node.GetAllocatable(), name) {
			return false
		}
	}
	return true
}

// free is what the node has left for the pod as Filter counts it: nominated pods hold their room. It is negative on an
// overcommitted node.
func (p *pendingPod) free(node *cache.NodeInfo, name v1.ResourceName) int64 {
	free := requests.Free(node, name)
	for _, info := range p.engine.Queue().NominatedPodsForNode(node.Node().Name) {
		if framework.MustLeaveRoom(p.pod, info.GetPod()) {
			free = saturating.Sub(free, requests.AmountOf(requests.Of(info.GetPod(), resourcehelper.PodResourcesOptions{}), name))
		}
	}
	return free
}

func repels(t *v1.Taint) bool {
	return t.Effect == v1.TaintEffectNoSchedule || t.Effect == v1.TaintEffectNoExecute
}

// numeric reports whether tolerations may compare numbers.
func numeric(e *engine.Engine) bool {
	return e.Features().Enabled(config.TaintTolerationComparisonOperators)
}
