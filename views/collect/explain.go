package collect

import (
	"slices"
	"time"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"

	fwk "k8s.io/kube-scheduler/framework"
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
	if p := c.model.Placement; p != nil && p.AsDecided {
		return false
	}
	period := time.Duration(1+len(c.d.Nodes)/nodesPerSecond) * time.Second
	return now.Sub(c.at) >= period && c.shown >= minShown
}

// explanation is the diagnosis of a pod: of a placed one as it was decided, or as it would be now; nil for a pod of another scheduler.
func (c *Collector) explanation(e *engine.Engine, query Query) *views.Explanation {
	m := &c.diagnosis
	m.shown++
	of := diagnosed{query.Pod, isPlaced(e, query.Pod), query.AsNow}
	if pod := e.Store().Pod(of.pod.Namespace, of.pod.Name); pod != nil {
		of.pod.UID = pod.UID
	}
	another := m.model == nil || m.of != of
	if another || m.stale(e.Now()) {
		d, model, err := diagnoseAs(e, of, query)
		if err != nil {
			return nil
		}
		*m = diagnosisCache{of: of, at: e.Now(), d: d, model: model, made: m.made + 1}
		m.model.Searching = model.Placement == nil && (d.Decision.Verdict == engine.Unschedulable || inGang(e, query.Pod))
		delete(c.pickers, views.ExplainPane)
	}
	if m.model.Searching && !another { // the first explanation of a pod does not wait for this
		m.combine(e)
	}
	v := *m.model
	v.State = podStateAt(e.PodState(query.Pod.Namespace, query.Pod.Name))
	return &v
}

// isPlaced reports whether a pod of this scheduler has a node and its binding waits for nothing: then it is explained why it is there.
func isPlaced(e *engine.Engine, ref world.PodRef) bool {
	pod := e.Store().Pod(ref.Namespace, ref.Name)
	if pod == nil || e.Profile(pod.Spec.SchedulerName) == nil {
		return false
	}
	switch e.PodState(ref.Namespace, ref.Name) {
	case engine.StateBound:
		return true
	case engine.StateBinding:
		return !slices.ContainsFunc(e.Bindings(), func(b engine.BindingInFlight) bool { return b.Pod.UID == pod.UID && len(b.Objects) > 0 })
	}
	return false
}

// diagnoseAs diagnoses a pod. A placed one is diagnosed by the engine of its decision; without that, the log has the decision's
// result, and what the log has forgotten is only evaluated anew.
func diagnoseAs(e *engine.Engine, of diagnosed, query Query) (*diagnose.Diagnosis, *views.Explanation, error) {
	if !of.placed {
		d, err := diagnose.Pod(e, of.pod)
		if err != nil {
			return nil, nil, err
		}
		return d, explanationModel(d, e.Now()), nil
	}
	placement := views.Placement{Node: printable.Text(nodeOf(e, of.pod))}
	logged := placedDecision(e, of.pod)
	if logged != nil {
		placement.At, placement.Seq = logged.At, logged.Seq
	}
	if query.Past != nil {
		then, at, err := query.Past.BeforePlacement(of.pod.UID)
		if err != nil {
			return nil, nil, err
		}
		if then != nil {
			placement.At, placement.Seq = at, then.LastDecision()+1
			if !of.asNow {
				placement.AsDecided = true
				return diagnosePlaced(then, e, of.pod, placement)
			}
		}
	}
	if logged != nil && !of.asNow {
		placement.AsDecided, placement.FromLog = true, true
		return loggedDiagnosis(logged, placement)
	}
	return diagnosePlaced(e, e, of.pod, placement)
}

// diagnosePlaced diagnoses a placed pod by an engine: without what would help it.
func diagnosePlaced(by, now *engine.Engine, pod world.PodRef, placement views.Placement) (*diagnose.Diagnosis, *views.Explanation, error) {
	d, err := diagnose.Pod(by, pod)
	if err != nil {
		return nil, nil, err
	}
	if placement.AsDecided {
		d.Summary = d.Finding // without what it waited for then
	}
	v := explanationModel(d, now.Now())
	v.Placement, v.Remedies, v.Queue = &placement, nil, nil
	return d, v, nil
}

// loggedDiagnosis is what the log has of the decision that placed a pod.
func loggedDiagnosis(x *engine.Decision, placement views.Placement) (*diagnose.Diagnosis, *views.Explanation, error) {
	d := &diagnose.Diagnosis{Explanation: &engine.Explanation{Decision: *x}, Examined: x.Examined, Feasible: x.Feasible}
	d.Summary = d.PlacedSummary()
	v := explanationModel(d, x.At)
	v.Placement = &placement
	return d, v, nil
}

// placedDecision is the latest decision in the log that placed a pod; nil if there is none.
func placedDecision(e *engine.Engine, pod world.PodRef) *engine.Decision {
	for d := range e.Decisions() {
		if d.Pod.UID == pod.UID && d.Verdict == engine.Placed {
			return d
		}
	}
	return nil
}

// nodeOf is the node that a placed pod is on.
func nodeOf(e *engine.Engine, ref world.PodRef) string {
	pod := e.Store().Pod(ref.Namespace, ref.Name)
	if assumed, err := e.Cache().GetPod(pod); err == nil {
		return assumed.Spec.NodeName
	}
	return pod.Spec.NodeName
}

func inGang(e *engine.Engine, ref world.PodRef) bool {
	pod := e.Store().Pod(ref.Namespace, ref.Name)
	return pod != nil && pod.Spec.WorkloadRef != nil
}

// combine tries the remedies as their commands are run, with those of several changes, and adds the pod's gang.
func (m *diagnosisCache) combine(e *engine.Engine) {
	with := *m.model
	with.Searching = false
	tried := e.Store().Len(world.Pod) <= fix.ManyPods
	if tried {
		m.try(e, &with)
	}
	addGang(&with, e, m.of.pod, tried)
	m.model = &with
}

// try has the model show the fixes that help.
func (m *diagnosisCache) try(e *engine.Engine, v *views.Explanation) {
	fixes, err := fix.Of(e, m.d)
	if err != nil {
		return
	}
	v.Remedies = nil
	for _, f := range fixes {
		v.Remedies = append(v.Remedies, remedyOf(f.Text, f.Node, change.Words(f.Changes)))
	}
}

// addGang adds how far the pod's gang is, and what lets it go.
func addGang(v *views.Explanation, e *engine.Engine, ref world.PodRef, tried bool) {
	pod := e.Store().Pod(ref.Namespace, ref.Name)
	if pod == nil {
		return
	}
	g, err := diagnose.GangOfPod(e, pod)
	if g == nil || err != nil {
		return
	}
	var fixes []fix.Fix
	if tried {
		fixes = fix.OfGang(e, g)
	}
	v.Gang = chainLinks(g.Links())
	for _, f := range fixes {
		v.Remedies = append(v.Remedies, remedyOf(f.Text, "", change.Words(f.Changes)))
	}
}

func remedyOf(text, node, words string) views.Remedy {
	return views.Remedy{Text: printable.Text(text), Node: printable.Text(node), Change: printable.Text(words), Words: words}
}

// explanationModel is a diagnosis without its matrix.
func explanationModel(d *diagnose.Diagnosis, now time.Time) *views.Explanation {
	v := &views.Explanation{
		Pod: podName(d.Decision.Pod), State: podStateAt(d.State), Verdict: views.Verdict(d.Decision.Verdict), Node: printable.Text(d.Decision.Node),
		Summary: printable.Text(d.Summary), Nodes: d.Decision.Nodes, Feasible: d.Feasible, Examined: d.Examined, Kept: d.Kept.Nodes, At: now, Generation: d.Decision.Generation,
		Plugins: filtersOf(d.Explanation),
	}
	for i := range d.Reasons {
		addReason(v, d, &d.Reasons[i])
	}
	if unknown := unknownText(&d.Decision); unknown != "" {
		v.Facts, v.Undrawn = append(v.Facts, unknown), append(v.Undrawn, unknown)
	}
	if d.Storage != nil {
		v.Storage = chainLinks(d.Storage.Links(d.Summary))
	}
	if d.Devices != nil {
		v.Devices = chainLinks(d.Devices.Links(d.Summary))
	}
	if d.Eviction != nil {
		v.Preemption = appendTexts(nil, d.Eviction.Facts())
	}
	if d.Queue != nil {
		v.Queue = appendTexts(nil, d.Queue.Facts())
	}
	for _, r := range d.Remedies {
		v.Remedies = append(v.Remedies, remedyOf(r.Text, r.Node, r.Change.String()))
	}
	if d.Decision.Verdict == engine.Placed {
		v.Winner, v.RunnerUp = v.Node, printable.Text(d.Decision.RunnerUp)
		v.WinnerTotal, v.RunnerUpTotal = d.Decision.Score, d.Decision.RunnerUpScore
	}
	for _, s := range d.Scores {
		v.Scores = append(v.Scores, views.ScorePart(s))
	}
	return v
}

// addReason adds a reason with its evidence, but for what the summary or the chain of the storage says.
func addReason(v *views.Explanation, d *diagnose.Diagnosis, r *diagnose.Reason) {
	v.Reasons = append(v.Reasons, views.ReasonGroup{Plugin: r.Plugin, Reason: printable.Text(r.Message), Nodes: r.Nodes})
	if hint := r.Hint(); hint != "" {
		v.Hints = append(v.Hints, printable.Text(hint))
	}
	if r.Evidence == nil {
		return
	}
	inSummary := func(fact string) bool { return diagnose.Repeats(d.Summary, fact) }
	charts := chartsOf(r)
	v.Charts = append(v.Charts, charts...)
	facts := r.Evidence.Facts()
	v.Facts = appendTexts(v.Facts, slices.DeleteFunc(slices.Clone(facts), inSummary))
	if drawable, ok := r.Evidence.(diagnose.Drawable); ok {
		facts = drawable.FactsBeside(len(charts) > 0)
	}
	v.Undrawn = appendTexts(v.Undrawn, slices.DeleteFunc(slices.Clone(facts), inSummary))
}

// chainLinks is the chain of a pod's storage or devices.
func chainLinks(chain []diagnose.Link) []views.ChainLink {
	var links []views.ChainLink
	for _, l := range chain {
		links = append(links, views.ChainLink{Depth: l.Depth, Text: printable.Text(l.Says), Bad: l.Bad})
	}
	return links
}

// appendTexts adds the texts that are not there yet.
func appendTexts(to, texts []string) []string {
	for _, text := range texts {
		if text = printable.Text(text); !slices.Contains(to, text) {
			to = append(to, text)
		}
	}
	return to
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
