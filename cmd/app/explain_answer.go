package app

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/queue"
	"orrery/core/whatif"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// explanationDocument is the answer of explain.
type explanationDocument struct {
	envelope
	Trace string `json:"trace"`
	// At is the moment that was asked about.
	At    moment      `json:"at"`
	Pod   podRef      `json:"pod"`
	Where whereabouts `json:"where"`
	// Asked is the moment at which the scheduler was asked: of a pod that was placed, that of the decision.
	Asked askedAt `json:"asked"`

	Verdict    string      `json:"verdict"`
	Cause      string      `json:"cause"`
	Help       []string    `json:"help"`
	Fixes      []fix       `json:"fixes"`
	Message    string      `json:"message,omitempty"`
	Nodes      nodeCounts  `json:"nodes"`
	Reasons    []reason    `json:"reasons"`
	Statements []statement `json:"statements"`
	Preemption *preemption `json:"preemption,omitempty"`
	Winner     *scoredNode `json:"winner,omitempty"`
	RunnerUp   *scoredNode `json:"runnerUp,omitempty"`
	Margins    []margin    `json:"margins,omitempty"`
	// NodeVerdict is about the node that was asked for.
	NodeVerdict *nodeVerdict `json:"nodeVerdict,omitempty"`
	// Source is the cluster that was asked.
	Source *sourceDocument `json:"source,omitempty"`

	start, at time.Time
}

// whereabouts say where a pod is.
type whereabouts struct {
	State    string   `json:"state"`
	Node     string   `json:"node,omitempty"`
	Since    moment   `json:"since,omitempty"`
	Attempts int      `json:"attempts"`
	RetryAt  moment   `json:"retryAt,omitempty"`
	Gates    []string `json:"schedulingGates,omitempty"`
	Blamed   []string `json:"blamedPlugins,omitempty"`

	since, retry time.Time
}

type askedAt struct {
	At moment `json:"at"`
	// AsDecided says that the answer is what was weighed when the pod was placed, and not what would be now.
	AsDecided bool `json:"asDecided"`

	at time.Time
}

type nodeCounts struct {
	Total    int `json:"total"`
	Searched int `json:"searched"`
	Feasible int `json:"feasible"`
}

// fix is a change that was tried on a copy, and placed the pod.
type fix struct {
	Change whatif.Change `json:"change"`
	Node   string        `json:"node"`
	Text   string        `json:"text"`
}

type reason struct {
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
}

type statement struct {
	Point   string   `json:"point"`
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

type preemption struct {
	Node       string   `json:"node"`
	Victims    []podRef `json:"victims"`
	Violations int      `json:"budgetsViolated"`
	Criterion  string   `json:"criterion,omitempty"`
}

type scoredNode struct {
	Node  string `json:"node"`
	Score int64  `json:"score"`
}

type margin struct {
	Plugin   string `json:"plugin"`
	Winner   int64  `json:"winner"`
	RunnerUp int64  `json:"runnerUp"`
	Ahead    int64  `json:"ahead"`
}

type nodeVerdict struct {
	Node     string      `json:"node"`
	Searched bool        `json:"searched"`
	Feasible bool        `json:"feasible"`
	Filters  []statement `json:"filters"`
	Scores   []scored    `json:"scores"`
	Total    int64       `json:"total"`
}

type scored struct {
	Plugin     string `json:"plugin"`
	Raw        int64  `json:"raw"`
	Normalized int64  `json:"normalized"`
	Weight     int64  `json:"weight"`
	Weighted   int64  `json:"weighted"`
}

// explainAt answers about a pod where a trace stands. It may go back in the trace to when the pod was placed.
func explainAt(s *standpoint, podName, node string) (*explanationDocument, error) {
	pod, err := findPod(s, podName)
	if err != nil {
		return nil, err
	}
	if node != "" && s.Engine().Store().Node(node) == nil {
		var known []string
		for o := range s.Engine().Store().Objects(world.Node) {
			known = append(known, o.GetName())
		}
		return nil, fmt.Errorf("at %s of %s there is no node %q%s", clock(s.at), s.trace, node, didYouMean(node, known))
	}
	doc := &explanationDocument{
		envelope: document("Explanation"), Trace: s.trace, At: momentOf(s.at), Pod: refOf(world.RefOf(pod)), Where: whereIs(s.Engine(), pod), start: s.Start().Time, at: s.at,
		Source: s.source,
	}
	if s.source != nil {
		doc.Where.asPodSays(pod)
	}
	placed := doc.Where.State == string(engine.PlaceBound) || doc.Where.State == string(engine.PlaceBinding) || doc.Where.State == string(engine.PlaceWaiting)
	if record, recorded := s.placing(pod); placed && recorded {
		at := s.Records()[record].At
		if err := s.SeekRecord(record); err != nil {
			return nil, err
		}
		doc.Asked = askedAt{momentOf(at), true, at}
	} else {
		doc.Asked = askedAt{momentOf(s.at), false, s.at}
	}
	if err := doc.ask(s.Engine(), world.RefOf(pod), node); err != nil {
		return nil, err
	}
	return doc, doc.fixes(s.Engine(), world.RefOf(pod))
}

// ask has the scheduler answer.
func (d *explanationDocument) ask(e *engine.Engine, pod world.Ref, node string) error {
	x, err := e.Explain(pod.Namespace, pod.Name)
	if err != nil {
		return err
	}
	view := collect.New(collect.Run{}).Model(e, collect.Look{Open: views.ExplainPane, Pod: pod, Rows: math.MaxInt}).Explain
	d.Verdict, d.Cause, d.Help, d.Message = x.Decision.Verdict.String(), view.Cause, append([]string{}, view.Fixes...), x.Decision.Message
	d.Nodes = nodeCounts{Total: e.Store().Len(world.Node)}
	for i := range x.Nodes {
		if x.Nodes[i].Searched {
			d.Nodes.Searched++
		}
		if x.Nodes[i].Feasible {
			d.Nodes.Feasible++
		}
	}
	d.reasons(x)
	d.scores(x)
	if p := x.Decision.Preemption; p != nil {
		d.Preemption = &preemption{Node: p.Node, Violations: p.Violations, Criterion: string(p.By)}
		for _, victim := range p.Victims {
			d.Preemption.Victims = append(d.Preemption.Victims, refOf(world.RefOf(victim)))
		}
	}
	if node != "" {
		d.NodeVerdict = verdictOf(x, node)
	}
	return nil
}

// fixes are the single changes that would place a pod which waits.
func (d *explanationDocument) fixes(e *engine.Engine, pod world.Ref) error {
	d.Fixes = []fix{}
	if d.Asked.AsDecided {
		return nil
	}
	proven, err := whatif.Fixes(e, pod)
	for _, f := range proven {
		d.Fixes = append(d.Fixes, fix{f.Change, f.Node, f.Text})
	}
	return err
}

func (d *explanationDocument) reasons(x *engine.Explanation) {
	d.Reasons, d.Statements = []reason{}, []statement{}
	for _, r := range x.Decision.Rejections {
		d.Reasons = append(d.Reasons, reason{r.Plugin, r.Reason, r.Nodes})
	}
	slices.SortStableFunc(d.Reasons, func(a, b reason) int { return b.Nodes - a.Nodes })
	for _, said := range x.Said {
		d.Statements = append(d.Statements, stated(said))
	}
}

func stated(s engine.Statement) statement {
	return statement{s.Point, s.Plugin, s.Code.String(), s.Reasons}
}

// scores tell winner and runner-up apart.
func (d *explanationDocument) scores(x *engine.Explanation) {
	if x.Decision.Node == "" {
		return
	}
	d.Winner = &scoredNode{x.Decision.Node, x.Decision.Score}
	if x.Decision.RunnerUp == "" {
		return
	}
	d.RunnerUp = &scoredNode{x.Decision.RunnerUp, x.Decision.RunnerUpScore}
	won := verdictOf(x, x.Decision.Node)
	for _, m := range x.Lost {
		i := slices.IndexFunc(won.Scores, func(s scored) bool { return s.Plugin == m.Plugin })
		d.Margins = append(d.Margins, margin{m.Plugin, won.Scores[i].Weighted, won.Scores[i].Weighted - m.Ahead, m.Ahead})
	}
}

// verdictOf is everything that was said of a node. Of one that was never asked about nothing was.
func verdictOf(x *engine.Explanation, node string) *nodeVerdict {
	v := &nodeVerdict{Node: node, Filters: []statement{}, Scores: []scored{}}
	i := slices.IndexFunc(x.Nodes, func(n engine.NodeVerdict) bool { return n.Node == node })
	if i < 0 {
		return v
	}
	n := &x.Nodes[i]
	v.Searched, v.Feasible, v.Total = n.Searched, n.Feasible, n.Total
	for _, said := range n.Said {
		said.Point = "Filter"
		v.Filters = append(v.Filters, stated(said))
	}
	for _, s := range n.Scores {
		v.Scores = append(v.Scores, scored{s.Plugin, s.Raw, s.Normalized, s.Weight, s.Weighted()})
	}
	return v
}

// whereIs is where a pod is, since when, and what it waits for.
func whereIs(e *engine.Engine, pod *v1.Pod) whereabouts {
	w := whereabouts{State: string(e.Where(pod.Namespace, pod.Name)), Node: pod.Spec.NodeName}
	for _, gate := range pod.Spec.SchedulingGates {
		w.Gates = append(w.Gates, gate.Name)
	}
	for _, b := range e.Bindings() {
		if b.Pod.UID == pod.UID {
			w.Node = b.Node
		}
	}
	way := e.Journey(pod.UID)
	if len(way) == 0 {
		return w
	}
	last := way[len(way)-1]
	w.Attempts, w.since, w.Since = last.Attempts, last.At, momentOf(last.At)
	if last.To == queue.Backoff || last.To == queue.ErrorBackoff {
		w.retry, w.RetryAt = last.Until, momentOf(last.Until)
	}
	if last.To == queue.Unschedulable {
		w.Blamed = last.Blamed
	}
	return w
}

// state is where a pod is in words.
func (w whereabouts) state() string {
	switch engine.Place(w.State) {
	case engine.PlaceGated:
		if len(w.Gates) > 0 {
			return "held back by its scheduling gates " + printable.Line(strings.Join(w.Gates, ", "), 200)
		}
		return "held back by a gate"
	case engine.PlaceBackoff:
		return "waiting out a back-off"
	case engine.PlaceUnschedulable:
		return "parked as unschedulable"
	case engine.PlaceActive:
		return "in the active queue"
	case engine.PlaceWaiting:
		return "waiting for a permit on " + printable.Line(w.Node, 100)
	case engine.PlaceBinding:
		return "being bound to " + printable.Line(w.Node, 100)
	case engine.PlaceBound:
		if w.Node == "" {
			return "bound"
		}
		return "bound to " + printable.Line(w.Node, 100)
	}
	return "not in the scheduler's hands"
}
