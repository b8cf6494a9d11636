package local

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// answers are all results of a plugin for one pod and some nodes, as text.
type answers struct {
	PreEnqueue    string
	PreFilter     string
	Nodes         []string // those that PreFilter returns
	Filter        []string // by node
	FilterAlone   []string // by node, without PreFilter
	PreScore      string
	Raw           []int64
	RawAlone      []int64 // without PreScore
	Normalised    []int64
	Signature     map[string]string
	NotSigned     string
	ScoreStatuses []string // the statuses of Score and NormalizeScore
}

// statusText formats a status, with its reasons in order.
func statusText(status *fwk.Status) string {
	if status.IsSuccess() {
		return "Success"
	}
	reasons := slices.Sorted(slices.Values(status.Reasons()))
	return status.Code().String() + ": " + strings.Join(reasons, ", ")
}

// runAll calls all methods of a plugin. Every call of fresh returns an empty state.
func runAll(plugin fwk.Plugin, pod *v1.Pod, nodes []fwk.NodeInfo, fresh func() fwk.CycleState) answers {
	var a answers
	ctx := context.Background()
	if p, ok := plugin.(fwk.PreEnqueuePlugin); ok {
		a.PreEnqueue = statusText(p.PreEnqueue(ctx, pod))
	}
	state := fresh()
	if p, ok := plugin.(fwk.PreFilterPlugin); ok {
		result, status := p.PreFilter(ctx, state, pod, nodes)
		a.PreFilter = statusText(status)
		if !result.AllNodes() {
			a.Nodes = sets.List(result.NodeNames)
		}
	}
	if p, ok := plugin.(fwk.FilterPlugin); ok {
		for _, node := range nodes {
			if a.PreFilter == "" || a.PreFilter == "Success" {
				a.Filter = append(a.Filter, statusText(p.Filter(ctx, state, pod, node)))
			}
			a.FilterAlone = append(a.FilterAlone, statusText(p.Filter(ctx, fresh(), pod, node)))
		}
	}
	if p, ok := plugin.(fwk.ScorePlugin); ok {
		a.score(p, pod, nodes, state, fresh)
	}
	if p, ok := plugin.(fwk.SignPlugin); ok {
		a.sign(p, pod)
	}
	return a
}

func (a *answers) score(p fwk.ScorePlugin, pod *v1.Pod, nodes []fwk.NodeInfo, state fwk.CycleState, fresh func() fwk.CycleState) {
	ctx := context.Background()
	if pre, ok := p.(fwk.PreScorePlugin); ok {
		a.PreScore = statusText(pre.PreScore(ctx, state, pod, nodes))
	}
	var list fwk.NodeScoreList
	for _, node := range nodes {
		alone, status := p.Score(ctx, fresh(), pod, node)
		a.RawAlone = append(a.RawAlone, alone)
		a.ScoreStatuses = append(a.ScoreStatuses, statusText(status))
		if a.PreScore != "" && a.PreScore != "Success" {
			continue
		}
		score, status := p.Score(ctx, state, pod, node)
		a.Raw = append(a.Raw, score)
		a.ScoreStatuses = append(a.ScoreStatuses, statusText(status))
		list = append(list, fwk.NodeScore{Name: node.Node().Name, Score: score})
	}
	if extensions := p.ScoreExtensions(); extensions != nil && list != nil {
		a.ScoreStatuses = append(a.ScoreStatuses, statusText(extensions.NormalizeScore(ctx, state, pod, list)))
	}
	for _, score := range list {
		a.Normalised = append(a.Normalised, score.Score)
	}
}

func (a *answers) sign(p fwk.SignPlugin, pod *v1.Pod) {
	fragments, status := p.SignPod(context.Background(), pod)
	if !status.IsSuccess() {
		a.NotSigned = statusText(status)
		return
	}
	a.Signature = map[string]string{}
	for _, fragment := range fragments {
		value, err := json.Marshal(fragment.Value)
		if err != nil {
			panic(err)
		}
		a.Signature[fragment.Key] = string(value)
	}
}

// count counts the situations that were reached.
func (a *answers) count(plugin string) {
	short := func(words string) string { code, _, _ := strings.Cut(words, ":"); return code }
	for _, words := range a.Filter {
		count(plugin, "Filter", short(words), strconv.Itoa(strings.Count(words, ":")+strings.Count(words, ", ")), "reasons")
	}
	for point, words := range map[string]string{"PreEnqueue": a.PreEnqueue, "PreFilter": a.PreFilter, "PreScore": a.PreScore} {
		if words != "" {
			count(plugin, point, short(words))
		}
	}
	for range a.Raw {
		count(plugin, "Score")
	}
}
