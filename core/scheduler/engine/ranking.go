package engine

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// rank is what decides between feasible nodes. Of equal totals, nodes that an extender gave a score come first.
type rank struct {
	total  int64
	listed int
}

// above reports whether a rank comes before another one.
func (r rank) above(other rank) bool {
	return r.total > other.total || r.total == other.total && r.listed > other.listed
}

// ranking decides between several feasible nodes. Its form says what it goes by, and which field has that.
type ranking struct {
	form   rankingForm
	scores []fwk.NodePluginScores
	ranks  []rank
	totals []int64
	best   reuse.Best
	// extended says that extenders gave some scores.
	extended bool
}

type rankingForm uint8

const (
	unranked rankingForm = iota // there is one node or none, or scoring is still to come
	byScores                    // scores of each plugin, in the order of the list
	byRanks                     // ranks, in the order of the list
	byTotals                    // totals alone, in the order of the list; without extenders, and with ties drawn by seed
	byBest                      // the best of nodes that are not listed; otherwise as byTotals
)

func rankingOf(scores []fwk.NodePluginScores) ranking { return ranking{form: byScores, scores: scores} }

// rankingOfTotals ranks by totals alone, if these are enough to pick.
func (e *Engine) rankingOfTotals(totals []int64) ranking {
	if e.options.TieBreak == BySeed && len(e.extenders) == 0 {
		return ranking{form: byTotals, totals: totals}
	}
	e.ranks = e.ranks[:0]
	for _, total := range totals {
		e.ranks = append(e.ranks, rank{total: total})
	}
	return ranking{form: byRanks, ranks: e.ranks}
}

// ranksOf returns the ranks of the listed nodes, by scores or as they are.
func (e *Engine) ranksOf(r *ranking) []rank {
	if r.form == byRanks {
		return r.ranks
	}
	e.ranks = e.ranks[:0]
	for i := range r.scores {
		e.ranks = append(e.ranks, rank{r.scores[i].TotalScore, r.scores[i].Randomizer})
	}
	return e.ranks
}

// clone copies a ranking that another engine goes on with.
func (r ranking) clone() ranking {
	r.scores = slices.Clone(r.scores)
	for i := range r.scores {
		r.scores[i].Scores = slices.Clone(r.scores[i].Scores)
	}
	r.ranks = slices.Clone(r.ranks)
	return r
}
