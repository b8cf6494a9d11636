package engine

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// filterReusing filters with what earlier cycles found out. The nodes that it finds are not listed: few of them are looked at.
func (s *search) filterReusing(nodes []fwk.NodeInfo, wanted int) error {
	e := s.engine
	var nominated reuse.Bitmap
	if e.queue.HasNominations() && s.profile.HasFilterPlugins() {
		nominated = e.nominated.mark(e.queue, e.snapshot)
	}
	err := s.feasible.reuse.Search(e.ctx, e.startIndex%len(nodes), wanted, nominated)
	s.feasible.form = foundOnly
	// Found has positions only. The diagnosis of a failure, the pick of a single node and extenders need lists; anything else does not.
	if found := s.feasible.found(); err != nil || found.Feasible < 2 || e.statuses.Len() > 0 || len(e.extenders) > 0 {
		s.listAll()
	}
	return err
}

// scoreReusing scores with what earlier cycles found out, and in full if that cannot be.
func (s *search) scoreReusing() *fwk.Status {
	e, known := s.engine, s.feasible.reuse
	if s.feasible.count() != known.Found().Feasible {
		known.Found().Keep(s.feasible.positions) // extenders rejected some
	}
	if status := known.RunPreScorePlugins(s); !status.IsSuccess() {
		return status
	}
	// ByHeap decides ties by the order of the list, so that it needs one.
	if s.feasible.form == foundOnly && e.options.TieBreak == BySeed {
		if best, ok := known.Best(); ok {
			s.ranking = ranking{form: byBest, best: best}
			return nil
		}
	}
	totals, status, ok := known.Totals(s.ListFeasible())
	if ok {
		s.ranking = e.rankingOfTotals(totals)
		return status
	}
	scores, status := s.profile.RunScorePlugins(e.ctx, s.state, s.pod, s.ListFeasible())
	s.ranking = rankingOf(scores)
	return status
}

// pickFound picks the node with the highest total, without a look at the others.
func (s *search) pickFound() string {
	e, found, best := s.engine, s.feasible.reuse.Found(), s.ranking.best
	nodes, _ := e.snapshot.NodeInfos().List()
	skip := 0
	if best.Ties > 1 {
		skip = e.draw(best.Ties)
	}
	won := found.Tied(skip)
	next, total := found.RunnerUp(won)
	s.decision.Score = best.Total
	s.decision.RunnerUp, s.decision.RunnerUpScore = nodes[next].Node().Name, total
	return nodes[won].Node().Name
}
