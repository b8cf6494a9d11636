package shadow

import (
	"cmp"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
)

// compareNodes sets the real node's rank among the others.
func (f *Finding) compareNodes(r *engine.Ranking) {
	f.Nodes, f.Feasible, f.Best = r.Nodes, len(r.Scores), r.BestScore()
	chosen, first := r.ScoreOf(f.Real), -1
	for i := range r.Scores {
		if r.Scores[i].TotalScore != f.Best {
			continue
		}
		if f.Tied++; f.Tied == 1 {
			first = i
		}
		if len(f.BestNodes) < maxBestNodes {
			f.BestNodes = append(f.BestNodes, r.Scores[i].Name)
		}
	}
	if chosen != nil && first >= 0 {
		f.Score = chosen.TotalScore
		f.Margins = margins(r.Scores[first].Scores, chosen.Scores)
	}
}

// margins compares two nodes plugin by plugin.
func margins(best, chosen []fwk.PluginScore) []Margin {
	var list []Margin
	for i := range min(len(best), len(chosen)) {
		if ahead := best[i].Score - chosen[i].Score; ahead != 0 {
			list = append(list, Margin{best[i].Name, ahead})
		}
	}
	slices.SortStableFunc(list, func(a, b Margin) int { return cmp.Compare(b.Ahead, a.Ahead) })
	return list
}

// explainInfeasible sets why the real node is infeasible; if no node is feasible, why not.
func (j *Comparator) explainInfeasible(f *Finding) {
	if f.Real == "" || f.Margins != nil || f.Score != 0 {
		return
	}
	x, err := j.engine.ExplainPending(f.Pod.Namespace, f.Pod.Name)
	if err != nil {
		return
	}
	for _, node := range x.Nodes {
		if node.Node != f.Real {
			continue
		}
		for _, s := range node.Statuses {
			if s.Code != fwk.Success && s.Code != fwk.Skip {
				f.Objections = append(f.Objections, objectionsOf(s, 1)...)
			}
		}
	}
	if len(f.Objections) > 0 {
		return
	}
	for _, s := range x.Statuses {
		if s.Code != fwk.Success && s.Code != fwk.Skip {
			f.Objections = append(f.Objections, objectionsOf(s, f.Nodes)...)
		}
	}
}

func objectionsOf(s engine.PluginStatus, nodes int) []Objection {
	reasons := s.Reasons
	if len(reasons) == 0 {
		reasons = []string{s.Code.String()}
	}
	list := make([]Objection, 0, len(reasons))
	for _, reason := range reasons {
		list = append(list, Objection{Plugin: s.Plugin, Reason: printable.Line(reason, 200), Nodes: nodes})
	}
	return list
}

// checkSampled sets whether the real node is the best of a sample of the size that the other scheduler scores. A sample
// starts anywhere in the order of the nodes and takes feasible nodes in order.
func (f *Finding) checkSampled(r *engine.Ranking, percentage int) {
	f.SampleSize = engine.NumFeasibleNodesToFind(r.Nodes, percentage)
	n := len(r.Scores)
	if f.Real == "" || f.SampleSize >= n {
		return
	}
	at := slices.IndexFunc(r.Scores, func(s fwk.NodePluginScores) bool { return s.Name == f.Real })
	if at < 0 {
		return
	}
	run := 1
	for _, way := range []int{1, n - 1} {
		for i := (at + way) % n; i != at && run < n && r.Scores[i].TotalScore <= r.Scores[at].TotalScore; i = (i + way) % n {
			run++
		}
	}
	f.Sampled = run >= f.SampleSize
}
