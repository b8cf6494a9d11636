package engine

import (
	"cmp"

	fwk "k8s.io/kube-scheduler/framework"
)

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

// selectHost picks the feasible node with the highest total.
func (a *attempt) selectHost() string {
	if len(a.feasible) == 1 {
		name := a.feasible[0].Node().Name
		if a.batching {
			a.storeScores(name, nil, 0)
		}
		return name
	}
	scores := a.scores
	won := a.engine.pick(scores, a.extended)
	a.decision.Score = scores[won].TotalScore
	if next := runnerUp(scores, won); next >= 0 {
		a.decision.RunnerUp, a.decision.RunnerUpScore = scores[next].Name, scores[next].TotalScore
	}
	if a.batching {
		a.storeScores(scores[won].Name, scores, won)
	}
	return scores[won].Name
}

// pick returns the index of the winner. If extenders gave scores, kube-scheduler's choice is random, too.
func (e *Engine) pick(scores []fwk.NodePluginScores, extended bool) int {
	if e.options.TieBreak == ByHeap && !extended {
		return heapTop(scores)
	}
	first, ties := 0, 1
	for i := 1; i < len(scores); i++ {
		switch order := compareScores(&scores[i], &scores[first]); {
		case order > 0:
			first, ties = i, 1
		case order == 0:
			ties++
		}
	}
	if ties == 1 {
		return first
	}
	skip := e.draw(ties)
	for i := first; ; i++ {
		if compareScores(&scores[i], &scores[first]) != 0 {
			continue
		}
		if skip == 0 {
			return i
		}
		skip--
	}
}

// compareScores orders nodes, the better one after the other.
func compareScores(a, b *fwk.NodePluginScores) int {
	return cmp.Or(cmp.Compare(a.TotalScore, b.TotalScore), cmp.Compare(a.Randomizer, b.Randomizer))
}

// heapTop returns the index of the score at the top after heapify.
func heapTop(scores []fwk.NodePluginScores) int {
	heap := make([]fwk.NodePluginScores, len(scores))
	for i := range heap {
		heap[i].TotalScore, heap[i].Randomizer = scores[i].TotalScore, i
	}
	heapify(heap)
	return heap[0].Randomizer
}

// runnerUp returns the index of the best score besides the winner's, the first of equal ones; -1 if there is none.
func runnerUp(scores []fwk.NodePluginScores, won int) int {
	next := -1
	for i := range scores {
		if i != won && (next < 0 || scores[i].TotalScore > scores[next].TotalScore) {
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
