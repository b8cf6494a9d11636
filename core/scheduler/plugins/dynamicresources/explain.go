package dynamicresources

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources/shortage"
)

var _ framework.Explainer = (*DynamicResources)(nil)

// The reason codes of DynamicResources, beside those of package shortage.
const (
	Elsewhere  = "device-elsewhere"
	Unprepared = "device-unprepared"
	Timeout    = "device-timeout"
	Extended   = "device-extended"
)

// ReasonCodes are the codes of the plugin.
var ReasonCodes = append([]framework.ReasonCode{
	{Code: Elsewhere, Means: "the nodes do not reach the devices that a claim has", Fields: []string{"about", "wants", "objects"}},
	{Code: Unprepared, Means: "the devices that a claim has did not get ready for a pod", Fields: []string{"about", "objects"}},
	{Code: Timeout, Means: "the search for devices took as long as it may", Fields: []string{"about"}},
	{Code: Extended, Means: "an extended resource of the pod is neither on the nodes nor served by devices, or its claim of an earlier attempt still exists", Fields: []string{"about"}},
}, shortage.ReasonCodes()...)

// Explain says of claims without devices why each device does not serve them, and of claims with devices which nodes do not reach these.
func (pl *DynamicResources) Explain(_ context.Context, state fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	in := shortage.Of(state, shortage.Source{Devices: pl.devices, Features: pl.features, Pod: pod, Nodes: rejected.All, PodNamed: pl.podNamed})
	list := in.Explain(Short(rejected))
	for i := range rejected.Nodes {
		for _, e := range pl.onNode(state, in, &rejected.Nodes[i]) {
			list = addNode(list, e, rejected.Nodes[i].Name())
		}
	}
	for i := range list {
		if e := &list[i]; e.Code == Elsewhere && len(e.Nodes) == len(rejected.All) {
			e.Sentence = e.Facts[0]
		}
	}
	return list
}

func (pl *DynamicResources) podNamed(namespace, name string) *v1.Pod {
	pod, err := pl.pods.Pods(namespace).Get(name)
	if err != nil {
		return nil
	}
	return pod
}

// others are the reasons against a node that are not about devices which claims lack there.
var others = []string{ReasonNotAvailable, ReasonTimeout, ReasonExtendedClaim, ReasonExtendedAmount}

// Short leaves of a rejection the nodes on which no devices could be allocated.
func Short(r framework.Rejection) framework.Rejection {
	r.Nodes = slices.DeleteFunc(slices.Clone(r.Nodes), func(n framework.RejectedNode) bool {
		return len(n.Reasons) == 0 || slices.Contains(others, n.Reasons[0])
	})
	return r
}

// onNode is what keeps a node from the pod besides devices that its claims lack. It looks at the node as Filter did.
func (pl *DynamicResources) onNode(state fwk.CycleState, in *shortage.Inspection, n *framework.RejectedNode) []framework.Evidence {
	c, err := readCycle(state)
	if err != nil || len(n.Reasons) == 0 || !slices.Contains(others, n.Reasons[0]) {
		return nil
	}
	e := framework.Evidence{Message: n.Reasons[0]}
	switch e.Message {
	case ReasonTimeout:
		e.Code, e.About, e.Predicate = Timeout, "the search for devices", "took too long to search for devices"
	case ReasonExtendedClaim:
		e.Code, e.About, e.Predicate = Extended, "the claim of an earlier attempt", "cannot take the pod before the claim for its extended resources is gone that an earlier attempt made"
	case ReasonExtendedAmount:
		e.Code, e.About, e.Predicate = Extended, "extended resources", "cannot hold an extended resource of the pod"
	default:
		return pl.unavailableClaims(c, in, n)
	}
	return []framework.Evidence{e}
}

// unavailableClaims are the claims with devices that the node cannot use.
func (pl *DynamicResources) unavailableClaims(c *cycle, in *shortage.Inspection, n *framework.RejectedNode) []framework.Evidence {
	var list []framework.Evidence
	for _, i := range pl.unavailableOn(c, n.Node()) {
		claim := c.claims.all[i]
		at := slices.IndexFunc(in.Claims, func(other shortage.Claim) bool { return other.Claim == claim.Name })
		if at < 0 {
			continue
		}
		names := in.Claims[at].Devices
		has := plural.Of(len(names), "device") + " " + framework.Listed(names) + " of claim " + claim.Name
		e := framework.Evidence{
			Code: Elsewhere, About: in.Claims[at].Title(), Message: ReasonNotAvailable, Wants: has, Predicate: "cannot reach " + has, Facts: []string{in.Claims[at].Text()},
			Objects: []framework.Object{{Kind: "ResourceClaim", Name: claim.Namespace + "/" + claim.Name, Note: "has " + framework.Listed(names)}},
		}
		if c.selectors[i] == nil || c.selectors[i].Match(n.Node()) {
			e.Code, e.Wants, e.Predicate = Unprepared, "", "cannot use "+has+", as getting ready failed or took too long"
		}
		list = append(list, e)
	}
	return list
}

// addNode adds a node to the evidence of the same cause.
func addNode(list []framework.Evidence, e framework.Evidence, node string) []framework.Evidence {
	at := slices.IndexFunc(list, func(other framework.Evidence) bool { return other.Code == e.Code && other.About == e.About })
	if at < 0 {
		at, list = len(list), append(list, e)
	}
	list[at].Nodes = append(list[at].Nodes, node)
	return list
}
