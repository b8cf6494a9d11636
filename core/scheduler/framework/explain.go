package framework

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/world"
)

// Explainer is implemented by plugins that can say why they rejected a pod, or have it wait. They are asked when a person asks, never in a
// scheduling cycle, so an explanation may cost what a decision must not: it can look at every node and every pod.
//
// The plugin answers with the functions that decide, for the state that its own PreFilter wrote, so that it says nothing that Filter
// would not do. A plugin without it is shown with its message and the nodes that it rejected.
type Explainer interface {
	fwk.Plugin
	// Explain returns one Evidence for each cause for which the plugin rejects the pod on some of the nodes.
	Explain(ctx context.Context, state fwk.CycleState, pod *v1.Pod, rejected Rejection) []Evidence
}

// Rejection is what an [Explainer] explains: the nodes that it rejected.
type Rejection struct {
	Nodes []RejectedNode
	// Reasons are what the plugin says of the pod as a whole, if it rejects it before any node is looked at. There are no nodes then.
	Reasons []string
	// All has every node of the snapshot, in its order.
	All []fwk.NodeInfo
}

// RejectedNode is a node that the plugin rejected.
type RejectedNode struct {
	fwk.NodeInfo
	// Nominated are the pods that are nominated to the node and that the pod must leave room for. Filter runs with them and without.
	Nominated []fwk.PodInfo
	// Reasons are what the plugin says of the node, Others the other Filter plugins that reject the pod there.
	Reasons, Others []string
	// Failed says that the plugin returned an error, which ended the attempt.
	Failed bool
}

// Name returns the node's name.
func (n *RejectedNode) Name() string { return n.Node().Name }

// Nearest returns the nodes on which the least stands in the way: those that no other plugin rejects or, without any, all.
func (r *Rejection) Nearest() []RejectedNode {
	if alone := r.Alone(); len(alone) > 0 {
		return alone
	}
	return r.Nodes
}

// Alone returns the nodes that no other plugin rejects.
func (r *Rejection) Alone() []RejectedNode {
	return slices.DeleteFunc(slices.Clone(r.Nodes), func(n RejectedNode) bool { return len(n.Others) > 0 })
}

// Names returns the names of the nodes.
func (r *Rejection) Names() []string {
	names := make([]string, len(r.Nodes))
	for i := range r.Nodes {
		names[i] = r.Nodes[i].Name()
	}
	return names
}

// PodName is how evidence names a pod: NAMESPACE/NAME.
func PodName(pod *v1.Pod) string { return world.PodRefOf(pod).String() }

// Evidence is one cause for which a plugin rejects a pod on some nodes. What does not apply to a cause is left empty. Its texts are
// unescaped: the code that shows them makes them printable.
type Evidence struct {
	// Code is the reason code, which stays the same from release to release, whatever the message: "taint-untolerated".
	Code string `json:"code"`
	// About tells causes with the same code apart: the taint, the resource.
	About string `json:"about,omitempty"`
	// Nodes are the nodes that it keeps the pod from.
	Nodes []string `json:"nodes,omitempty"`
	// Wants is what the pod asks for and these nodes lack; empty where it asks for nothing and something is in its way. The other
	// nodes are then those that the pod wants: "pool=gold", "topology.kubernetes.io/zone=east by spread with maxSkew 1".
	Wants string `json:"wants,omitempty"`
	// Objects stand in the way: taints, pods, volumes.
	Objects []Object `json:"objects,omitempty"`
	// Amounts compare what is requested with what there is.
	Amounts *Amounts `json:"amounts,omitempty"`
	// Rules are what the pod, or another one, asks of the labels of nodes, and how the nodes are by that label.
	Rules []Rule `json:"rules,omitempty"`
	// Nearest is the node that lacks the least, and Missing what it lacks.
	Nearest string   `json:"nearest,omitempty"`
	Missing []string `json:"missing,omitempty"`
	// Meant are what the pod probably asks for, where it looks mistyped: "tier=fast" for "teir=fast".
	Meant []string `json:"meant,omitempty"`
	// Changes would each remove the cause on a node on which nothing else is in the way, in the syntax of what-if, the one worth
	// trying first before the others. They were not tried.
	Changes []string `json:"changes,omitempty"`

	// Message is the reason of the plugin's statuses that this is the cause of.
	Message string `json:"-"`
	// Predicate says what the nodes are or have, in a clause whose subject they are: "is cordoned", "have the taint a=b:NoSchedule".
	Predicate string `json:"-"`
	// Sentence is the whole cause, where it says more than that the nodes are so: "no node has the label teir".
	Sentence string `json:"-"`
	// Facts are the details in plain sentences, the most telling first; Charted are those of them that Amounts and Rules hold.
	Facts   []string `json:"-"`
	Charted []string `json:"-"`
	// Hint says what would make a node feasible that only this rejects.
	Hint string `json:"-"`
}

// ReasonCode describes a Code of [Evidence] to those who read it in a script. It is stable from the release on in which it first was.
type ReasonCode struct {
	Code  string
	Means string
	// Fields are the parts of the evidence that it has besides nodes.
	Fields []string
}

// Object is something that stands in the way of a pod.
type Object struct {
	Kind string `json:"kind"`
	// Name is NAMESPACE/NAME of a namespaced object, and key=value:Effect of a taint.
	Name string `json:"name"`
	// Node is where it stands, or is nominated to; empty if that is on all nodes of the evidence.
	Node      string `json:"node,omitempty"`
	Nominated bool   `json:"nominated,omitempty"`
	// Note says what of it matters: "8443/TCP".
	Note string `json:"note,omitempty"`
}

// Amounts compares what a pod requests of a resource with what the nodes have. Amounts of cpu are in millicores, of others in units.
type Amounts struct {
	Resource  string `json:"resource"`
	Requested int64  `json:"requested"`
	// Parts add up to Requested, if the pod has several.
	Parts []Part `json:"parts,omitempty"`
	// Nodes are those nearest to having enough, the nearest first.
	Nodes []NodeAmount `json:"nodes,omitempty"`
	// HeldBy are pods with the largest requests on the nearest node, and NominatedTo those that will come to it.
	HeldBy      []PodAmount `json:"heldBy,omitempty"`
	NominatedTo []PodAmount `json:"nominatedTo,omitempty"`
	// Largest is the largest allocatable amount of all nodes. Never says that no node of the cluster could hold the pod even if it were
	// empty.
	Largest int64 `json:"largest"`
	Never   bool  `json:"never,omitempty"`
}

// Part is the part of a request that one container makes, or the overhead.
type Part struct {
	Name   string `json:"name"`
	Amount int64  `json:"amount"`
	// Init says that the container runs before the others, which request less.
	Init bool `json:"init,omitempty"`
}

// NodeAmount is what a node has of a resource for the pod. Free is as Filter counts it, zero on an overcommitted node, where Missing is
// more than the difference; Held is what pods nominated to it hold.
type NodeAmount struct {
	Node        string `json:"node"`
	Free        int64  `json:"free"`
	Held        int64  `json:"held,omitempty"`
	Allocatable int64  `json:"allocatable"`
	Missing     int64  `json:"missing"`
}

// PodAmount is what a pod requests of a resource.
type PodAmount struct {
	Pod      string `json:"pod"` // NAMESPACE/NAME
	Amount   int64  `json:"amount"`
	Priority int32  `json:"priority"`
}

// Rule is what a pod asks of a label of nodes: a requirement of its selector, a spread constraint, a term of its affinity.
type Rule struct {
	// Field is the path in the pod; Pod is NAMESPACE/NAME of the pod whose rule it is, if that is not the explained one.
	Field string `json:"field"`
	Pod   string `json:"pod,omitempty"`
	// Key is the label of the nodes, and Text the requirement, or the selector of pods.
	Key  string `json:"key"`
	Text string `json:"text,omitempty"`
	// Namespaces are those of the pods that Text selects.
	Namespaces []string `json:"namespaces,omitempty"`
	// Matching is the number of nodes that meet a requirement.
	Matching int `json:"matching,omitempty"`
	// Self says that the pod matches its own rule.
	Self bool `json:"self,omitempty"`
	// Domains are the values of the label that count.
	Domains []Domain `json:"domains,omitempty"`
	// LeftOut are the values on nodes that the pod's node affinity or tolerations exclude, and Unlabeled the nodes without the label.
	LeftOut   []string `json:"leftOut,omitempty"`
	Unlabeled []string `json:"unlabeled,omitempty"`
	// Spread is the constraint of which the domains have counts; nil for other rules.
	Spread *SpreadLimit `json:"spread,omitempty"`
}

// Domain is a value of a label, and the number of nodes with it or, for rules about pods, of the pods that are counted there.
type Domain struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
	// Pods are those pods, if the rule is about single ones.
	Pods []string `json:"pods,omitempty"`
}

// SpreadLimit is how many pods a domain may have: MaxSkew more than Least, the least of all domains, this pod included.
type SpreadLimit struct {
	MaxSkew    int64 `json:"maxSkew"`
	MinDomains int   `json:"minDomains,omitempty"`
	Least      int64 `json:"least"`
	// Most is the most that a domain may have, with this pod, which counts Own: 1, or 0 if it does not match.
	Most int64 `json:"most"`
	Own  int64 `json:"own"`
}

// Verb returns the form of a verb that agrees with the number of nodes.
func (e *Evidence) Verb(one, several string) string {
	if len(e.Nodes) == 1 {
		return one
	}
	return several
}

// MaxListed bounds the names in one sentence.
const MaxListed = plural.MaxListed

// Listed joins names: "a, b, c and 4 more".
func Listed(names []string) string { return plural.Listed(names) }

// Explains reports whether a plugin of the profile explains itself.
func (p *Profile) Explains(plugin string) bool { return p.explainer(plugin) != nil }

func (p *Profile) explainer(plugin string) Explainer {
	explainer, _ := p.byName[plugin].(Explainer)
	return explainer
}

// Explain asks a plugin why it rejected a pod, on nodes or as a whole; it has nothing to say if it is no [Explainer], or panics. The nodes get
// the pods that are nominated to them.
func (p *Profile) Explain(ctx context.Context, state fwk.CycleState, pod *v1.Pod, plugin string, rejected Rejection) (list []Evidence) {
	explainer := p.explainer(plugin)
	if explainer == nil {
		return nil
	}
	var err error
	defer func() {
		if err != nil {
			list = nil
		}
	}()
	defer p.recoveredError(explain, plugin, pod, &err)
	for i := range rejected.Nodes {
		if n := &rejected.Nodes[i]; p.PodNominator != nil {
			n.Nominated = mustLeaveRoomFor(p.NominatedPodsForNode(n.Name()), pod).infos
		}
	}
	return explainer.Explain(ctx, state, pod, rejected)
}
