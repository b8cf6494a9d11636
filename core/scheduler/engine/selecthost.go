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

// selectHost picks the feasible node with the highest total, and keeps the scores for the batch.
func (s *search) selectHost() string {
	name, won := s.pickHost()
	if s.batching {
		s.storeScores(name, s.ranking.scores, won)
	}
	return name
}

// pickHost returns the node, and its index among the scores if there are any.
func (s *search) pickHost() (name string, won int) {
	switch s.ranking.form {
	case unranked:
		return s.feasible.list[0].Node().Name, 0
	case byBest:
		return s.pickFound(), 0
	case byTotals:
		return s.pickByTotals(), 0
	}
	ranks, list := s.engine.ranksOf(&s.ranking), s.feasible.list
	if s.engine.options.TieBreak == byPod {
		won = s.pickSettled(ranks)
	} else {
		won = s.engine.pick(ranks, s.ranking.extended)
	}
	s.decision.Score = ranks[won].total
	if next := runnerUp(ranks, won); next >= 0 {
		s.decision.RunnerUp, s.decision.RunnerUpScore = list[next].Node().Name, ranks[next].total
	}
	return list[won].Node().Name, won
}

// pickByTotals picks the node with the highest total, and finds the runner-up in the same pass.
func (s *search) pickByTotals() string {
	totals, list := s.ranking.totals, s.feasible.list
	won, next, ties := 0, -1, 1
	for i, total := range totals[1:] {
		switch at := i + 1; {
		case total > totals[won]:
			won, next, ties = at, won, 1
		case total == totals[won]:
			if ties++; ties == 2 {
				next = at
			}
		case next < 0 || total > totals[next]:
			next = at
		}
	}
	if ties > 1 {
		won, next = s.engine.drawTied(totals, won, next, ties)
	}
	s.decision.Score = totals[won]
	s.decision.RunnerUp, s.decision.RunnerUpScore = list[next].Node().Name, totals[next]
	return list[won].Node().Name
}

// drawTied draws one of the nodes with the highest total, given the first two. The runner-up is the first of the others.
func (e *Engine) drawTied(totals []int64, first, second, ties int) (won, next int) {
	skip := e.draw(ties)
	if skip == 0 {
		return first, second
	}
	for won = first; skip > 0; {
		if won++; totals[won] == totals[first] {
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

// runnerUp returns the index of the best rank besides the winner's, the first of equal ones, or -1.
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
