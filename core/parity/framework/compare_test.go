package framework

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func TestRuntime_SameCalls(t *testing.T) {
	snapshot := newNodes(nodeNames...)
	list, err := snapshot.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	high, _ := upframework.NewPodInfo(newPod("high", 5))
	low, _ := upframework.NewPodInfo(newPod("low", -5))
	s := environment{snapshot, list, nominator{"n2": {low, high}, "n3": {low}}}
	became := difftest.Coverage{}
	count := difftest.Cases[cast]{
		Draw:   newCast,
		Differ: func(c cast) string { return s.compare(c, high, became) },
	}.Check(t, comparisons.Framework.Cases)
	became.Require(t, count, "profiles", "rejected with the same error")
}

// compare builds a profile of the cast on both sides, runs it, and returns how they differ.
func (s environment) compare(c cast, other fwk.PodInfo, became difftest.Coverage) string {
	plugins := []fwk.Plugin{sorter{}}
	for _, p := range c.plugins {
		plugins = append(plugins, p)
	}
	theirs, ours, theirErr, ourErr := s.build(plugins, c.configuration)
	if fmt.Sprint(theirErr) != fmt.Sprint(difftest.FirstMistake(ourErr)) {
		return fmt.Sprintf("kube-scheduler returned %v, Orrery %v", theirErr, ourErr)
	}
	if theirErr != nil {
		became["rejected with the same error"]++
		return ""
	}
	became["profiles"]++
	if diff := cmp.Diff(s.play(theirs, other, c.log), s.play(ours, other, c.log)); diff != "" {
		return "(-kube-scheduler +Orrery)\n" + diff
	}
	return ""
}

// play runs every extension point once, and records the results and the calls.
func (s environment) play(r running, other fwk.PodInfo, log *callLog) []string {
	log.take()
	pod, state := newPod("in", 0), r.newState()
	filters, scorers := r.enabled()
	lines := []string{fmt.Sprint(filters, scorers)}
	lines = append(lines, s.search(r, state, pod, other)...)
	lines = append(lines, words(r.RunPreScorePlugins(ctx, state, pod, s.nodes)), fmt.Sprint(sets.List(state.GetSkipScorePlugins())))
	scores, status := r.RunScorePlugins(ctx, state, pod, s.nodes)
	lines = append(lines, words(status), totals(scores), words(r.reserve(state, pod)), words(r.permit(state, pod)))
	if waiting := r.GetWaitingPod("in"); waiting != nil {
		pending := waiting.GetPendingPlugins()
		slices.Sort(pending)
		lines = append(lines, fmt.Sprint(pending))
		waiting.Reject("test", "is over") // ends upstream's timers
	}
	lines = append(lines, words(r.RunPreBindPreFlights(ctx, state, pod, "n1")), words(r.RunPreBindPlugins(ctx, state, pod, "n1")),
		words(r.RunBindPlugins(ctx, state, pod, "n1")))
	r.RunPostBindPlugins(ctx, state, pod, "n1")
	r.unreserve(state, pod)
	return append(lines, log.take()...)
}

func (s environment) search(r running, state fwk.CycleState, pod *v1.Pod, other fwk.PodInfo) (lines []string) {
	result, status, narrowing := r.RunPreFilterPlugins(ctx, state, pod)
	lines = append(lines, words(status), fmt.Sprint(sets.List(narrowing), sets.List(state.GetSkipFilterPlugins())))
	if !result.AllNodes() {
		lines = append(lines, fmt.Sprint(sets.List(result.NodeNames)))
	}
	for _, node := range s.nodes {
		lines = append(lines, words(r.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)))
	}
	lines = append(lines, words(r.RunPreFilterExtensionRemovePod(ctx, state, pod, other, s.nodes[0])))
	made, status := r.RunPostFilterPlugins(ctx, state, pod, nil)
	lines = append(lines, words(status))
	if made != nil && made.NominatingInfo != nil {
		lines = append(lines, fmt.Sprint(*made.NominatingInfo))
	}
	return lines
}

// totals prints scores, without the raw ones, which Orrery keeps elsewhere.
func totals(scores []fwk.NodePluginScores) (text string) {
	for _, of := range scores {
		text += fmt.Sprint(of.Name, of.Scores, of.TotalScore, " ")
	}
	return text
}

func words(s *fwk.Status) string {
	if s.IsSuccess() {
		return "Success"
	}
	if s.IsWait() { // nobody sees its message
		return s.Code().String()
	}
	return s.Code().String() + " by " + s.Plugin() + ": " + s.Message()
}
