package plugintest

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
	"orrery/core/reuse"
)

// PlacedNodes is a snapshot that knows the places of its nodes.
type PlacedNodes interface {
	fwk.SharedLister
	Places() []reuse.Place
}

// CompareBulk compares what a plugin says of many nodes at once with what it says of each: the verdicts on all nodes, and the
// scores of some. The plugin has to be a framework.BulkFilter and a framework.BulkScore.
func (s *Fixture) CompareBulk(t TB, pod *v1.Pod, scored func(node int) bool) {
	t.Helper()
	all := s.nodes.(PlacedNodes).Places()
	if len(all) == 0 {
		return
	}
	s.compareVerdicts(t, pod, all)
	var nodes []fwk.NodeInfo
	var places []reuse.Place
	for i, node := range s.list(t) {
		if scored(i) {
			nodes, places = append(nodes, node), append(places, all[i])
		}
	}
	s.compareScores(t, pod, nodes, places)
}

func (s *Fixture) compareVerdicts(t TB, pod *v1.Pod, places []reuse.Place) {
	t.Helper()
	state, status := s.RunPreFilter(t, pod)
	if !status.IsSuccess() {
		return
	}
	verdicts := make([]uint8, len(places))
	rejections, ok := s.plugin.(framework.BulkFilter).FilterPlaces(state, places, verdicts)
	if !ok {
		t.Fatalf("the plugin does not judge the nodes of the snapshot at once")
	}
	for i, node := range s.list(t) {
		var got *fwk.Status
		if verdicts[i] > 0 {
			got = rejections[verdicts[i]-1]
		}
		if want := s.plugin.Filter(context.Background(), state, pod, node); want != got {
			t.Fatalf("on %s, Filter says %q, FilterPlaces %q", node.Node().Name, RejectionText(want), RejectionText(got))
		}
	}
}

// compareScores scores the nodes twice: one by one, and at once.
func (s *Fixture) compareScores(t TB, pod *v1.Pod, nodes []fwk.NodeInfo, places []reuse.Place) {
	t.Helper()
	ctx := context.Background()
	begin := func(preScore func(state fwk.CycleState) *fwk.Status) (fwk.CycleState, *fwk.Status) {
		state, _ := s.RunPreFilter(t, pod)
		return state, preScore(state)
	}
	state, status := begin(func(state fwk.CycleState) *fwk.Status { return s.plugin.PreScore(ctx, state, pod, nodes) })
	if !status.IsSuccess() {
		return
	}
	want := make(fwk.NodeScoreList, len(nodes))
	for i, node := range nodes {
		score, _ := s.plugin.Score(ctx, state, pod, node)
		want[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
	}
	s.plugin.ScoreExtensions().NormalizeScore(ctx, state, pod, want)
	state, _ = begin(func(state fwk.CycleState) *fwk.Status {
		if bulk, ok := s.plugin.(framework.BulkPreScore); ok {
			return bulk.PreScorePlaces(ctx, state, pod, nodes, places)
		}
		return s.plugin.PreScore(ctx, state, pod, nodes)
	})
	got := make([]int64, len(places))
	for i := range got {
		got[i] = -7 // not what the plugin may expect to find
	}
	if !s.plugin.(framework.BulkScore).ScorePlaces(state, places, got) {
		t.Fatalf("the plugin does not score the nodes of the snapshot at once")
	}
	for i, score := range got {
		if score != want[i].Score {
			t.Fatalf("%s has the score %d, and %d with the others", want[i].Name, want[i].Score, score)
		}
	}
}
