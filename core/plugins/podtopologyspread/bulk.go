package podtopologyspread

import (
	"context"
	"math"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
	"orrery/core/plugins/topology"
	"orrery/core/reuse"
)

var (
	_ framework.BulkFilter   = &PodTopologySpread{}
	_ framework.BulkPreScore = &PodTopologySpread{}
	_ framework.BulkScore    = &PodTopologySpread{}
)

// rejections are those of Filter, as FilterPlaces numbers them.
var rejections = []*fwk.Status{missingLabel, constraintsNotMatched}

const (
	rejectedMissingLabel uint8 = 1 + iota
	rejectedConstraints
)

// FilterPlaces implements framework.BulkFilter: the counts of a cycle without hypothetical pods are compared with the limits.
func (pl *PodTopologySpread) FilterPlaces(state fwk.CycleState, places []reuse.Place, verdicts []uint8) ([]*fwk.Status, bool) {
	s, err := readPreFilterState(state)
	if err != nil || len(s.changes) > 0 {
		return nil, false
	}
	columns, ok := s.index.Columns(s.revision)
	if !ok {
		return nil, false
	}
	for i := range s.views {
		pass := topology.Bounds{Least: math.MinInt64, Most: s.limits[i]}
		columns.Reject(&s.views[i].AxisView, places, verdicts, pass, rejectedMissingLabel, rejectedConstraints)
	}
	return rejections, true
}

// PreScorePlaces implements framework.BulkPreScore.
func (pl *PodTopologySpread) PreScorePlaces(_ context.Context, state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo, places []reuse.Place) *fwk.Status {
	return pl.preScore(state, pod, feasible, places)
}

// scoreRoom is memory for the scores of many nodes.
type scoreRoom struct {
	sums      []int64
	unrounded []float64
	table     framework.ScoreConversion
}

// ignoredScore marks a node that lacks a key that it needs. Adding to it leaves it as it is, and no other score is negative.
var ignoredScore = math.Inf(-1)

// ScorePlaces implements framework.BulkScore.
func (pl *PodTopologySpread) ScorePlaces(state fwk.CycleState, places []reuse.Place, scores []int64) bool {
	s, err := readPreScoreState(state)
	if err != nil {
		return false
	}
	columns, ok := s.index.Columns(s.revision)
	if !ok {
		return false
	}
	room := &pl.room
	room.unrounded = append(room.unrounded[:0], make([]float64, len(places))...)
	for i := range s.views {
		if s.set.constraints[i].maxSkew < 1 {
			return false // scores may be negative
		}
		s.addScores(i, columns, places, room)
	}
	least, most := roundScores(room.unrounded, scores)
	room.table.Convert(scores, least, most, func(score int64) int64 { return normalized(score, least, most) })
	for i, score := range room.unrounded {
		if score < 0 {
			scores[i] = 0
		}
	}
	return true
}

// addScores adds what one constraint adds to the scores. The sums are those of Score to the last bit: the same operations in the
// same order.
func (s *preScoreState) addScores(i int, columns topology.Columns, places []reuse.Place, room *scoreRoom) {
	if cap(room.sums) < len(places) {
		room.sums = make([]int64, len(places))
	}
	sums, to := room.sums[:len(places)], room.unrounded
	columns.Sums(&s.views[i].AxisView, places, sums)
	weight, skew := s.weights[i], float64(s.set.constraints[i].maxSkew-1)
	lacking := 0.0
	if s.set.allKeys {
		lacking = ignoredScore
	}
	for j, sum := range sums {
		if sum == topology.Lacking {
			to[j] += lacking
			continue
		}
		to[j] += float64(float64(sum)*weight) + skew
	}
}

// roundScores rounds scores as math.Round does, and returns the smallest and the largest of those that are not ignored.
func roundScores(unrounded []float64, scores []int64) (least, most int64) {
	least = math.MaxInt64
	for i, score := range unrounded {
		if score < 0 {
			scores[i] = 0
			continue
		}
		whole := int64(score)
		if score-float64(whole) >= 0.5 {
			whole++
		}
		scores[i] = whole
		least, most = min(least, whole), max(most, whole)
	}
	return least, most
}
