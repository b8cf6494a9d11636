package shadow

import (
	"cmp"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/printable"
)

// compare fills in how the real node stands among the others.
func (f *Finding) compare(r *engine.Ranking) {
	f.Nodes, f.Feasible, f.Best = r.Nodes, len(r.Scores), r.Best()
	real, first := r.Of(f.Real), -1
	for i := range r.Scores {
		if r.Scores[i].TotalScore != f.Best {
			continue
		}
		if f.Tied++; f.Tied == 1 {
			first = i
		}
		if len(f.Ours) < oursMost {
			f.Ours = append(f.Ours, r.Scores[i].Name)
		}
	}
	if real != nil && first >= 0 {
		f.Score = real.TotalScore
		f.Margins = margins(r.Scores[first].Scores, real.Scores)
	}
}

// margins compares two nodes plugin by plugin.
func margins(best, real []fwk.PluginScore) []Margin {
	var list []Margin
	for i := range min(len(best), len(real)) {
		if ahead := best[i].Score - real[i].Score; ahead != 0 {
			list = append(list, Margin{best[i].Name, ahead})
		}
	}
	slices.SortStableFunc(list, func(a, b Margin) int { return cmp.Compare(b.Ahead, a.Ahead) })
	return list
}

// object fills in why the real node would not do; where none would, why not.
func (j *Judge) object(f *Finding) {
	if f.Real == "" || f.Margins != nil || f.Score != 0 {
		return
	}
	x, err := j.engine.Judge(f.Pod.Namespace, f.Pod.Name)
	if err != nil {
		return
	}
	for _, node := range x.Nodes {
		if node.Node != f.Real {
			continue
		}
		for _, s := range node.Said {
			if s.Code != fwk.Success && s.Code != fwk.Skip {
				f.Against = append(f.Against, objections(s, 1)...)
			}
		}
	}
	if len(f.Against) > 0 {
		return
	}
	for _, s := range x.Said {
		if s.Code != fwk.Success && s.Code != fwk.Skip {
			f.Against = append(f.Against, objections(s, f.Nodes)...)
		}
	}
}

func objections(s engine.Statement, nodes int) []Objection {
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

// sample tells whether the real node is the best of some part of the nodes that is as large as the other scheduler scores.
// It begins somewhere in the order of the nodes and takes those that would do as they come.
func (f *Finding) sample(r *engine.Ranking, percentage int) {
	f.Wanted = engine.FeasibleWanted(r.Nodes, percentage)
	n := len(r.Scores)
	if f.Real == "" || f.Wanted >= n {
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
	f.Sampled = run >= f.Wanted
}
