package engine

import (
	fwk "k8s.io/kube-scheduler/framework"
)

// TieBreak says which of several nodes that share the best score is taken.
type TieBreak uint8

const (
	// BySeed draws one of them from the engine's seeded source. kube-scheduler means to do the same, from a source
	// that nobody can repeat.
	BySeed TieBreak = iota
	// ByHeap takes the one that kube-scheduler 1.35 takes when it searches with one worker: it keeps the scores in a
	// heap whose random part is never set, so the positions in the heap decide.
	ByHeap
)

// best scores the feasible nodes and picks the one with the highest total.
func (a *attempt) best(feasible []fwk.NodeInfo) (string, error) {
	e := a.engine
	if status := a.profile.RunPreScorePlugins(e.ctx, a.state, a.pod, feasible); !status.IsSuccess() {
		return "", status.AsError()
	}
	scores, status := a.profile.RunScorePlugins(e.ctx, a.state, a.pod, feasible)
	if !status.IsSuccess() {
		return "", status.AsError()
	}
	won := e.pick(scores)
	a.decision.Score = scores[won].TotalScore
	if next := runnerUp(scores, won); next >= 0 {
		a.decision.RunnerUp, a.decision.RunnerUpScore = scores[next].Name, scores[next].TotalScore
	}
	if a.batches {
		a.remember(scores[won].Name, scores, won)
	}
	return scores[won].Name, nil
}

// pick is the position of the winner.
func (e *Engine) pick(scores []fwk.NodePluginScores) int {
	if e.options.TieBreak == ByHeap {
		return heapTop(scores)
	}
	first, ties := 0, 1
	for i := 1; i < len(scores); i++ {
		switch {
		case scores[i].TotalScore > scores[first].TotalScore:
			first, ties = i, 1
		case scores[i].TotalScore == scores[first].TotalScore:
			ties++
		}
	}
	if ties == 1 {
		return first
	}
	skip := e.draw(ties)
	for i := first; ; i++ {
		if scores[i].TotalScore != scores[first].TotalScore {
			continue
		}
		if skip == 0 {
			return i
		}
		skip--
	}
}

// heapTop is the position whose score comes to stand at the top when the list is made a heap.
func heapTop(scores []fwk.NodePluginScores) int {
	heap := make([]fwk.NodePluginScores, len(scores))
	for i := range heap {
		heap[i].TotalScore, heap[i].Randomizer = scores[i].TotalScore, i
	}
	heapify(heap)
	return heap[0].Randomizer
}

// runnerUp is the position of the best score besides the winner's, the first of several; -1 if the winner is alone.
func runnerUp(scores []fwk.NodePluginScores, won int) int {
	next := -1
	for i := range scores {
		if i != won && (next < 0 || scores[i].TotalScore > scores[next].TotalScore) {
			next = i
		}
	}
	return next
}

// draw is a number from 0 up to n from the engine's seed.
func (e *Engine) draw(n int) int { return int(e.chance.Uint64() % uint64(n)) }

// dice hands the engine's chance to plugins; it implements framework.Dice.
type dice struct{ engine *Engine }

func (d dice) Draw(n int) int { return d.engine.draw(n) }
