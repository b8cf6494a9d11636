package engine

import fwk "k8s.io/kube-scheduler/framework"

// TieBreak selects among nodes that share the best score.
type TieBreak uint8

const (
	// BySeed draws one from the engine's seeded source. kube-scheduler intends the same, with a source that cannot be
	// repeated.
	BySeed TieBreak = iota
	// ByHeap takes the one that kube-scheduler 1.35 takes with one worker: it keeps the scores in a heap whose random
	// part is never set, so the positions in the heap decide.
	ByHeap
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

// rankTotals ranks the feasible nodes by totals alone. Without extenders, the totals are enough to pick by seed.
func (a *attempt) rankTotals(totals []int64) {
	if a.engine.options.TieBreak == BySeed && len(a.engine.extenders) == 0 {
		a.totals = totals
		return
	}
	ranks := a.engine.ranks[:0]
	for _, total := range totals {
		ranks = append(ranks, rank{total: total})
	}
	a.engine.ranks, a.ranks = ranks, ranks
}

// rankScores ranks the feasible nodes by their scores.
func (a *attempt) rankScores() {
	ranks := a.engine.ranks[:0]
	for i := range a.scores {
		ranks = append(ranks, rank{a.scores[i].TotalScore, a.scores[i].Randomizer})
	}
	a.engine.ranks, a.ranks = ranks, ranks
}

// selectHost picks the feasible node with the highest total, and keeps the scores for the batch.
func (a *attempt) selectHost() string {
	name, won := a.pickHost()
	if a.batching {
		a.storeScores(name, a.scores, won)
	}
	return name
}

// pickHost returns the node, and its index among the scores if there are any.
func (a *attempt) pickHost() (name string, won int) {
	if a.unlisted {
		return a.pickUnlisted(), 0
	}
	if len(a.feasible) == 1 {
		return a.feasible[0].Node().Name, 0
	}
	if a.totals != nil {
		return a.pickByTotals(), 0
	}
	if a.scores != nil {
		a.rankScores()
	}
	won = a.engine.pick(a.ranks, a.extended)
	a.decision.Score = a.ranks[won].total
	if next := runnerUp(a.ranks, won); next >= 0 {
		a.decision.RunnerUp, a.decision.RunnerUpScore = a.feasible[next].Node().Name, a.ranks[next].total
	}
	return a.feasible[won].Node().Name, won
}

// pickByTotals picks the node with the highest total, and finds the runner-up in the same pass.
func (a *attempt) pickByTotals() string {
	won, next, ties := 0, -1, 1
	for i, total := range a.totals[1:] {
		switch at := i + 1; {
		case total > a.totals[won]:
			won, next, ties = at, won, 1
		case total == a.totals[won]:
			if ties++; ties == 2 {
				next = at
			}
		case next < 0 || total > a.totals[next]:
			next = at
		}
	}
	if ties > 1 {
		won, next = a.drawTied(won, next, ties)
	}
	a.decision.Score = a.totals[won]
	a.decision.RunnerUp, a.decision.RunnerUpScore = a.feasible[next].Node().Name, a.totals[next]
	return a.feasible[won].Node().Name
}

// drawTied draws one of the nodes with the highest total, of which the first two are known. The runner-up is the first of the others.
func (a *attempt) drawTied(first, second, ties int) (won, next int) {
	skip := a.engine.draw(ties)
	if skip == 0 {
		return first, second
	}
	for won = first; skip > 0; {
		if won++; a.totals[won] == a.totals[first] {
			skip--
		}
	}
	return won, first
}

// pick returns the index of the winner. If extenders gave scores, kube-scheduler's choice is random, too.
func (e *Engine) pick(ranks []rank, extended bool) int {
	if e.options.TieBreak == ByHeap && !extended {
		return heapTop(ranks)
	}
	first, ties := 0, 1
	for i := 1; i < len(ranks); i++ {
		switch {
		case ranks[i].above(ranks[first]):
			first, ties = i, 1
		case ranks[i] == ranks[first]:
			ties++
		}
	}
	if ties == 1 {
		return first
	}
	skip := e.draw(ties)
	for i := first; ; i++ {
		if ranks[i] != ranks[first] {
			continue
		}
		if skip == 0 {
			return i
		}
		skip--
	}
}

// heapTop returns the index of the rank at the top after heapify.
func heapTop(ranks []rank) int {
	heap := make([]fwk.NodePluginScores, len(ranks))
	for i := range heap {
		heap[i].TotalScore, heap[i].Randomizer = ranks[i].total, i
	}
	heapify(heap)
	return heap[0].Randomizer
}

// runnerUp returns the index of the best rank besides the winner's, the first of equal ones; -1 if there is none.
func runnerUp(ranks []rank, won int) int {
	next := -1
	for i := range ranks {
		if i != won && (next < 0 || ranks[i].total > ranks[next].total) {
			next = i
		}
	}
	return next
}

// draw returns a random number in [0, n).
func (e *Engine) draw(n int) int { return int(e.rng.Uint64() % uint64(n)) }

// rng gives plugins the engine's random source; it implements framework.Rand.
type rng struct{ engine *Engine }

func (d rng) IntN(n int) int { return d.engine.draw(n) }
