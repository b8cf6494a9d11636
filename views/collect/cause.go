package collect

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/requests"
)

// hindrance is a plugin that is all that keeps a pod from some nodes, and the first reason it gave.
type hindrance struct {
	plugin, reason string
	nodes          []string
}

// soleHindrances are the plugins that alone keep the pod from nodes, those of the most nodes first: what would have to
// change for it to fit anywhere.
func soleHindrances(x *engine.Explanation) []hindrance {
	var all []hindrance
	for i := range x.Nodes {
		n := &x.Nodes[i]
		by := rejector(n)
		if by == nil {
			continue
		}
		at := slices.IndexFunc(all, func(h hindrance) bool { return h.plugin == by.Plugin })
		if at < 0 {
			at = len(all)
			all = append(all, hindrance{plugin: by.Plugin, reason: strings.Join(by.Reasons, ", ")})
		}
		all[at].nodes = append(all[at].nodes, n.Node)
	}
	slices.SortStableFunc(all, func(a, b hindrance) int { return cmp.Compare(len(b.nodes), len(a.nodes)) })
	return all
}

// rejector is the one statement that a node was turned down by; nil if there are several or none.
func rejector(n *engine.NodeVerdict) *engine.Statement {
	var by *engine.Statement
	for i := range n.Said {
		if s := &n.Said[i]; s.Code != fwk.Success && s.Code != fwk.Skip {
			if by != nil {
				return nil
			}
			by = s
		}
	}
	return by
}

// cause is the one sentence that says most about why a pod fits nowhere, and what would change that. Where resources
// are all that is missing, it says how much; else what the closest nodes were turned down for; else what most were.
func cause(e *engine.Engine, x *engine.Explanation, hindrances []hindrance) (sentence string, fixes []string) {
	for _, h := range hindrances {
		fixes = append(fixes, remedy(e, x, h))
	}
	if len(hindrances) > 0 {
		h := hindrances[0]
		if s := shortageOf(e, x, h); s != nil {
			return s.sentence(len(h.nodes)), append([]string{s.say(s.need-s.most) + " more " + s.name + " free on one of them, or as much less asked for"}, fixes...)
		}
		return plainly(h.reason) + ": all that keeps it from " + nodes(len(h.nodes)) + " of " + strconv.Itoa(len(x.Nodes)), fixes
	}
	if r := mostRejections(&x.Decision); r != nil {
		return plainly(r.Reason) + " on " + nodes(r.Nodes) + " of " + strconv.Itoa(x.Decision.Nodes), nil
	}
	return printable.Text(x.Decision.Message), nil
}

func mostRejections(d *engine.Decision) *engine.Rejection {
	var best *engine.Rejection
	for i := range d.Rejections {
		if r := &d.Rejections[i]; best == nil || r.Nodes > best.Nodes {
			best = r
		}
	}
	return best
}

// shortage is a resource of which a pod needs more than there is at most on the nodes that lack nothing else.
type shortage struct {
	name       string
	need, most int64
	say        func(int64) string
}

func (s *shortage) sentence(n int) string {
	which := "any of the "
	if n == 1 {
		which = "the "
	}
	return "needs " + s.say(s.need) + " " + s.name + ", at most " + s.say(s.most) + " free on " + which + nodes(n) + " that would do otherwise"
}

// shortageOf is what a hindrance lacks, if it is a resource.
func shortageOf(e *engine.Engine, x *engine.Explanation, h hindrance) *shortage {
	name, lacking := strings.CutPrefix(strings.Split(h.reason, ", ")[0], "Insufficient ")
	pod := e.Store().Pod(x.Decision.Pod.Namespace, x.Decision.Pod.Name)
	if !lacking || pod == nil {
		return nil
	}
	resourceName := v1.ResourceName(name)
	asked := requests.Of(pod, resource.PodResourcesOptions{})[resourceName]
	s := &shortage{name: printable.Text(name), need: asked.Value(), say: func(n int64) string { return strconv.FormatInt(n, 10) }}
	switch resourceName {
	case v1.ResourceCPU:
		s.need, s.say = asked.MilliValue(), cores
	case v1.ResourceMemory, v1.ResourceEphemeralStorage:
		s.say = binary
	}
	for _, node := range h.nodes {
		if info, err := e.Snapshot().Get(node); err == nil {
			s.most = max(s.most, free(info, resourceName))
		}
	}
	return s
}

// free is how much of a resource a node has left.
func free(info fwk.NodeInfo, name v1.ResourceName) int64 {
	used, most := info.GetRequested(), info.GetAllocatable()
	switch name {
	case v1.ResourceCPU:
		return most.GetMilliCPU() - used.GetMilliCPU()
	case v1.ResourceMemory:
		return most.GetMemory() - used.GetMemory()
	case v1.ResourceEphemeralStorage:
		return most.GetEphemeralStorage() - used.GetEphemeralStorage()
	}
	return most.GetScalarResources()[name] - used.GetScalarResources()[name]
}

// nodes is a number of nodes in words.
func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return strconv.Itoa(n) + " nodes"
}

// inPoints is a number of points in words.
func inPoints(n int64) string {
	if n == 1 {
		return "1 point"
	}
	return strconv.FormatInt(n, 10) + " points"
}
