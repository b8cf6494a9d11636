package plugintest

import (
	"context"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// TB is what a Fixture needs of a test, testing's or rapid's.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Plugin is a plugin that filters and scores and depends on the whole cluster.
type Plugin interface {
	fwk.PreFilterPlugin
	fwk.FilterPlugin
	fwk.PreScorePlugin
	fwk.ScorePlugin
}

// Fixture is a plugin and a cluster.
type Fixture struct {
	// Objects are those of the cluster except nodes and pods.
	Objects informers.SharedInformerFactory
	nodes   fwk.SharedLister
	plugin  Plugin
}

// NewFixture makes a plugin for a cluster of nodes.
func NewFixture(t TB, nodes fwk.SharedLister, newPlugin func(fwk.Handle) (fwk.Plugin, error)) *Fixture {
	t.Helper()
	objects := informers.NewSharedInformerFactory(nil, 0)
	made, err := newPlugin(Handle{Nodes: nodes, Objects: objects})
	if err != nil {
		t.Fatalf("making the plugin: %v", err)
	}
	return &Fixture{Objects: objects, nodes: nodes, plugin: made.(Plugin)}
}

// Handle gives a plugin its snapshot and informers; either may be nil.
type Handle struct {
	fwk.Handle
	Nodes   fwk.SharedLister
	Objects informers.SharedInformerFactory
}

// SnapshotSharedLister returns the nodes.
func (h Handle) SnapshotSharedLister() fwk.SharedLister { return h.Nodes }

// SharedInformerFactory returns the objects.
func (h Handle) SharedInformerFactory() informers.SharedInformerFactory { return h.Objects }

// SharedCSIManager returns the CSINodes among the objects.
func (h Handle) SharedCSIManager() fwk.CSIManager { return framework.CSINodes(h.Objects) }

func (s *Fixture) list(t TB) []fwk.NodeInfo {
	t.Helper()
	nodes, err := s.nodes.NodeInfos().List()
	if err != nil {
		t.Fatalf("listing the nodes: %v", err)
	}
	return nodes
}

// RunPreFilter begins a scheduling cycle.
func (s *Fixture) RunPreFilter(t TB, pod *v1.Pod) (fwk.CycleState, *fwk.Status) {
	t.Helper()
	state := framework.NewCycleState()
	_, status := s.plugin.PreFilter(context.Background(), state, pod, s.list(t))
	return state, status
}

// FilterAll filters from the beginning, and has the verdict on each node: nothing for a pass.
func (s *Fixture) FilterAll(t TB, pod *v1.Pod) map[string]string {
	t.Helper()
	state, status := s.RunPreFilter(t, pod)
	if !status.IsSuccess() && !status.IsSkip() {
		t.Fatalf("PreFilter returned %s", StatusText(status))
	}
	if status.IsSkip() {
		all := map[string]string{}
		for _, node := range s.list(t) {
			all[node.Node().Name] = ""
		}
		return all
	}
	return s.FilterWith(t, state, pod)
}

// FilterWith are those of a cycle that has begun.
func (s *Fixture) FilterWith(t TB, state fwk.CycleState, pod *v1.Pod) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, node := range s.list(t) {
		status := s.plugin.Filter(context.Background(), state, pod, node)
		if !status.IsSuccess() && status.Plugin() != s.plugin.Name() {
			t.Errorf("the verdict on %s is not signed by the plugin", node.Node().Name)
		}
		all[node.Node().Name] = RejectionText(status)
	}
	return all
}

// RejectionText is what a status says against something: nothing if it is a success.
func RejectionText(status *fwk.Status) string {
	if status.IsSuccess() {
		return ""
	}
	return StatusText(status)
}

// FeasibleNodes are the names of the nodes that a pod may go to, in order.
func (s *Fixture) FeasibleNodes(t TB, pod *v1.Pod) string {
	t.Helper()
	return FeasibleIn(s.FilterAll(t, pod))
}

// FeasibleIn returns the names of the nodes without a rejection.
func FeasibleIn(verdicts map[string]string) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		if verdicts[name] == "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// ScoreAll scores all nodes and normalizes the scores. Both results are nil if PreScore returned Skip.
func (s *Fixture) ScoreAll(t TB, pod *v1.Pod) (raw, normalized map[string]int64) {
	t.Helper()
	ctx, state := context.Background(), framework.NewCycleState()
	nodes := s.list(t)
	switch status := s.plugin.PreScore(ctx, state, pod, nodes); {
	case status.IsSkip():
		return nil, nil
	case !status.IsSuccess():
		t.Fatalf("PreScore returned %s", StatusText(status))
	}
	scores := make(fwk.NodeScoreList, len(nodes))
	for i, node := range nodes {
		score, status := s.plugin.Score(ctx, state, pod, node)
		if !status.IsSuccess() {
			t.Fatalf("Score of node %s returned %s", node.Node().Name, StatusText(status))
		}
		scores[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
	}
	raw = byName(scores)
	if status := s.plugin.ScoreExtensions().NormalizeScore(ctx, state, pod, scores); !status.IsSuccess() {
		t.Fatalf("NormalizeScore returned %s", StatusText(status))
	}
	return raw, byName(scores)
}

func byName(scores fwk.NodeScoreList) map[string]int64 {
	all := map[string]int64{}
	for _, score := range scores {
		all[score.Name] = score.Score
	}
	return all
}

// Schedule is a whole decision among the first nodes, as many as a search would find. It is what is measured.
func (s *Fixture) Schedule(t TB, pod *v1.Pod, found int) {
	ctx, state := context.Background(), framework.NewCycleState()
	nodes := s.list(t)
	s.plugin.PreFilter(ctx, state, pod, nodes)
	feasible := nodes[:found]
	for _, node := range feasible {
		s.plugin.Filter(ctx, state, pod, node)
	}
	if !s.plugin.PreScore(ctx, state, pod, feasible).IsSuccess() {
		return
	}
	scores := make(fwk.NodeScoreList, len(feasible))
	for i, node := range feasible {
		score, _ := s.plugin.Score(ctx, state, pod, node)
		scores[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
	}
	s.plugin.ScoreExtensions().NormalizeScore(ctx, state, pod, scores)
}
