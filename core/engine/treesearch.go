package engine

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/reuse"
)

// treeSearch is a search that visited no node: what it would have found is in a tree of verdicts and sums of scores. It is zero if
// the nodes were visited.
type treeSearch struct {
	tree   *reuse.Tree
	window reuse.Window
	best   reuse.Best
	more   int64 // to be added to a sum of the tree for the total
}

func (t *treeSearch) found() bool { return t.tree != nil }

// filterByTree filters without visiting nodes, if what is known of them allows it. A search that fails visits them: each node gets
// its reason.
func (a *attempt) filterByTree(nodes []fwk.NodeInfo) bool {
	e := a.engine
	if a.reuse == nil || e.queue.HasNominations() || e.statuses.Len() > 0 || !a.profile.HasFilterPlugins() {
		return false
	}
	window, ok := a.reuse.Window(e.ctx, e.snapshot, e.startIndex%len(nodes), a.numFeasibleNodesToFind(len(nodes)))
	if !ok {
		return false
	}
	a.tree = treeSearch{tree: a.reuse.Tree(), window: window}
	if window.Feasible < 2 || len(e.extenders) > 0 {
		a.visitWindow(nodes)
	}
	return true
}

// visitWindow visits the nodes of the tree search after all.
func (a *attempt) visitWindow(nodes []fwk.NodeInfo) {
	e, d := a.engine, &a.fit.Diagnosis
	feasible, places := e.feasible[:0], e.places[:0]
	for at, cell := range a.tree.tree.Nodes(a.tree.window) {
		if cell.Status == nil {
			feasible, places = append(feasible, nodes[at]), append(places, e.snapshot.Places()[at])
			continue
		}
		d.Reject(nodes[at], cell.Status)
	}
	e.feasible, e.places = feasible, places
	a.feasible, a.places, a.tree = feasible, places, treeSearch{}
}

// rankByTree finds the best total without visiting nodes. It returns false if the nodes have to be visited.
func (a *attempt) rankByTree() bool {
	t := &a.tree
	if !t.found() || !a.needsTotalsOnly() || a.engine.options.TieBreak != BySeed {
		return false
	}
	var ok bool
	t.best, t.more, ok = a.reuse.Best(a.engine.ctx, t.window)
	return ok
}

// selectByTree picks the node with the highest total.
func (a *attempt) selectByTree() string {
	e, t := a.engine, &a.tree
	nodes, _ := e.snapshot.NodeInfos().List()
	skip := 0
	if t.best.Ties > 1 {
		skip = e.draw(t.best.Ties)
	}
	won := t.tree.Tied(t.window, t.best, skip)
	next, sum := t.tree.RunnerUp(t.window, won)
	a.decision.Score = t.best.Sum + t.more
	a.decision.RunnerUp, a.decision.RunnerUpScore = nodes[next].Node().Name, sum+t.more
	return nodes[won].Node().Name
}

// numFeasible is how many nodes are feasible.
func (a *attempt) numFeasible() int {
	if a.tree.found() {
		return a.tree.window.Feasible
	}
	return len(a.feasible)
}

// numExamined is how many nodes were filtered.
func (a *attempt) numExamined() int {
	if a.tree.found() {
		return a.tree.window.Visited
	}
	return len(a.feasible) + a.fit.Diagnosis.NodeToStatus.Len()
}
