package preempt

import (
	"cmp"
	"math"

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

// criteria are those that candidates are compared by, and the last one decides between equals.
var criteria = [...]Criterion{FewestViolations, LowestTopPriority, LowestPrioritySum, FewestVictims, LatestStart, FirstFound}

// contender is a candidate with what it is worth by each criterion but the last; the greatest is best. It does not change.
type contender struct {
	Candidate
	worth [len(criteria) - 1]int64
}

func newContender(c Candidate) *contender {
	return &contender{c, [...]int64{
		-int64(c.Violations),
		-int64(corev1.PodPriority(c.Victims[0])),
		-prioritySum(c.Victims),
		-int64(len(c.Victims)),
		earliestStart(c.Victims),
	}}
}

// losesBy is the position of the first criterion by which c and a better or equal contender differ.
func (c *contender) losesBy(better *contender) int {
	for i := range c.worth {
		if c.worth[i] != better.worth[i] {
			return i
		}
	}
	return len(c.worth)
}

// Loser is a candidate that was not picked, and the criterion by which it lost.
type Loser struct {
	*Candidate
	By Criterion
}

// pick picks the candidate whose victims matter least. It returns the criterion that decided, and the other candidates
// with the criterion by which each lost, the last to lose first.
func pick(contenders []*contender) (picked Candidate, by Criterion, losers []Loser) {
	if len(contenders) == 1 {
		return contenders[0].Candidate, OnlyCandidate, nil
	}
	best := contenders[0]
	for _, c := range contenders[1:] {
		if i := c.losesBy(best); i < len(c.worth) && c.worth[i] > best.worth[i] {
			best = c
		}
	}
	losers = losersTo(best, contenders)
	return best.Candidate, losers[0].By, losers
}

// losersTo lists the others by the criterion by which they lose, the last criterion first, and each in their order.
func losersTo(best *contender, contenders []*contender) []Loser {
	var next [len(criteria)]int // losers by criterion, then the place of the next one of each
	for _, c := range contenders {
		if c != best {
			next[c.losesBy(best)]++
		}
	}
	first := 0
	for i := len(next) - 1; i >= 0; i-- {
		first, next[i] = first+next[i], first
	}
	losers := make([]Loser, len(contenders)-1)
	for _, c := range contenders {
		if c != best {
			i := c.losesBy(best)
			losers[next[i]] = Loser{&c.Candidate, criteria[i]}
			next[i]++
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
