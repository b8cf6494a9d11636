package nodevolumelimits

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = (*NodeVolumeLimits)(nil)

// LimitReached is the reason code of nodes where a driver cannot attach the pod's volumes.
const LimitReached = "volume-limit"

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: LimitReached, Means: "the driver can attach no more volumes to the nodes", Fields: []string{"about", "amounts", "nearest"}},
}

// Explain compares, for each driver, the volumes of the nodes with their limits.
func (pl *NodeVolumeLimits) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	counts := &counter{pl.objects, listAttachments(pl.objects.attachments), pl.requestOf(pod)}
	var list []framework.Evidence
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		for _, c := range counts.on(n) {
			if !c.Exceeded() {
				continue
			}
			at := slices.IndexFunc(list, func(e framework.Evidence) bool { return e.About == c.Driver })
			if at < 0 {
				at, list = len(list), append(list, framework.Evidence{
					Code: LimitReached, About: c.Driver, Message: ReasonExceeded, Amounts: &framework.Amounts{Resource: "volumes of " + c.Driver, Requested: c.Added},
				})
			}
			e := &list[at]
			e.Nodes = append(e.Nodes, n.Name())
			e.Amounts.Largest = max(e.Amounts.Largest, c.Limit)
			e.Amounts.Nodes = append(e.Amounts.Nodes, framework.NodeAmount{
				Node: n.Name(), Free: max(c.Limit-c.Attached, 0), Allocatable: c.Limit, Held: max(c.Attached-c.Limit, 0), Missing: c.Attached + c.Added - c.Limit,
			})
		}
	}
	for i := range list {
		describe(&list[i])
	}
	return list
}

func describe(e *framework.Evidence) {
	nodes := e.Amounts.Nodes
	slices.SortStableFunc(nodes, func(a, b framework.NodeAmount) int {
		return cmp.Or(cmp.Compare(a.Missing, b.Missing), cmp.Compare(a.Node, b.Node))
	})
	text := func(n *framework.NodeAmount) string {
		attached := n.Allocatable + n.Missing - e.Amounts.Requested
		return fmt.Sprintf("%d of %d volumes of %s, and the pod adds %d", attached, n.Allocatable, e.About, e.Amounts.Requested)
	}
	e.Nearest = nodes[0].Node
	for i := range nodes[:min(len(nodes), framework.MaxListed)] {
		e.Facts = append(e.Facts, nodes[i].Node+" has "+text(&nodes[i]))
	}
	if more := len(nodes) - framework.MaxListed; more > 0 {
		e.Facts = append(e.Facts, plural.Count(more, "more node")+" like these")
	}
	if e.Predicate = e.Verb("has ", "have ") + text(&nodes[0]); len(nodes) > 1 {
		e.Predicate = "have as many volumes of " + e.About + " as they can (" + e.Nearest + " has " + text(&nodes[0]) + ")"
	}
	e.Hint = fmt.Sprintf("would fit on %s with %s of %s less there", e.Nearest, plural.Count(int(nodes[0].Missing), "volume"), e.About)
	e.Amounts.Nodes = slices.Clip(nodes[:min(len(nodes), maxNearest)])
}

// maxNearest bounds the nodes in the evidence.
//
//orrery:limit answers; nodes with too many volumes that are named; the others are left out
const maxNearest = 5
