package preempt

// Pick is pick of candidates by value.
func Pick(candidates []Candidate) (picked Candidate, by Criterion, losers []Loser) {
	contenders := make([]*contender, len(candidates))
	for i, c := range candidates {
		contenders[i] = newContender(c)
	}
	return pick(contenders)
}
