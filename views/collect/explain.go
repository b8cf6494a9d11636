package collect

import (
	"slices"
	"time"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/objects/workloads"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// diagnosisCache keeps the last diagnosis. A diagnosis forks the engine several times, so a pod is diagnosed again only after some
// of the engine's time, and not for every frame of a fast replay.
type diagnosisCache struct {
	of    diagnosed
	at    time.Time
	d     *diagnose.Diagnosis
	model *views.Explanation
	// made counts the diagnoses, shown how often the last one was shown.
	made  uint64
	shown int
}

// diagnosed is what a diagnosis is of: a pod, whether it has a node, and whether it is to be placed now all the same.
type diagnosed struct {
	pod           world.PodRef
	placed, asNow bool
}

// A diagnosis is shown at least minShown times, and for a second per nodesPerSecond nodes.
const (
	minShown       = 16
	nodesPerSecond = 500
)

// stale reports whether a diagnosis is old enough to be repeated; the limit grows with the cluster. That of the past never is.
func (c *diagnosisCache) stale(now time.Time) bool {
	if c.d.Evaluated.AsDecided {
		return false
	}
	period := time.Duration(1+len(c.d.Nodes)/nodesPerSecond) * time.Second
	return now.Sub(c.at) >= period && c.shown >= minShown
}

// explanation is the answer about a pod: of a placed one as it was decided, or as it would be now; nil for a pod that is gone.
func (c *Collector) explanation(e *engine.Engine, query Query) *views.Explanation {
	m := &c.diagnosis
	m.shown++
	pod := e.Store().Pod(query.Pod.Namespace, query.Pod.Name)
	if pod == nil {
		return nil
	}
	of := diagnosed{world.PodRefOf(pod), isPlaced(e.PodState(pod.Namespace, pod.Name)), query.AsNow}
	another := m.model == nil || m.of != of
	if another || m.stale(e.Now()) {
		q := diagnose.Question{Now: query.AsNow}
		if e.Store().Len(world.Pod) <= fix.ManyPods {
			q.Fixes = fix.Tries{}
		}
		if query.Past != nil {
			q.Past = query.Past
		}
		d, err := diagnose.Ask(e, of.pod, q)
		if err != nil {
			return nil
		}
		*m = diagnosisCache{of: of, at: e.Now(), d: d, model: explanationModel(d, e.Now()), made: m.made + 1}
		m.model.Searching = !of.placed && (d.Decision.Verdict == engine.Unschedulable || workloads.IsMember(pod))
		delete(c.pickers, views.ExplainPane)
	}
	if m.model.Searching && !another && m.d.Complete(e) == nil { // the first explanation of a pod does not wait for this
		m.model = explanationModel(m.d, m.at)
	}
	v := *m.model
	v.State = podStateAt(e.PodState(query.Pod.Namespace, query.Pod.Name))
	return &v
}

// isPlaced reports whether a pod has a node: then it is explained why it is there.
func isPlaced(state engine.PodState) bool {
	return state == engine.StateBound || state == engine.StateBinding
}

// explanationModel is an answer made printable, without its matrix.
func explanationModel(d *diagnose.Diagnosis, now time.Time) *views.Explanation {
	v := &views.Explanation{Answer: d.Answer, Verdict: views.Verdict(d.Decision.Verdict), At: now, Plugins: filtersOf(d.Explanation)}
	v.Remedies = slices.Clone(v.Remedies)
	if told, is := v.Gang.(*diagnose.ToldGang); is {
		for _, r := range told.Remedies {
			v.Remedies = append(v.Remedies, answer.Remedy{Change: r.Change, Text: r.Text})
		}
	}
	printable.Strings(v)
	return v
}

// filtersOf returns the Filter plugins with a status, in the order of their first.
func filtersOf(x *engine.Explanation) []string {
	var names []string
	for i := range x.Nodes {
		for _, s := range x.Nodes[i].Statuses {
			if !slices.Contains(names, s.Plugin) {
				names = append(names, s.Plugin)
			}
		}
	}
	return names
}

// chainLinks is a chain made printable.
func chainLinks(chain []answer.Link) []answer.Link {
	var links []answer.Link
	for _, l := range chain {
		links = append(links, answer.Link{Depth: l.Depth, Says: printable.Text(l.Says), Bad: l.Bad})
	}
	return links
}

func matrixRow(n *engine.NodeVerdict, plugins []string) views.MatrixRow {
	row := views.MatrixRow{Node: printable.Text(n.Node), Key: n.Node, Marks: make([]views.PluginMark, len(plugins)), Total: n.Total, Visited: n.Searched, Feasible: n.Feasible}
	for _, s := range n.Statuses {
		mark := views.Passes
		switch s.Code {
		case fwk.Success, fwk.Skip:
		case fwk.Error:
			mark = views.Errors
		default:
			mark = views.Rejects
		}
		row.Marks[slices.Index(plugins, s.Plugin)] = mark
		if len(s.Reasons) > 0 {
			row.RejectedBy, row.Reason = s.Plugin, printable.Text(s.Reasons[0])
		}
	}
	return row
}
