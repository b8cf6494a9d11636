package engine

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// filterReusing filters with what earlier cycles found out. The nodes that it finds are not listed: few of them are looked at.
func (a *attempt) filterReusing(nodes []fwk.NodeInfo, wanted int) error {
	e := a.engine
	var nominated reuse.Bitmap
	if e.queue.HasNominations() && a.profile.HasFilterPlugins() {
		nominated = e.nominated.mark(e.queue, e.snapshot)
	}
	err := a.reuse.Search(e.ctx, e.startIndex%len(nodes), wanted, nominated)
	a.unlisted, a.rejectionsUnlisted = true, true
	if found := a.reuse.Found(); err != nil || found.Feasible < 2 || e.statuses.Len() > 0 || len(e.extenders) > 0 {
		a.ListFeasible()
		a.listRejections()
	}
	return err
}

// ListFeasible lists the feasible nodes, if they are not. See framework.FeasibleNodes.
func (a *attempt) ListFeasible() []fwk.NodeInfo {
	if !a.unlisted {
		return a.feasible
	}
	e := a.engine
	nodes, _ := e.snapshot.NodeInfos().List()
	feasible, positions := e.feasible[:0], e.positions[:0]
	for position, isFeasible := range a.reuse.Found().Visits() {
		if isFeasible {
			feasible, positions = append(feasible, nodes[position]), append(positions, int32(position))
		}
	}
	e.feasible, e.positions = feasible, positions
	a.feasible, a.positions, a.unlisted = feasible, positions, false
	return feasible
}

// listRejections adds the reasons of the rejected nodes to the diagnosis.
func (a *attempt) listRejections() {
	a.rejectionsUnlisted = false
	for node, status := range a.reuse.Rejections() {
		a.fit.Diagnosis.Reject(node, status)
	}
}

// numFeasible is how many nodes are feasible.
func (a *attempt) numFeasible() int {
	if a.unlisted {
		return a.reuse.Found().Feasible
	}
	return len(a.feasible)
}

// numExamined is how many nodes were filtered.
func (a *attempt) numExamined() int {
	if a.unlisted {
		return a.reuse.Found().Visited
	}
	return len(a.feasible) + a.fit.Diagnosis.NodeToStatus.Len()
}

// scoreReusing scores with what earlier cycles found out, and in full if that cannot be.
func (a *attempt) scoreReusing() *fwk.Status {
	e := a.engine
	if !a.unlisted && len(a.positions) != a.reuse.Found().Feasible {
		a.reuse.Found().Keep(a.positions) // extenders rejected some
	}
	if status := a.reuse.RunPreScorePlugins(a); !status.IsSuccess() {
		return status
	}
	if a.unlisted && e.options.TieBreak == BySeed {
		if best, ok := a.reuse.Best(); ok {
			a.best = best
			return nil
		}
	}
	totals, status, ok := a.reuse.Totals(a.ListFeasible())
	if ok {
		a.rankTotals(totals)
		return status
	}
	scores, status := a.profile.RunScorePlugins(e.ctx, a.state, a.pod, a.ListFeasible())
	a.scores = scores
	return status
}

// pickUnlisted picks the node with the highest total, without a look at the others.
func (a *attempt) pickUnlisted() string {
	e, found := a.engine, a.reuse.Found()
	nodes, _ := e.snapshot.NodeInfos().List()
	skip := 0
	if a.best.Ties > 1 {
		skip = e.draw(a.best.Ties)
	}
	won := found.Tied(skip)
	next, total := found.RunnerUp(won)
	a.decision.Score = a.best.Total
	a.decision.RunnerUp, a.decision.RunnerUpScore = nodes[next].Node().Name, total
	return nodes[won].Node().Name
}
