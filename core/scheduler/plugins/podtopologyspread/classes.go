package podtopologyspread

import (
	"context"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/topology"
	"orrery/core/scheduler/reuse"
)

var (
	_ framework.ClassFilter   = &PodTopologySpread{}
	_ framework.ClassPreScore = &PodTopologySpread{}
	_ framework.ClassScore    = &PodTopologySpread{}
)

// rejections are those of Filter, as FilterClasses numbers them.
var rejections = []*fwk.Status{missingLabel, constraintsNotMatched}

const (
	passes uint8 = iota
	rejectedMissingLabel
	rejectedConstraints
)

// FilterClasses implements framework.ClassFilter. Hypothetical pods are on single nodes, which Filter looks at.
func (pl *PodTopologySpread) FilterClasses(state fwk.CycleState) (framework.ClassVerdicts, bool) {
	s, err := readPreFilterState(state)
	if err != nil || len(s.changes) > 0 {
		return framework.ClassVerdicts{}, false
	}
	classes, ok := s.set.domains.NodeClasses(s.revision)
	if !ok {
		return framework.ClassVerdicts{}, false
	}
	verdicts := pl.room.Verdicts(classes, func(class int32) uint8 { return s.filterClass(classes, class) })
	return framework.ClassVerdicts{Classes: &classes.Classes, Verdicts: verdicts, Rejections: rejections}, true
}

func (s *preFilterState) filterClass(classes *topology.NodeClasses, class int32) uint8 {
	for i := range s.views {
		switch sum, has := classes.Sum(class, &s.views[i].AxisView); {
		case !has:
			return rejectedMissingLabel
		case sum > s.limits[i]:
			return rejectedConstraints
		}
	}
	return passes
}

// scoredClasses are the classes that the feasible nodes of a cycle are in.
type scoredClasses struct {
	classes *topology.NodeClasses
	present []int32
}

// PreScoreClasses implements framework.ClassPreScore.
func (pl *PodTopologySpread) PreScoreClasses(_ context.Context, state fwk.CycleState, pod *v1.Pod, feasible *reuse.Found) (*fwk.Status, bool) {
	s, all, status := pl.newPreScoreState(state, pod)
	if s == nil {
		return status, true
	}
	classes, ok := s.set.domains.NodeClasses(s.revision)
	if !ok || s.set.scoresNegative() {
		return nil, false
	}
	pl.room.Present = feasible.Present(&classes.Classes, pl.room.Present[:0])
	s.scored = scoredClasses{classes, pl.room.Present}
	s.setWeightsByClasses(feasible, all)
	state.Write(preScoreStateKey, s)
	return nil, true
}

// scoresNegative reports whether scores may be negative.
func (q *constraintSet) scoresNegative() bool {
	return slices.ContainsFunc(q.constraints, func(c constraint) bool { return c.maxSkew < 1 })
}

// setWeightsByClasses is setWeights for nodes that are not listed.
func (s *preScoreState) setWeightsByClasses(feasible *reuse.Found, all []fwk.NodeInfo) {
	q := s.set
	q.scoring++
	sizes, scored := make([]int, len(q.constraints)), 0
	for _, class := range s.scored.present {
		if s.ignores(class) {
			s.ignoreAll(class, feasible, all)
			continue
		}
		nodes := feasible.Count(&s.scored.classes.Classes, class)
		scored += nodes
		for i := range q.constraints {
			if q.axisKind(i) == topology.PerNode {
				continue
			}
			switch domain, shared := s.scored.classes.CountingDomain(class, &s.views[i].AxisView); {
			case !shared:
				sizes[i] += nodes
			case q.firstSeen(i, domain):
				sizes[i]++
			}
		}
	}
	s.weigh(sizes, scored)
}

// ignoreAll names the feasible nodes of a class, as single nodes may be scored after all.
func (s *preScoreState) ignoreAll(class int32, feasible *reuse.Found, all []fwk.NodeInfo) {
	if s.ignored == nil {
		s.ignored = map[string]bool{}
	}
	for _, position := range feasible.In(&s.scored.classes.Classes, class) {
		s.ignored[all[position].Node().Name] = true
	}
}

// ignores reports whether nodes of a class are ignored, as they lack a key and every key is required.
func (s *preScoreState) ignores(class int32) bool {
	for i := range s.views {
		if _, has := s.scored.classes.Sum(class, &s.views[i].AxisView); !has && s.set.allKeys {
			return true
		}
	}
	return false
}

// ScoreClasses implements framework.ClassScore.
func (pl *PodTopologySpread) ScoreClasses(state fwk.CycleState, _ *reuse.Found) (reuse.Scores, bool) {
	s, err := readPreScoreState(state)
	if err != nil || s.scored.classes == nil {
		return reuse.Scores{}, false
	}
	classes, present := s.scored.classes, s.scored.present
	scores := pl.room.Scores(classes)
	least, most := int64(math.MaxInt64), int64(0)
	for _, class := range present {
		if scores[class] = 0; !s.ignores(class) {
			scores[class] = s.scoreClass(class)
			least, most = min(least, scores[class]), max(most, scores[class])
		}
	}
	for _, class := range present {
		if !s.ignores(class) {
			scores[class] = normalized(scores[class], least, most)
		}
	}
	return reuse.Scores{Classes: &classes.Classes, Present: present, Score: scores}, true
}

// scoreClass is Score of the nodes of a class.
func (s *preScoreState) scoreClass(class int32) int64 {
	var score float64
	for i := range s.views {
		if sum, has := s.scored.classes.Sum(class, &s.views[i].AxisView); has {
			score += s.part(i, sum)
		}
	}
	return int64(math.Round(score))
}
