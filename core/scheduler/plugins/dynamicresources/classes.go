package dynamicresources

import (
	"context"
	"maps"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodeclasses"
	"orrery/core/scheduler/reuse"
)

// Pods of one template come one after the other, and each takes devices of one node. So of a set of requests that comes again, the
// verdicts divide the nodes into classes: those on which the devices get equal scores, or are rejected for the same reason. A node is
// looked at again if it or its devices changed. Which devices a claim gets is found out once the node is chosen.

var (
	_ framework.ClassFilter = (*DynamicResources)(nil)
	_ framework.ClassScore  = (*DynamicResources)(nil)
)

// maxClassedSets is how many sets of requests divide the nodes into classes.
//
//orrery:limit scheduler; sets of device requests by which nodes are divided into classes; the set that was not used for the longest time goes
const maxClassedSets = 8

// verdictClasses divide the nodes by the verdicts on a set of requests. What the nodes of a class have in common is a verdict; it is nil if
// they reach the same devices, of which their verdict follows, and for nodes that have none.
type verdictClasses struct {
	*nodeclasses.Classes[*verdict]
	pl     *DynamicResources
	since  uint64 // of the changes of devices
	scores []int64

	cycle *cycle // while the classes follow the nodes
	fails bool   // whether one of them has no verdict: the others are not looked at
}

// The kinds of classes.
const (
	shared = iota
	fits
	rejected
	undecided
)

// describe says which verdict a node has.
func (v *verdictClasses) describe(info fwk.NodeInfo, to reuse.Signature) (*verdict, reuse.Signature) {
	node := info.Node()
	onNode, status := v.pl.implicitOn(v.cycle, info)
	switch {
	case status != nil:
		return &verdict{status: status}, to.Number(rejected).Text(status.Message())
	case onNode == nil && !v.cycle.claims.own():
		return nothingToAllocate, to.Number(fits).Number(0)
	}
	if key := v.pl.devices.Reached(node).Key; key.Shared() {
		to = to.Number(shared).Number(int64(key.Selected()))
		return nil, onNode.appendClasses(to)
	}
	if v.fails {
		return nil, to.Number(undecided)
	}
	decided, lasts := v.pl.allocate(context.Background(), v.cycle, node, onNode)
	switch {
	case !lasts:
		v.fails = true
		return nil, to.Number(undecided)
	case decided.status != nil:
		return decided, to.Number(rejected).Text(decided.status.Message())
	}
	return decided, to.Number(fits).Number(decided.score)
}

// nothingToAllocate is the verdict on a node whose device plugins have all that a pod requests.
var nothingToAllocate = &verdict{}

// appendClasses tells apart for which resources a node needs devices.
func (a *implicitAllocation) appendClasses(to reuse.Signature) reuse.Signature {
	if a == nil {
		return to
	}
	for _, name := range slices.Sorted(maps.Keys(a.classes)) {
		to = to.Text(string(name))
	}
	return to
}

// cyclesApart is how many cycles after one in which a node had no verdict the nodes are divided again: because of an error, or as the
// steps of a cycle are not enough for all nodes. Then each node is asked, and verdicts are kept.
const cyclesApart = 16

// FilterClasses implements framework.ClassFilter, for pods whose claims have no devices yet. Entangled counters depend on more than a node and
// its devices.
func (pl *DynamicResources) FilterClasses(state fwk.CycleState) (framework.ClassVerdicts, bool) {
	c, err := readCycle(state)
	if err != nil || c.asked == nil || c.asked.uses < 2 || len(c.claims.unallocated()) < len(c.claims.all) {
		return framework.ClassVerdicts{}, false
	}
	classes := pl.classesFor(c.asked)
	if classes == nil {
		return framework.ClassVerdicts{}, false
	}
	all, ok := classes.evaluate(c)
	if !ok {
		pl.forgetNodes(c.asked)
		c.asked.uses, c.budget = -cyclesApart, pl.newBudget()
		return framework.ClassVerdicts{}, false
	}
	c.nodes = classes
	return all, true
}

// evaluate brings the classes up to the nodes and devices, and returns the verdicts on them.
func (v *verdictClasses) evaluate(c *cycle) (framework.ClassVerdicts, bool) {
	v.cycle = c
	defer func() { v.cycle = nil }()
	changed, now, known := v.pl.devices.ReachChanges(v.since)
	if !known {
		v.ForgetAll()
	}
	for _, node := range changed {
		v.Forget(node)
	}
	if !v.Follow() || v.fails {
		return framework.ClassVerdicts{}, false
	}
	v.since = now
	return v.EvaluateEach(func(class int32) (*fwk.Status, bool) {
		decided := v.verdictOf(c, class)
		if decided == nil {
			return nil, false
		}
		return decided.status, true
	})
}

// verdictOf is the verdict on the nodes of a class; nil if there is none that lasts.
func (v *verdictClasses) verdictOf(c *cycle, class int32) *verdict {
	if own := v.Common(class); own != nil {
		return own
	}
	node := v.Node(class)
	if node == nil {
		return nil
	}
	onNode, _ := v.pl.implicitOn(c, node) // the nodes that it rejects have a verdict in common
	if decided, lasts := v.pl.allocate(context.Background(), c, node.Node(), onNode); lasts {
		return decided
	}
	return nil
}

// classesFor returns the classes of a set of requests; nil if the snapshot does not say what changes.
func (pl *DynamicResources) classesFor(set *requestSet) *verdictClasses {
	if at := slices.Index(pl.classed, set); at >= 0 {
		pl.classed = append(slices.Delete(pl.classed, at, at+1), set)
		return set.nodes
	}
	set.nodes = &verdictClasses{pl: pl}
	if set.nodes.Classes = nodeclasses.New(pl.handle, set.nodes.describe); set.nodes.Classes == nil {
		set.nodes = nil
		return nil
	}
	if pl.classed = append(pl.classed, set); len(pl.classed) > maxClassedSets {
		pl.classed[0].nodes = nil
		pl.classed = slices.Delete(pl.classed, 0, 1)
	}
	return set.nodes
}

// ScoreClasses implements framework.ClassScore.
func (pl *DynamicResources) ScoreClasses(state fwk.CycleState, feasible *reuse.Found) (reuse.Scores, bool) {
	c, err := readCycle(state)
	if err != nil || c.nodes == nil {
		return reuse.Scores{}, false
	}
	v := c.nodes
	v.scores = slices.Grow(v.scores[:0], v.Len())[:v.Len()]
	present := feasible.Present(&v.Classes.Classes, nil)
	list := make(fwk.NodeScoreList, len(present))
	for i, class := range present {
		decided := v.verdictOf(c, class)
		if decided == nil {
			return reuse.Scores{}, false
		}
		list[i].Score = decided.score
	}
	framework.ScaleScores(list)
	for i, class := range present {
		v.scores[class] = list[i].Score
	}
	return reuse.Scores{Classes: &v.Classes.Classes, Present: present, Score: v.scores}, true
}

// found returns what was allocated on a node. If only its class was looked at, it is allocated now.
func (pl *DynamicResources) found(ctx context.Context, c *cycle, name string) *allocation {
	known := c.foundOn(name)
	if known != nil || c.nodes == nil {
		return known
	}
	info, err := pl.handle.SnapshotSharedLister().NodeInfos().Get(name)
	if err != nil {
		return nil
	}
	onNode, status := pl.implicitOn(c, info)
	switch {
	case status != nil:
		return nil
	case onNode == nil && !c.claims.own():
		c.accept(allocation{node: name})
		return c.foundOn(name)
	}
	c.budget = pl.newBudget() // it was found with all steps before
	decided, _ := pl.allocate(ctx, c, info.Node(), onNode)
	if decided.status != nil {
		return nil
	}
	c.accept(allocation{node: name, verdict: decided, implicitAllocation: onNode})
	return c.foundOn(name)
}
