package interpodaffinity

import (
	"math"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/topology"
	"orrery/core/scheduler/reuse"
)

var (
	_ framework.ClassFilter = &InterPodAffinity{}
	_ framework.ClassScore  = &InterPodAffinity{}
)

// rejections are those of Filter, as FilterClasses numbers them.
var rejections = []*fwk.Status{affinityNotMatched, antiAffinityNotMatched, existingAntiAffinityNotMatched}

const (
	passes uint8 = iota
	rejectedAffinity
	rejectedAntiAffinity
	rejectedExistingAntiAffinity
)

// FilterClasses implements framework.ClassFilter. Hypothetical pods are on single nodes, which Filter looks at.
func (pl *InterPodAffinity) FilterClasses(state fwk.CycleState) (framework.ClassVerdicts, bool) {
	s, err := readPreFilterState(state)
	if err != nil || len(s.changes) > 0 {
		return framework.ClassVerdicts{}, false
	}
	classes, ok := s.set.domains.NodeClasses(s.revision)
	if !ok {
		return framework.ClassVerdicts{}, false
	}
	first := s.selfMatch && s.noMatches()
	verdicts := pl.room.Verdicts(classes, func(class int32) uint8 { return s.filterClass(classes, class, first) })
	return framework.ClassVerdicts{Classes: &classes.Classes, Verdicts: verdicts, Rejections: rejections}, true
}

// filterClass evaluates the nodes of a class. The first pod of its group needs no match.
func (s *preFilterState) filterClass(classes *topology.NodeClasses, class int32, first bool) uint8 {
	for i := range s.views[affinity] {
		if sum, has := classes.Sum(class, &s.views[affinity][i]); !has || sum <= 0 && !first {
			return rejectedAffinity
		}
	}
	switch {
	case s.classConflicts(classes, class, antiAffinity):
		return rejectedAntiAffinity
	case s.classConflicts(classes, class, existingAntiAffinity):
		return rejectedExistingAntiAffinity
	}
	return passes
}

// classConflicts reports whether one of the domains of a class has a count of a forbidding kind.
func (s *preFilterState) classConflicts(classes *topology.NodeClasses, class int32, kind kind) bool {
	for i := range s.views[kind] {
		if sum, has := classes.Sum(class, &s.views[kind][i]); has && sum > 0 {
			return true
		}
	}
	return false
}

// ScoreClasses implements framework.ClassScore.
func (pl *InterPodAffinity) ScoreClasses(state fwk.CycleState, feasible *reuse.Found) (reuse.Scores, bool) {
	s, err := readPreScoreState(state)
	if err != nil {
		return reuse.Scores{}, false
	}
	classes, ok := s.domains.NodeClasses(s.revision)
	if !ok {
		return reuse.Scores{}, false
	}
	present := feasible.Present(&classes.Classes, pl.room.Present[:0])
	scores := pl.room.Scores(classes)
	pl.room.Present = present
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for _, class := range present {
		var score int64
		for i := range s.views {
			if sum, has := classes.Sum(class, &s.views[i]); has {
				score += sum
			}
		}
		scores[class] = score
		least, most = min(least, score), max(most, score)
	}
	for _, class := range present {
		scores[class] = normalized(scores[class], least, most)
	}
	return reuse.Scores{Classes: &classes.Classes, Present: present, Score: scores}, true
}
