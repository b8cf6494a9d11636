package interpodaffinity

import (
	"math"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
	"orrery/core/plugins/topology"
	"orrery/core/reuse"
)

var (
	_ framework.BulkFilter = &InterPodAffinity{}
	_ framework.BulkScore  = &InterPodAffinity{}
)

// rejections are those of Filter, as FilterPlaces numbers them.
var rejections = []*fwk.Status{affinityNotMatched, antiAffinityNotMatched, existingAntiAffinityNotMatched}

const (
	passes uint8 = iota
	rejectedAffinity
	rejectedAntiAffinity
	rejectedExistingAntiAffinity
)

// FilterPlaces implements framework.BulkFilter: the sums of a cycle without hypothetical pods are compared with zero.
func (pl *InterPodAffinity) FilterPlaces(state fwk.CycleState, places []reuse.Place, verdicts []uint8) ([]*fwk.Status, bool) {
	s, err := readPreFilterState(state)
	if err != nil || len(s.changes) > 0 {
		return nil, false
	}
	columns, ok := s.index.Columns(s.revision)
	if !ok {
		return nil, false
	}
	matched := topology.Bounds{Least: 1, Most: math.MaxInt64}
	if s.selfMatch && s.noMatches() {
		matched.Least = math.MinInt64
	}
	for i := range s.views[affinity] {
		columns.Reject(&s.views[affinity][i], places, verdicts, matched, rejectedAffinity, rejectedAffinity)
	}
	s.rejectConflicts(columns, antiAffinity, places, verdicts, rejectedAntiAffinity)
	s.rejectConflicts(columns, existingAntiAffinity, places, verdicts, rejectedExistingAntiAffinity)
	return rejections, true
}

// rejectConflicts rejects the nodes of which a domain has a count of a forbidding kind.
func (s *preFilterState) rejectConflicts(columns topology.Columns, kind kind, places []reuse.Place, verdicts []uint8, rejected uint8) {
	none := topology.Bounds{Least: math.MinInt64, Most: 0}
	for i := range s.views[kind] {
		if v := &s.views[kind][i]; v.Hits > 0 {
			columns.Reject(v, places, verdicts, none, passes, rejected)
		}
	}
}

// scoreRoom is memory for the scores of many nodes.
type scoreRoom struct {
	sums       []int64
	conversion framework.ScoreConversion
}

// ScorePlaces implements framework.BulkScore.
func (pl *InterPodAffinity) ScorePlaces(state fwk.CycleState, places []reuse.Place, scores []int64) bool {
	s, err := readPreScoreState(state)
	if err != nil {
		return false
	}
	columns, ok := s.index.Columns(s.revision)
	if !ok {
		return false
	}
	clear(scores)
	room := &pl.room
	room.sums = append(room.sums[:0], make([]int64, len(places))...)
	for i := range s.views {
		columns.Sums(&s.views[i], places, room.sums)
		for j, sum := range room.sums {
			if sum != topology.Lacking {
				scores[j] += sum
			}
		}
	}
	least, most := extremes(scores)
	room.conversion.Convert(scores, least, most, func(score int64) int64 { return normalized(score, least, most) })
	return true
}

func extremes(scores []int64) (least, most int64) {
	least, most = math.MaxInt64, math.MinInt64
	for _, score := range scores {
		least, most = min(least, score), max(most, score)
	}
	return least, most
}
