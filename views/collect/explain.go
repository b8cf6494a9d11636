package collect

import (
	"cmp"
	"slices"
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/filter"

	fwk "k8s.io/kube-scheduler/framework"
)

// whyMemory keeps the last answer: asking forks the engine, so the same question is not asked again before a second of
// the engine's time has passed, and not for every frame of a recording that is played fast.
type whyMemory struct {
	pod  world.Ref
	at   time.Time
	x    *engine.Explanation
	text *views.Explanation
	// asked counts the questions, shown how often the answer was given.
	asked uint64
	shown int
}

const (
	whyPeriod = time.Second
	whyShown  = 16
)

// explanation is why a pod is, or would be, decided about as it is. It is nil for a pod that is not the engine's.
func (c *Collector) explanation(e *engine.Engine, look Look) *views.Explanation {
	m := &c.why
	m.shown++
	if m.text == nil || m.pod != look.Pod || (e.Now().Sub(m.at) >= whyPeriod && m.shown >= whyShown) {
		x, err := e.Explain(look.Pod.Namespace, look.Pod.Name)
		if err != nil {
			return nil
		}
		*m = whyMemory{pod: look.Pod, at: e.Now(), x: x, text: answer(e, x), asked: m.asked + 1}
		c.matrixNarrowed = narrowing[int]{}
	}
	v := *m.text
	v.Matrix = c.matrix(look, v.Plugins)
	return &v
}

// matrix is the nodes of the explanation that are on the screen, with every plugin's mark.
func (c *Collector) matrix(look Look, plugins []string) views.List[views.MatrixRow] {
	all := c.why.x.Nodes
	if look.plain() {
		first, end := look.window(len(all))
		l := views.List[views.MatrixRow]{First: first, Total: len(all), Rows: make([]views.MatrixRow, end-first)}
		for i := range l.Rows {
			l.Rows[i] = matrixRow(&all[first+i], plugins)
		}
		return l
	}
	compare := func(a, b int) int { return a - b }
	switch look.Sort {
	case "node":
		compare = func(a, b int) int { return cmp.Or(cmp.Compare(all[a].Node, all[b].Node), a-b) }
	case "score":
		compare = func(a, b int) int { return cmp.Or(cmp.Compare(all[b].Total, all[a].Total), a-b) }
	}
	places, first, left := c.matrixNarrowed.rows(look, list[int]{
		stamp: c.why.asked,
		all: func(into []int) []int {
			for i := range all {
				into = append(into, i)
			}
			return into
		},
		subject: func(s *filter.Subject, i *int) {
			n := &all[*i]
			s.Name, s.Words[0] = n.Node, verdictWords[n.Feasible]
			for _, said := range n.Said {
				if len(said.Reasons) > 0 {
					s.Words[1], s.Words[2] = said.Plugin, said.Reasons[0]
				}
			}
		},
		compare: compare,
	})
	c.narrowed = left
	l := views.List[views.MatrixRow]{First: first, Total: left.Matches, Rows: make([]views.MatrixRow, len(places))}
	for i, at := range places {
		l.Rows[i] = matrixRow(&all[at], plugins)
	}
	return l
}

var verdictWords = map[bool]string{true: "feasible", false: "rejected"}

// answer is an explanation without its matrix.
func answer(e *engine.Engine, x *engine.Explanation) *views.Explanation {
	d := &x.Decision
	v := &views.Explanation{
		Pod: podName(d.Pod), State: place(x.Place), Verdict: views.Verdict(d.Verdict), Node: printable.Text(d.Node),
		Nodes: d.Nodes, Asked: e.Now(), Generation: d.Generation,
	}
	for i := range x.Nodes {
		if x.Nodes[i].Feasible {
			v.Feasible++
		}
	}
	for _, r := range d.Rejections {
		v.Reasons = append(v.Reasons, views.ReasonGroup{Plugin: r.Plugin, Reason: printable.Text(r.Reason), Nodes: r.Nodes})
	}
	slices.SortStableFunc(v.Reasons, func(a, b views.ReasonGroup) int { return cmp.Compare(b.Nodes, a.Nodes) })
	v.Plugins = filtersOf(x)
	if d.Verdict == engine.Placed {
		placed(v, x)
		return v
	}
	hindrances := soleHindrances(x)
	v.Cause, v.Fixes = cause(e, x, hindrances)
	return v
}

// placed tells why the winner won.
func placed(v *views.Explanation, x *engine.Explanation) {
	d := &x.Decision
	v.Winner, v.RunnerUp = v.Node, printable.Text(d.RunnerUp)
	v.WinnerTotal, v.RunnerUpTotal = d.Score, d.RunnerUpScore
	if d.RunnerUp == "" {
		v.Cause = "the only one of " + nodes(d.Examined) + " looked at that would do"
		return
	}
	won, next := verdictOf(x, d.Node), verdictOf(x, d.RunnerUp)
	for _, margin := range x.Lost {
		v.Scores = append(v.Scores, views.ScorePart{Plugin: margin.Plugin, Winner: weighted(won, margin.Plugin), RunnerUp: weighted(next, margin.Plugin)})
	}
	if ahead := d.Score - d.RunnerUpScore; ahead == 0 {
		v.Cause = "one of several best: " + v.RunnerUp + " has as many points"
	} else {
		v.Cause = inPoints(ahead) + " ahead of " + v.RunnerUp + ", most by " + x.Lost[0].Plugin
	}
}

func verdictOf(x *engine.Explanation, node string) *engine.NodeVerdict {
	i := slices.IndexFunc(x.Nodes, func(n engine.NodeVerdict) bool { return n.Node == node })
	if i < 0 {
		return &engine.NodeVerdict{}
	}
	return &x.Nodes[i]
}

func weighted(n *engine.NodeVerdict, plugin string) int64 {
	for _, s := range n.Scores {
		if s.Plugin == plugin {
			return s.Weighted()
		}
	}
	return 0
}

// filtersOf are the Filter plugins that said anything, in the order in which they first did.
func filtersOf(x *engine.Explanation) []string {
	var names []string
	for i := range x.Nodes {
		for _, s := range x.Nodes[i].Said {
			if !slices.Contains(names, s.Plugin) {
				names = append(names, s.Plugin)
			}
		}
	}
	return names
}

func matrixRow(n *engine.NodeVerdict, plugins []string) views.MatrixRow {
	row := views.MatrixRow{Node: printable.Text(n.Node), Key: n.Node, Marks: make([]views.PluginMark, len(plugins)), Total: n.Total, Searched: n.Searched}
	for _, s := range n.Said {
		mark := views.Passes
		switch s.Code {
		case fwk.Success, fwk.Skip:
		case fwk.Error:
			mark = views.Errors
		default:
			mark = views.Rejects
		}
		row.Marks[slices.Index(plugins, s.Plugin)] = mark
	}
	return row
}
