package plugintest

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

// PlacedNodes is a snapshot that knows the places of its nodes.
type PlacedNodes interface {
	fwk.SharedLister
	reuse.Changes
	Places() []reuse.Place
}

// CompareClasses compares what a plugin says of classes of nodes with what it says of each node: the verdicts on all nodes, and the
// scores of some. The plugin has to be a framework.ClassFilter and a framework.ClassScore.
func (s *Fixture) CompareClasses(t TB, pod *v1.Pod, scored func(node int) bool) {
	t.Helper()
	if len(s.list(t)) == 0 {
		return
	}
	s.compareVerdicts(t, pod)
	s.compareScores(t, pod, s.found(t, scored))
}

func (s *Fixture) compareVerdicts(t TB, pod *v1.Pod) {
	t.Helper()
	state, status := s.RunPreFilter(t, pod)
	if !status.IsSuccess() {
		return
	}
	if !CompareVerdicts(t, s.plugin.(framework.ClassFilter), state, pod, s.list(t)) {
		t.Fatalf("the plugin does not evaluate the classes of the snapshot's nodes")
	}
}

// CompareVerdicts compares what a plugin says of classes of nodes in a cycle with what it says of each node of the snapshot. It reports
// whether the plugin evaluates classes.
func CompareVerdicts(t TB, plugin framework.ClassFilter, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (evaluated bool) {
	t.Helper()
	v, ok := plugin.FilterClasses(state)
	if !ok {
		return false
	}
	for i, node := range nodes {
		var got *fwk.Status
		if verdict := v.Verdicts[v.Classes.Of(i)]; verdict > 0 {
			got = v.Rejections[verdict-1]
		}
		if want := plugin.Filter(context.Background(), state, pod, node); RejectionText(want) != RejectionText(got) {
			t.Fatalf("on %s, Filter says %q, FilterClasses %q", node.Node().Name, RejectionText(want), RejectionText(got))
		}
	}
	return true
}

// found is a search that finds some nodes feasible.
func (s *Fixture) found(t TB, feasible func(node int) bool) *reuse.Found {
	t.Helper()
	all := s.nodes.(PlacedNodes)
	tables, found := reuse.New(1<<30), &reuse.Found{}
	tables.Find(nil, 0, 0)
	numbers := 0
	for _, place := range all.Places() {
		numbers = max(numbers, int(place.Number)+1)
	}
	table := tables.Find(nil, numbers, 0)
	table.Follow(all.Places(), all, 0)
	found.Begin(table, chosen{feasible}, 0, len(all.Places()))
	found.EvaluateAlone(nil, true)
	if err := found.Search(); err != nil {
		t.Fatalf("searching: %v", err)
	}
	return found
}

// chosen evaluates nodes as a test wishes.
type chosen struct{ feasible func(node int) bool }

func (chosen) Evaluate(int, *reuse.Cell) bool             { return false }
func (chosen) Rate(int, *reuse.Cell) bool                 { return false }
func (c chosen) EvaluateAlone(position int) (bool, error) { return c.feasible(position), nil }

// compareScores scores the nodes twice: one by one, and by classes.
func (s *Fixture) compareScores(t TB, pod *v1.Pod, found *reuse.Found) {
	t.Helper()
	ctx := context.Background()
	list := s.list(t)
	var positions []int
	var nodes []fwk.NodeInfo
	for position, feasible := range found.Visits() {
		if feasible {
			positions, nodes = append(positions, position), append(nodes, list[position])
		}
	}
	if len(nodes) == 0 {
		return
	}
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
		if plugin, ok := s.plugin.(framework.ClassPreScore); ok {
			status, ok := plugin.PreScoreClasses(ctx, state, pod, found)
			if !ok {
				t.Fatalf("the plugin does not prepare for the classes of the snapshot's nodes")
			}
			return status
		}
		return s.plugin.PreScore(ctx, state, pod, nodes)
	})
	got, ok := s.plugin.(framework.ClassScore).ScoreClasses(state, found)
	if !ok {
		t.Fatalf("the plugin does not score the classes of the snapshot's nodes")
	}
	for i, position := range positions {
		if score := got.Score[got.Classes.Of(position)]; score != want[i].Score {
			t.Fatalf("%s has the score %d, and %d by its class", want[i].Name, want[i].Score, score)
		}
	}
}
