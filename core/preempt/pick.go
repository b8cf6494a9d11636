package preempt

import (
	"cmp"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
)

// Candidate is a node on which the pod would fit without the victims. There is at least one, and they are in order of
// importance, or in that of an extender's answer.
type Candidate struct {
	Node    string
	Victims []*v1.Pod
	// Violations is how many of the evictions violate a disruption budget.
	Violations int
}

// Criterion decides between candidates.
type Criterion string

// The criteria, in the order in which they are applied. Each keeps the candidates that do best by it.
const (
	FewestViolations  Criterion = "fewest disruption budgets violated"
	LowestTopPriority Criterion = "lowest priority of the most important victim"
	LowestPrioritySum Criterion = "lowest sum of the victims' priorities"
	FewestVictims     Criterion = "fewest victims"
	LatestStart       Criterion = "latest start of the victims of the highest priority"
	FirstFound        Criterion = "first found of equals"
	OnlyCandidate     Criterion = "the only candidate"
	priorityOffset              = math.MaxInt32 + 1
)

// criteria give each candidate a number; the greatest is best.
var criteria = []struct {
	name Criterion
	of   func(*Candidate) int64
}{
	{FewestViolations, func(c *Candidate) int64 { return -int64(c.Violations) }},
	{LowestTopPriority, func(c *Candidate) int64 { return -int64(corev1.PodPriority(c.Victims[0])) }},
	{LowestPrioritySum, func(c *Candidate) int64 { return -prioritySum(c.Victims) }},
	{FewestVictims, func(c *Candidate) int64 { return -int64(len(c.Victims)) }},
	{LatestStart, func(c *Candidate) int64 { return earliestStart(c.Victims) }},
}

// Loser is a candidate that was not picked, and the criterion by which it lost.
type Loser struct {
	Candidate
	By Criterion
}

// Pick picks the candidate whose victims matter least. It returns the criterion that decided, and the other candidates
// with the criterion by which each lost, the last to lose first.
func Pick(candidates []Candidate) (best Candidate, by Criterion, losers []Loser) {
	by = OnlyCandidate
	lost := make([]int, len(candidates)) // by candidate: the round; 0 is not yet
	scores := make([]int64, len(candidates))
	left := len(candidates)
	for round := 1; round <= len(criteria) && left > 1; round++ {
		most := int64(math.MinInt64)
		for i := range candidates {
			if lost[i] == 0 {
				scores[i] = criteria[round-1].of(&candidates[i])
				most = max(most, scores[i])
			}
		}
		for i := range candidates {
			if lost[i] == 0 && scores[i] < most {
				lost[i], by = round, criteria[round-1].name
				left--
			}
		}
	}
	won := slices.Index(lost, 0)
	if left > 1 {
		by = FirstFound
		for i := won + 1; i < len(lost); i++ {
			if lost[i] == 0 {
				lost[i] = len(criteria) + 1
			}
		}
	}
	return candidates[won], by, losersOf(candidates, lost)
}

// losersOf are the candidates that lost, the last round first.
func losersOf(candidates []Candidate, lost []int) []Loser {
	if len(candidates) == 1 {
		return nil
	}
	losers := make([]Loser, 0, len(candidates)-1)
	for round := len(criteria) + 1; round > 0; round-- {
		by := FirstFound
		if round <= len(criteria) {
			by = criteria[round-1].name
		}
		for i := range candidates {
			if lost[i] == round {
				losers = append(losers, Loser{candidates[i], by})
			}
		}
	}
	return losers
}

// prioritySum shifts every priority above zero, so that more victims of negative priority do not lower the sum.
func prioritySum(victims []*v1.Pod) int64 {
	var sum int64
	for _, pod := range victims {
		sum += int64(corev1.PodPriority(pod)) + priorityOffset
	}
	return sum
}

// earliestStart is when the first of the victims with the highest priority among them started.
func earliestStart(victims []*v1.Pod) int64 {
	highest, earliest := int32(math.MinInt32), int64(math.MaxInt64)
	for _, pod := range victims {
		switch order := cmp.Compare(corev1.PodPriority(pod), highest); {
		case order > 0:
			highest, earliest = corev1.PodPriority(pod), startedAt(pod)
		case order == 0:
			earliest = min(earliest, startedAt(pod))
		}
	}
	return earliest
}
