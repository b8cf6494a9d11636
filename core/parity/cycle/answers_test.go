package cycle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// answers are all results of a host for one pod, by extension point. The keys name plugin and node.
type answers struct {
	PreFilter, Filter, PreScore, Scores map[string]string
	Search                              map[string]string // by node, and of PreFilter as a whole
	Totals                              map[string]int64
	Parts                               map[string]int64
	Best                                []string
	PostFilter                          string
}

// statusText formats a status. Its reasons are sorted, since kube-scheduler names extended resources in random order.
func statusText(s *fwk.Status) string {
	if s.IsSuccess() {
		return "Success"
	}
	reasons := make([]string, len(s.Reasons()))
	for i, reason := range s.Reasons() {
		reasons[i] = inOrder(reason)
	}
	slices.Sort(reasons)
	return fmt.Sprintf("%s %q", s.Code(), reasons)
}

// statusTextWithPlugin formats a status with the plugin that returned it.
func statusTextWithPlugin(s *fwk.Status) string {
	if s.IsSuccess() {
		return statusText(s)
	}
	return statusText(s) + " by " + s.Plugin()
}

var ctx = withPoolOrder(context.Background())

// postFilter has the state of a host's cycle, the statuses of rejected nodes, and the result of preemption.
type postFilter struct {
	state     fwk.CycleState
	statuses  fwk.NodeToStatusReader
	nominated string
	victims   []string
}

// answer runs all extension points of a host for a pod.
func (h *host) answer(pod *v1.Pod) (*answers, *postFilter) {
	a := &answers{
		PreFilter: map[string]string{}, Filter: map[string]string{}, PreScore: map[string]string{}, Scores: map[string]string{},
		Search: map[string]string{}, Totals: map[string]int64{}, Parts: map[string]int64{},
	}
	nodes := h.nodes()
	h.runPlugins(a, pod, nodes)
	state := h.newState()
	feasible, statuses := h.search(a, state, pod, nodes)
	after := &postFilter{state: state, statuses: statuses}
	if strings.HasPrefix(a.Search["PreFilter"], fwk.Error.String()) {
		return a, after // the cycle ends with an error
	}
	if strings.HasPrefix(a.Search["PreFilter"], "Success") { // else some plugins have no state for the pod
		h.score(a, state, pod, h.nodesToScore(feasible, nodes))
	}
	// After the scores: preemption filters nodes again, in kube-scheduler from a random one on, and VolumeBinding scores what was
	// found for a node.
	if len(feasible) == 0 && h.runtime.HasPostFilterPlugins() {
		h.client.calls = nil
		result, status := h.runtime.RunPostFilterPlugins(ctx, state, pod, statuses)
		a.PostFilter = statusText(status)
		if result == nil {
			a.PostFilter += ", no nominating info"
		} else if after.nominated = result.NominatingInfo.NominatedNodeName; after.nominated == "" {
			a.PostFilter += ", clears the nomination"
		}
		after.victims = h.preempted(state)
	}
	return a, after
}

// nodesToScore returns the feasible nodes, or all nodes if fewer than two are feasible, so that scores are compared often.
func (h *host) nodesToScore(feasible, all []fwk.NodeInfo) []fwk.NodeInfo {
	if len(feasible) > 1 {
		return feasible
	}
	return all
}

// runPlugins runs every plugin by itself, regardless of the other plugins' results.
func (h *host) runPlugins(a *answers, pod *v1.Pod, nodes []fwk.NodeInfo) {
	state := h.newState()
	var feasible []fwk.NodeInfo
	rejected := sets.New[string]()
	skipped := sets.New[string]()
	for _, name := range slices.Sorted(maps.Keys(h.plugins)) {
		pre, ok := h.plugins[name].(fwk.PreFilterPlugin)
		if !ok {
			continue
		}
		result, status := pre.PreFilter(ctx, state, pod, nodes)
		a.PreFilter[name] = statusText(status)
		if !result.AllNodes() {
			a.PreFilter[name] += fmt.Sprint(" on ", sets.List(result.NodeNames))
		}
		if !status.IsSuccess() {
			skipped.Insert(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.plugins)) {
		filter, ok := h.plugins[name].(fwk.FilterPlugin)
		if !ok || skipped.Has(name) {
			continue
		}
		for _, node := range nodes {
			status := filter.Filter(ctx, state, pod, node)
			a.Filter[name+" on "+node.Node().Name] = statusText(status)
			if !status.IsSuccess() {
				rejected.Insert(node.Node().Name)
			}
		}
	}
	for _, node := range nodes {
		if !rejected.Has(node.Node().Name) {
			feasible = append(feasible, node)
		}
	}
	h.runScores(a, state, pod, h.nodesToScore(feasible, nodes))
}

func (h *host) runScores(a *answers, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) {
	for _, name := range slices.Sorted(maps.Keys(h.plugins)) {
		if pre, ok := h.plugins[name].(fwk.PreScorePlugin); ok {
			status := pre.PreScore(ctx, state, pod, nodes)
			a.PreScore[name] = statusText(status)
			if !status.IsSuccess() {
				continue
			}
		}
		scorer, ok := h.plugins[name].(fwk.ScorePlugin)
		if !ok {
			continue
		}
		list := make(fwk.NodeScoreList, len(nodes))
		var raw []int64
		for i, node := range nodes {
			score, status := scorer.Score(ctx, state, pod, node)
			if !status.IsSuccess() {
				a.Scores[name+" on "+node.Node().Name] = statusText(status)
			}
			raw = append(raw, score)
			list[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
		}
		if extensions := scorer.ScoreExtensions(); extensions != nil {
			a.Scores[name+" normalised"] = statusText(extensions.NormalizeScore(ctx, state, pod, list))
		}
		for i, score := range list {
			a.Scores[fmt.Sprint(name, " for ", score.Name)] = fmt.Sprintf("%d, normalised %d", raw[i], score.Score)
		}
	}
}

// search runs PreFilter and Filter as a scheduling cycle does, on all nodes.
func (h *host) search(a *answers, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (feasible []fwk.NodeInfo, statuses statusMap) {
	statuses = h.statuses()
	result, status, narrowing := h.runtime.RunPreFilterPlugins(ctx, state, pod)
	a.Search["PreFilter"] = fmt.Sprint(statusTextWithPlugin(status), sets.List(narrowing), sets.List(state.GetSkipFilterPlugins()))
	if !result.AllNodes() {
		a.Search["PreFilter"] += fmt.Sprint(" on ", sets.List(result.NodeNames))
	}
	if !status.IsSuccess() {
		statuses.(interface{ SetAbsentNodesStatus(*fwk.Status) }).SetAbsentNodesStatus(status)
		return nil, statuses
	}
	for _, node := range nodes {
		name := node.Node().Name
		if !result.AllNodes() && !result.NodeNames.Has(name) {
			continue
		}
		status := h.runtime.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
		a.Search[name] = statusTextWithPlugin(status)
		if status.IsSuccess() {
			feasible = append(feasible, node)
		} else {
			statuses.Set(name, status)
		}
	}
	return feasible, statuses
}

// score runs the Score plugins as a scheduling cycle does.
func (h *host) score(a *answers, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) {
	status := h.runtime.RunPreScorePlugins(ctx, state, pod, nodes)
	a.PreScore["all"] = statusText(status)
	if !status.IsSuccess() {
		return
	}
	scores, status := h.runtime.RunScorePlugins(ctx, state, pod, nodes)
	a.Scores["all"] = statusText(status)
	var best int64 = -1
	for _, node := range scores {
		a.Totals[node.Name] = node.TotalScore
		for _, part := range node.Scores {
			a.Parts[part.Name+" for "+node.Name] = part.Score
		}
		if node.TotalScore > best {
			best, a.Best = node.TotalScore, nil
		}
		if node.TotalScore == best {
			a.Best = append(a.Best, node.Name)
		}
	}
}
