package collect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/answers/answer"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// Preview is what is shown beside the open pane's list: a pod or a node; nothing if it is empty.
type Preview struct {
	Pod  world.PodRef
	Node string
}

// previewSteps is how many of the last steps of a journey a preview has.
const previewSteps = 24

// preview is what a query wants to see beside the list; nil if there is none.
func (c *Collector) preview(e *engine.Engine, query Query) *views.Preview {
	of := query.Preview
	switch {
	case of.Node != "":
		query.Node = of.Node
		node := c.nodeDetail(e, query)
		if node == nil {
			return nil
		}
		return &views.Preview{Name: node.Row.Name, Node: node}
	case of.Pod.Name != "":
		if e.Store().Pod(of.Pod.Namespace, of.Pod.Name) == nil && of.Pod.UID == "" {
			of.Pod.UID = evictedUID(c.options.History, of.Pod)
		}
		query.Pod, query.AsNow, query.Filter, query.Sort, query.Reverse = of.Pod, false, nil, "", false
		query.First, query.Rows = 0, previewAllSteps
		p := &views.Preview{Name: podName(of.Pod), Journey: c.journey(e, query), Explain: c.explanation(e, query)}
		steps := &p.Journey.Steps
		steps.Rows = steps.Rows[:min(len(steps.Rows), previewSteps)]
		return p
	}
	return nil
}

// PreviewOf is the preview that a query asks for, apart from a model.
func (c *Collector) PreviewOf(e *engine.Engine, query Query) *views.Preview {
	c.nodes.refresh(e, presentNodes{e})
	return c.preview(e, query)
}

// previewAllSteps is more steps than a journey has.
const previewAllSteps = 1 << 20

// ownersOn are the owners of the pods on a node, those that request most of it first.
func ownersOn(info fwk.NodeInfo) []views.NodeOwner {
	type sum struct {
		pods        int
		cpu, memory int64
	}
	sums := map[string]*sum{}
	for _, p := range info.GetPods() {
		pod := p.GetPod()
		_, name, _ := strings.Cut(answer.OwnerOf(pod), "/")
		name = pod.Namespace + "/" + name
		s := sums[name]
		if s == nil {
			s = &sum{}
			sums[name] = s
		}
		list := requestsOf(pod)
		s.pods++
		s.cpu = saturating.Add(s.cpu, requests.Amount(v1.ResourceCPU, *list.Cpu()))
		s.memory = saturating.Add(s.memory, requests.Amount(v1.ResourceMemory, *list.Memory()))
	}
	most := info.GetAllocatable()
	share := func(s *sum) float64 {
		return max(fraction(s.cpu, most.GetMilliCPU()), fraction(s.memory, most.GetMemory()))
	}
	names := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(share(sums[b]), share(sums[a])), strings.Compare(a, b))
	})
	owners := make([]views.NodeOwner, len(names))
	for i, name := range names {
		s := sums[name]
		owners[i] = views.NodeOwner{Name: printable.Text(name), Pods: s.pods, CPU: cpuText(s.cpu), Memory: bytesText(s.memory), Share: share(s)}
	}
	return owners
}
