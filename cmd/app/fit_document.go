package app

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/answers/fit"
	"orrery/core/answers/whatif"
	"orrery/core/safe/printable"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world/memory"
)

// fitDocument is the answer of fit.
type fitDocument struct {
	envelope
	Trace string `json:"trace"`
	At    moment `json:"at"`
	// Kubernetes is the release that was decided as.
	Kubernetes modelled.Release `json:"kubernetes,omitzero"`
	Files      []string         `json:"files"`
	Fits       bool             `json:"fits"`
	// ByTies says that whether it fits hangs on how ties between equally good nodes fall.
	ByTies  bool   `json:"byTies"`
	Summary string `json:"summary"`
	// AdmittedBy is "api-server" if the objects were admitted with dryRun=All, and "orrery" if they got the defaults of Kubernetes.
	AdmittedBy string `json:"admittedBy"`
	Wanted     int    `json:"wanted"`
	Placed     int    `json:"placed"`
	// Seconds is until the last pod has its node: what it takes preempted pods to end.
	Seconds   float64     `json:"seconds"`
	Objects   []fitObject `json:"objects"`
	Preempted []podChange `json:"preempted"`
	Others    []podChange `json:"others"`
	Budgets   []fitBudget `json:"budgets"`
	Quotas    []fitQuota  `json:"quotas"`
	Count     *fitCount   `json:"count,omitempty"`
	Nodes     *fitNodes   `json:"nodes,omitempty"`
	// Pools says which nodes of pools are added, and which pool could take the first pod without a node.
	Pools *poolsDocument `json:"pools,omitempty"`
	// Price is what all nodes cost without and with those that are added.
	Price     *pricesBeforeAfter `json:"price,omitempty"`
	First     *podRef            `json:"firstWithoutNode,omitempty"`
	Why       *answer.Answer     `json:"explanation,omitempty"`
	Notes     []string           `json:"notes"`
	Truncated bool               `json:"truncated"`
	// Command asks the same again.
	Command string          `json:"command"`
	Source  *sourceDocument `json:"source,omitempty"`
	Damage  *damageDocument `json:"damage,omitempty"`

	position string
	fallback string
}

// fitObject is an object that was created.
type fitObject struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Wanted    int    `json:"wanted"`
	Placed    int    `json:"placed"`
	// Refused is why the API server does not create it, or not all of its pods.
	Refused string `json:"refused,omitempty"`
	// Nodes are those of its pods, by name.
	Nodes []fitOnNode `json:"nodes"`
	Pods  []fitPod    `json:"pods"`
}

// fitOnNode is how many pods of an object are on a node.
type fitOnNode struct {
	// Node is the name of the node.
	Node string `json:"node"`
	// Pods counts them.
	Pods int `json:"pods"`
}

// fitPod is a pod of an object. Its name and UID are made up.
type fitPod struct {
	Pod podRef `json:"pod"`
	// Node is where it is in the end.
	Node string `json:"node,omitempty"`
	// Seconds is after how long it has its node.
	Seconds float64 `json:"seconds"`
	// Reason is why it has no node, out of TotalNodes.
	Reason     *answer.Reason `json:"reason,omitempty"`
	TotalNodes int            `json:"totalNodes,omitempty"`
}

// fitBudget is a disruption budget of preempted pods.
type fitBudget struct {
	// Namespace is the budget's.
	Namespace string `json:"namespace"`
	// Name is the budget's.
	Name string `json:"name"`
	// Allowed is how many disruptions it allows.
	Allowed int `json:"allowed"`
	// Preempted is how many pods of it are preempted.
	Preempted int `json:"preempted"`
	// Violated says that these are more than it allows.
	Violated bool `json:"violated"`
}

// fitQuota is what a quota counts of one resource.
type fitQuota struct {
	// Namespace is the quota's.
	Namespace string `json:"namespace"`
	// Name is the quota's.
	Name string `json:"name"`
	// Resource is what it counts.
	Resource string `json:"resource"`
	// Before is what was used, if the quota was there already.
	Before string `json:"before,omitempty"`
	// After is what is used with the objects.
	After string `json:"after"`
	// Hard is of how much.
	Hard string `json:"hard"`
	// Full says that it refuses pods of the objects.
	Full bool `json:"full"`
}

// fitCount is how many more pods fit.
type fitCount struct {
	// Pods is how many.
	Pods int `json:"pods"`
	// AtMost says that no more were tried.
	AtMost bool `json:"atMost"`
	// Bound is how many fit by the sums of requests on each node.
	Bound int `json:"bound"`
	// Next is what comes of one more.
	Next string `json:"next"`
	// Tried is how many numbers were tried.
	Tried int `json:"tried"`
}

// fitNodes is how few new nodes are enough.
type fitNodes struct {
	// Nodes is how few, if any number is enough.
	Nodes int `json:"nodes"`
	// Enough says that a number is.
	Enough bool `json:"enough"`
	// Bound is how many it takes by the sum of requests.
	Bound int `json:"bound"`
	// Shape is that of the nodes.
	Shape string `json:"shape"`
	// Fewer is what comes of one fewer.
	Fewer string `json:"fewer,omitempty"`
	// Tried is how many numbers were tried.
	Tried int `json:"tried"`
}

func newFit(c *cobra.Command, s *openedAt, f *fitFlags) *fitDocument {
	d := &fitDocument{
		envelope: document("Fit"), Trace: s.trace, At: momentOf(s.at), Kubernetes: s.release(), Files: slices.Clone(f.files), AdmittedBy: byOrrery,
		Objects: []fitObject{}, Preempted: []podChange{}, Others: []podChange{}, Budgets: []fitBudget{}, Quotas: []fitQuota{}, Notes: []string{},
		Command: f.again(c, s), Source: s.source, Damage: s.damage, position: s.position,
	}
	if s.fallback {
		d.fallback = s.fallbackText()
	}
	return d
}

// again is the command that asks the same, up to the changes of --do.
func (f *fitFlags) again(c *cobra.Command, s *openedAt) string {
	words := s.againAs("fit")
	for _, file := range f.files {
		words += " -f " + change.ShellWord(file)
	}
	if n := f.whom.flags.overrides.Context.Namespace; n != "" {
		words += " -n " + change.ShellWord(n)
	}
	switch {
	case f.count:
		words += " --count"
	case f.nodes != "":
		words += " --nodes " + change.ShellWord(f.nodes)
	case f.like != "":
		words += " --like " + change.ShellWord(f.like)
	case f.pool != "":
		words += " --pool " + change.ShellWord(f.pool)
	}
	words += f.pools.again(c)
	for _, do := range f.do {
		words += " --do " + change.ShellWord(do)
	}
	return words
}

// Who admitted the objects.
const (
	byServer = "api-server"
	byOrrery = "orrery"
)

func (d *fitDocument) setAnswer(a *fit.Answer) {
	d.Fits, d.ByTies, d.Summary = a.Fits, a.ByTies, a.Verdict()
	d.setOutcome(a)
}

func (d *fitDocument) setOutcome(a *fit.Answer) {
	o := a.Outcome
	d.Wanted, d.Placed, d.Seconds, d.Truncated = a.Wanted(), a.Placed(), rounded(a.After().Seconds()), o.Truncated
	created := map[podRef]bool{}
	for i := range o.Created {
		c := &o.Created[i]
		if c.Wanted > 0 || len(c.Pods) > 0 || c.Refused != "" {
			d.Objects = append(d.Objects, fitObjectOf(c, created))
		}
	}
	d.Preempted = podChanges(o.Preempted())
	for _, p := range podChanges(o.Result.Pods) {
		if !created[p.Pod] && !slices.ContainsFunc(d.Preempted, func(v podChange) bool { return v.Pod == p.Pod }) {
			d.Others = append(d.Others, p)
		}
	}
	for _, b := range o.Budgets {
		d.Budgets = append(d.Budgets, fitBudget{b.Namespace, b.Name, b.Allowed, b.Preempted, b.Violated()})
	}
	for _, q := range o.Quotas {
		d.Quotas = append(d.Quotas, fitQuota{q.Namespace, q.Name, string(q.Resource), q.Before, q.After, q.Hard, q.Full})
	}
	d.Notes = append(d.Notes, o.Notes...)
	if a.Why != nil {
		first := refOf(*a.First)
		d.First, d.Why = &first, &a.Why.Answer
	}
}

func fitObjectOf(c *whatif.Creation, created map[podRef]bool) fitObject {
	o := fitObject{
		Kind: string(memory.KindOf(c.Object)), Namespace: c.Object.GetNamespace(), Name: c.Object.GetName(), Wanted: c.Wanted, Placed: c.Placed(),
		Refused: c.Refused, Nodes: []fitOnNode{}, Pods: []fitPod{},
	}
	on := map[string]int{}
	for _, pod := range c.Pods {
		p := podOutcomeOf(pod.PodOutcome)
		one := fitPod{Pod: refOf(pod.Pod), Node: p.Node, Seconds: rounded(pod.After.Seconds()), Reason: p.Reason, TotalNodes: p.TotalNodes}
		created[one.Pod] = true
		o.Pods = append(o.Pods, one)
		if p.Node != "" {
			on[p.Node]++
		}
	}
	for node, pods := range on {
		o.Nodes = append(o.Nodes, fitOnNode{node, pods})
	}
	slices.SortFunc(o.Nodes, func(a, b fitOnNode) int { return cmp.Compare(a.Node, b.Node) })
	return o
}

func (d *fitDocument) setCount(c *fit.Count) {
	d.Fits = c.Pods > 0
	d.Count = &fitCount{Pods: c.Pods, AtMost: c.AtMost, Bound: c.Bound, Tried: c.Tried}
	if c.Next != nil {
		d.Count.Next = c.Next.Verdict()
		d.setOutcome(c.Next)
	}
	switch {
	case c.AtMost:
		d.Summary = countText(c.Pods, "pod") + " fit, and more were not tried"
	case c.Pods == 0:
		d.Summary = "not one pod fits: " + d.Count.Next
	default:
		d.Summary = countText(c.Pods, "pod") + " fit; with one more: " + d.Count.Next
	}
}

func (d *fitDocument) setNodes(n *fit.Nodes, shape string) {
	d.Fits = n.Enough
	shape = printable.Line(shape, 200)
	d.Nodes = &fitNodes{Nodes: n.Nodes, Enough: n.Enough, Bound: n.Bound, Shape: shape, Tried: n.Tried}
	if n.Fewer != nil {
		d.Nodes.Fewer = n.Fewer.Verdict()
	}
	switch {
	case !n.Enough:
		d.Summary = "no number of nodes is enough: with " + countText(n.Nodes, "node") + " it " + n.Answer.Verdict()
	case n.Nodes == 0:
		d.Summary = "no more nodes are needed: it " + n.Answer.Verdict()
	default:
		d.Summary = countText(n.Nodes, "more node") + ", " + shape + ", " + plainly(n.Nodes) + " enough; with one fewer it " + d.Nodes.Fewer
	}
	d.setOutcome(n.Answer)
}

func plainly(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
