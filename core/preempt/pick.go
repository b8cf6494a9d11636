package preempt

import (
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
)

// Candidate is a node on which the pod would fit without the victims. There is at least one, and they are in order of
// importance.
type Candidate struct {
	Node    string
	Victims []*v1.Pod
	// Violations is how many of the victims leave in spite of a disruption budget.
	Violations int
}

// Criterion is what decided between two candidates.
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

// Pick takes the candidate whose victims matter least. It tells which criterion decided in the end, and which one each
// of the others lost by, the last to lose first.
func Pick(candidates []Candidate) (best Candidate, by Criterion, losers []Loser) {
	by = OnlyCandidate
	left := candidates
	for _, criterion := range criteria {
		if len(left) == 1 {
			break
		}
		kept, most := []Candidate(nil), int64(math.MinInt64)
		for i := range left {
			switch score := criterion.of(&left[i]); {
			case score > most:
				kept, most = append(kept[:0:0], left[i]), score
			case score == most:
				kept = append(kept, left[i])
			}
		}
		if len(kept) < len(left) {
			by = criterion.name
			losers = append(outdone(left, most, criterion.of, by), losers...)
		}
		left = kept
	}
	if len(left) > 1 {
		by = FirstFound
		ties := make([]Loser, 0, len(left)-1)
		for _, c := range left[1:] {
			ties = append(ties, Loser{c, by})
		}
		losers = append(ties, losers...)
	}
	return left[0], by, losers
}

// outdone are the candidates that score less than the best.
func outdone(all []Candidate, most int64, score func(*Candidate) int64, by Criterion) []Loser {
	var losers []Loser
	for i := range all {
		if score(&all[i]) < most {
			losers = append(losers, Loser{all[i], by})
		}
	}
	return losers
}

// prioritySum moves every priority above zero first, so that few victims of a negative priority do not weigh less than
// many.
func prioritySum(victims []*v1.Pod) int64 {
	var sum int64
	for _, pod := range victims {
		sum += int64(corev1.PodPriority(pod)) + priorityOffset
	}
	return sum
}

// earliestStart is when the first of the victims with the highest priority among them started.
func earliestStart(victims []*v1.Pod) int64 {
	earliest := int64(math.MaxInt64)
	for _, pod := range victims {
		if corev1.PodPriority(pod) == corev1.PodPriority(victims[0]) {
			earliest = min(earliest, startedAt(pod))
		}
	}
	return earliest
}
