package noderesources

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = (*Fit)(nil)

// The reason codes of NodeResourcesFit.
const (
	Insufficient = "resources-insufficient"
	PodLimit     = "pods-limit"
)

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: Insufficient, Means: "the nodes have too little of a resource left", Fields: []string{"about", "amounts", "nearest"}},
	{Code: PodLimit, Means: "the nodes have as many pods as they may", Fields: []string{"about", "amounts", "nearest"}},
}

const (
	// maxNearest bounds the nodes of an Amounts.
	//
	//orrery:limit answers; nodes of a shortage that are named; the others are left out
	maxNearest = 5
	// maxHolders bounds the pods of an Amounts.
	//
	//orrery:limit answers; pods of a shortage that are named; the others are left out
	maxHolders = 5
)

// Explain returns one Evidence for each resource that is short somewhere, and one for the nodes with as many pods as they may have.
func (f *Fit) Explain(_ context.Context, state fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	s, err := readFilterState(state)
	if err != nil {
		return nil
	}
	full := with(rejected, func(n *framework.RejectedNode) bool { return roomForPods(n) <= 0 })
	needs := s.needs()
	short := make([]framework.Rejection, len(needs))
	lacks := map[string]int{} // by node: how much of what it lacks
	for i, need := range needs {
		short[i] = with(rejected, func(n *framework.RejectedNode) bool {
			return !(need.byDevices && requests.AmountIn(n.GetAllocatable(), need.name) == 0) && f.free(n, need.name) < need.amount
		})
		for _, n := range short[i].Nodes {
			lacks[n.Name()]++
		}
	}
	var list []framework.Evidence
	for _, n := range full.Nodes {
		lacks[n.Name()]++
	}
	if len(full.Nodes) > 0 {
		list = append(list, podLimit(full))
	}
	for i, need := range needs {
		if len(short[i].Nodes) == 0 {
			continue
		}
		only := with(short[i], func(n *framework.RejectedNode) bool { return len(n.Others) == 0 && lacks[n.Name()] == 1 })
		nearest := short[i].Nodes
		if len(only.Nodes) > 0 {
			nearest = only.Nodes
		}
		list = append(list, f.shortage(pod, needs, need, short[i], nearest))
	}
	return list
}

// needs are the resources that Filter checks, in the order of its reasons.
type needs []scalarCheck

func (s *filterState) needs() needs {
	all := []scalarCheck{
		{scalar: scalar{v1.ResourceCPU, s.need.milliCPU}},
		{scalar: scalar{v1.ResourceMemory, s.need.memory}},
		{scalar: scalar{v1.ResourceEphemeralStorage, s.need.ephemeral}},
	}
	return slices.DeleteFunc(append(all, s.checked...), func(c scalarCheck) bool { return c.amount == 0 })
}

// text lists all requests: "2 cpu, 4Gi memory".
func (n needs) text() string {
	var words []string
	for _, c := range n {
		words = append(words, requests.Format(c.name, c.amount)+" "+string(c.name))
	}
	return strings.Join(words, ", ")
}

// with returns the rejection of some of its nodes.
func with(r framework.Rejection, some func(*framework.RejectedNode) bool) framework.Rejection {
	r.Nodes = slices.DeleteFunc(slices.Clone(r.Nodes), func(n framework.RejectedNode) bool { return !some(&n) })
	return r
}

func roomForPods(n *framework.RejectedNode) int {
	return n.GetAllocatable().GetAllowedPodNumber() - len(n.GetPods()) - len(n.Nominated)
}

// free is what the node has left for the pod: nominated pods hold their room. It is negative on an overcommitted node.
func (f *Fit) free(n *framework.RejectedNode, name v1.ResourceName) int64 {
	return saturating.Sub(requests.Free(n, name), f.held(n, name))
}

func (f *Fit) held(n *framework.RejectedNode, name v1.ResourceName) int64 {
	var held int64
	for _, info := range n.Nominated {
		held = saturating.Add(held, f.amount(info.GetPod(), name))
	}
	return held
}

// amount is what a pod requests of one resource.
func (f *Fit) amount(pod *v1.Pod, name v1.ResourceName) int64 {
	r := f.requestOptions.requests(pod)
	return r.amount(name)
}

// podLimit is the evidence of nodes that have as many pods as they may; the nearest is the one that may have the most.
func podLimit(full framework.Rejection) framework.Evidence {
	e := framework.Evidence{Code: PodLimit, About: string(v1.ResourcePods), Message: basicReasons[0].reason, Nodes: full.Names()}
	nearest := slices.MaxFunc(full.Nearest(), func(a, b framework.RejectedNode) int {
		return cmp.Or(cmp.Compare(a.GetAllocatable().GetAllowedPodNumber(), b.GetAllocatable().GetAllowedPodNumber()), -cmp.Compare(a.Name(), b.Name()))
	})
	pods, allowed := len(nearest.GetPods()), nearest.GetAllocatable().GetAllowedPodNumber()
	e.Nearest = nearest.Name()
	e.Amounts = &framework.Amounts{Resource: string(v1.ResourcePods), Requested: 1, Nodes: []framework.NodeAmount{{
		Node: e.Nearest, Free: max(int64(allowed-pods), 0), Held: int64(len(nearest.Nominated)), Allocatable: int64(allowed), Missing: int64(1 - roomForPods(&nearest)),
	}}}
	fact := fmt.Sprintf("%d of %s", pods, plural.Count(allowed, "allowed pod"))
	e.Predicate = e.Verb("has", "have") + fmt.Sprintf(" no room for another pod (%d of %d allowed", pods+len(nearest.Nominated), allowed)
	if len(e.Nodes) > 1 {
		e.Predicate += " on " + e.Nearest
	}
	e.Predicate += ")"
	fact = "nearest is " + e.Nearest + ": " + fact
	if n := len(nearest.Nominated); n > 0 {
		fact += ", and " + plural.Count(n, "pod") + " nominated here"
	}
	e.Facts = []string{fact}
	return e
}

// shortage is the evidence of a resource with too little free on each of the nodes, some of which are nearest to having enough.
func (f *Fit) shortage(pod *v1.Pod, needs needs, check scalarCheck, short framework.Rejection, nearest []framework.RejectedNode) framework.Evidence {
	need := check.scalar
	a := &framework.Amounts{Resource: string(need.name), Requested: need.amount, Parts: partsOf(pod, need.name)}
	together := 0 // nodes large enough for all requests
	for _, info := range short.All {
		a.Largest = max(a.Largest, requests.AmountIn(info.GetAllocatable(), need.name))
		if needs.fitEmpty(info) {
			together++
		}
	}
	a.Never = check.exceeds(short.All) || together == 0 && !needs.exceedAll(short.All)
	e := framework.Evidence{Code: Insufficient, About: a.Resource, Message: newScalarCheck(need).reason, Nodes: short.Names(), Amounts: a}
	f.nearest(a, nearest, need)
	e.Nearest = a.Nodes[0].Node
	describe(&e, len(short.All), needs.text())
	return e
}

// nearest adds the nodes nearest to being enough, and who holds the resource on the first of them.
func (f *Fit) nearest(a *framework.Amounts, nodes []framework.RejectedNode, need scalar) {
	room := func(n *framework.RejectedNode) int64 { return f.free(n, need.name) }
	slices.SortStableFunc(nodes, func(x, y framework.RejectedNode) int {
		return cmp.Or(cmp.Compare(room(&y), room(&x)), cmp.Compare(x.Name(), y.Name()))
	})
	for i := range nodes[:min(len(nodes), maxNearest)] {
		n := &nodes[i]
		if i > 0 && requests.AmountIn(n.GetAllocatable(), need.name) == 0 {
			break
		}
		a.Nodes = append(a.Nodes, framework.NodeAmount{
			Node: n.Name(), Free: max(room(n), 0), Held: f.held(n, need.name), Allocatable: requests.AmountIn(n.GetAllocatable(), need.name),
			Missing: saturating.Sub(need.amount, room(n)),
		})
	}
	a.HeldBy = f.podAmounts(nodes[0].GetPods(), need.name)
	a.HeldBy = a.HeldBy[:min(len(a.HeldBy), maxHolders)]
	a.NominatedTo = f.podAmounts(nodes[0].Nominated, need.name)
}

// podAmounts returns the pods that request a resource, the largest request first.
func (f *Fit) podAmounts(infos []fwk.PodInfo, name v1.ResourceName) []framework.PodAmount {
	var list []framework.PodAmount
	for _, info := range infos {
		pod := info.GetPod()
		if amount := f.amount(pod, name); amount > 0 {
			list = append(list, framework.PodAmount{Pod: framework.PodName(pod), Amount: amount, Priority: corev1.PodPriority(pod)})
		}
	}
	slices.SortFunc(list, func(a, b framework.PodAmount) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Pod, b.Pod))
	})
	return list
}

// fitEmpty reports whether the node would be large enough without pods.
func (n needs) fitEmpty(info fwk.NodeInfo) bool {
	return !slices.ContainsFunc(n, func(c scalarCheck) bool { return !c.fitsEmpty(info) })
}

// fitsEmpty reports whether the node would be large enough without pods. Where it has nothing of what devices serve, these decide.
func (c *scalarCheck) fitsEmpty(info fwk.NodeInfo) bool {
	allocatable := requests.AmountIn(info.GetAllocatable(), c.name)
	return c.amount <= allocatable || c.byDevices && allocatable == 0
}

// exceeds reports whether no node is large enough.
func (c *scalarCheck) exceeds(all []fwk.NodeInfo) bool { return !slices.ContainsFunc(all, c.fitsEmpty) }

// exceedAll reports whether one request alone is larger than every node: what the requests are together does not matter then.
func (n needs) exceedAll(all []fwk.NodeInfo) bool {
	return slices.ContainsFunc(n, func(c scalarCheck) bool { return c.exceeds(all) })
}
