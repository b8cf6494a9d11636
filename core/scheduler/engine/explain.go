package engine

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/preempt"
	"orrery/core/world"
)

// Explanation is the decision that the engine would make on a pod now, with every plugin result. The deciding code
// makes it on a fork of the engine, so it changes nothing.
type Explanation struct {
	Decision Decision
	// State is the present state of the pod.
	State PodState
	// Statuses are the plugin results on the pod as a whole, before and after Filter.
	Statuses []PluginStatus
	// Nodes has every node's verdict: first the nodes that the search visited, in its order, then the others. After an error
	// it has only the former.
	Nodes []NodeVerdict
	// Cycle is the attempt's cycle state, for the plugins' functions that read it.
	Cycle fwk.CycleState
	// Kept says which verdicts the engine would not compute, as it has them of earlier pods.
	Kept Kept
	// Margins is the score difference between winner and runner-up by plugin, largest first; empty without a runner-up.
	Margins []ScoreMargin
	// Limiting are the PreFilter plugins that left nodes out of the search; empty if they left out none.
	Limiting []string

	attempt *attempt       // on a fork, for Evidence
	indexes map[string]int // of Nodes, once they were needed
	// evidence is what AllEvidence has returned, by plugin.
	evidence map[string][]framework.Evidence
}

// Kept counts the verdicts that the engine keeps for pods like the explained one, which itself is explained afresh.
type Kept struct {
	Nodes int
	// Oldest and Newest are the lowest and the highest generation of a node with such a verdict: it has not changed since.
	Oldest, Newest int64
	// Afresh are the Filter plugins that are called for every such pod, whatever is kept.
	Afresh []string
}

// PluginStatus is one plugin's result at one extension point.
type PluginStatus struct {
	Point, Plugin string
	Code          fwk.Code
	Reasons       []string
}

// NodeVerdict is every plugin's result on one node.
type NodeVerdict struct {
	Node string
	// Searched reports whether the search visited this node, Feasible whether it passed Filter.
	Searched, Feasible bool
	// Kept is the node's generation if its verdict is one of Explanation.Kept, else 0.
	Kept int64
	// Statuses has every Filter plugin's result, including those after the first rejection.
	Statuses []PluginStatus
	Scores   []PluginScore
	Total    int64
}

// PluginScore is one plugin's score of one node: raw, normalized to 0…100, and the plugin's weight.
type PluginScore struct {
	Plugin                  string
	Raw, Normalized, Weight int64
}

// Weighted is the score's part of the node's total.
func (s PluginScore) Weighted() int64 { return s.Normalized * s.Weight }

// ScoreMargin is the winner's weighted score less the runner-up's, for one plugin; negative if the runner-up's is
// higher.
type ScoreMargin struct {
	Plugin string
	Ahead  int64
}

// Explain returns the decision that the engine would make on a pod now, and why. A bound pod is explained as if it were
// pending and its resources free; a pod being bound as if its binding had failed.
func (e *Engine) Explain(namespace, name string) (*Explanation, error) {
	pod := e.store.Pod(namespace, name)
	if pod == nil {
		return nil, fmt.Errorf("explaining pod %q in namespace %q: there is no such pod", name, namespace)
	}
	if !e.responsibleFor(pod) {
		return nil, fmt.Errorf("explaining pod %q: its schedulerName is %q, which is none of the profiles %q",
			name, pod.Spec.SchedulerName, e.profileNames)
	}
	f, err := e.forkForExplain()
	if err != nil {
		return nil, fmt.Errorf("explaining pod %q: %w", name, err)
	}
	recorder := &explanationRecorder{nodes: map[string]int{}}
	place := e.PodState(namespace, name)
	a := f.newAttempt(f.withoutNode(pod))
	a.state.SetRecorder(recorder)
	a.state.Write(preempt.FindingsKey, &preempt.Findings{})
	if pod.DeletionTimestamp != nil && (place.queued() || place == StateGone && !assigned(pod)) {
		a.skipDeleted()
		return recorder.explanation(a, place), nil
	}
	if _, failure := a.schedule(); failure != nil {
		a.recordFailure(failure)
	}
	recorder.searched = len(recorder.verdicts)
	if a.decision.Verdict != Failed {
		recorder.filterUnvisited(a)
	}
	x := recorder.explanation(a, place)
	x.markKept(e, a)
	return x, nil
}

// Try returns the node that a pod would get after some events; empty if none, or if an event is refused. It is Explain on a
// fork with the events, without reasons and without preemption, and so a fraction of its cost.
func (e *Engine) Try(namespace, name string, events ...world.Event) (node string, err error) {
	return e.TryOn(namespace, name, "", events...)
}

// TryOn is Try, with a node to look at first: if the pod fits there, no other is visited.
func (e *Engine) TryOn(namespace, name, likely string, events ...world.Event) (node string, err error) {
	f, err := e.forkForExplain()
	if err != nil {
		return "", fmt.Errorf("trying pod %q: %w", name, err)
	}
	for _, event := range events {
		if f.Apply(world.Input{At: f.now, Event: event}) != nil {
			return "", nil
		}
	}
	pod := f.store.Pod(namespace, name)
	if pod == nil || !f.responsibleFor(pod) {
		return "", nil
	}
	a := f.newAttempt(f.withoutNode(pod))
	a.likely = likely
	if node, err = a.findNode(); err != nil {
		return "", nil // no node, or a plugin's error, which Explain reports
	}
	if _, failure := a.reserve(node); failure != nil {
		return "", nil
	}
	return node, nil
}

// withoutNode returns the pod without its node, and removes it from the fork's cache and bindings.
func (e *Engine) withoutNode(pod *v1.Pod) *v1.Pod {
	if b := e.bindings[pod.UID]; b != nil {
		delete(e.bindings, pod.UID)
		b.profile.RejectWaitingPod(pod.UID)
		b.profile.RunReservePluginsUnreserve(e.ctx, b.state, b.assumed, b.node)
	}
	if cached, err := e.cache.GetPod(pod); err == nil {
		e.reportProblem(e.cache.RemovePod(cached))
	}
	if !assigned(pod) {
		return pod
	}
	free := *pod
	free.Spec.NodeName = ""
	return &free
}

// explanationRecorder records every plugin result; it implements framework.Recorder.
type explanationRecorder struct {
	statuses []PluginStatus
	verdicts []NodeVerdict
	nodes    map[string]int // the index of a node's verdict
	searched int
}

func (l *explanationRecorder) RecordResult(v framework.PluginResult) {
	s := PluginStatus{Point: string(v.Point), Plugin: v.Plugin, Code: v.Status.Code()}
	if v.Status != nil {
		s.Reasons = v.Status.Reasons()
	}
	if v.Point != framework.Filter {
		l.statuses = append(l.statuses, s)
		return
	}
	node := l.node(v.Node)
	if !v.Status.IsSuccess() {
		node.Feasible = false
	}
	// A node with nominated pods is filtered twice; each plugin's rejection counts.
	for i := range node.Statuses {
		if node.Statuses[i].Plugin == s.Plugin {
			if node.Statuses[i].Code == fwk.Success {
				node.Statuses[i] = s
			}
			return
		}
	}
	node.Statuses = append(node.Statuses, s)
}

func (l *explanationRecorder) RecordScore(s framework.ScoreResult) {
	node := l.node(s.Node)
	node.Scores = append(node.Scores, PluginScore{Plugin: s.Plugin, Raw: s.Raw, Normalized: s.Normalized, Weight: s.Weight})
	node.Total += s.Weighted()
}

func (l *explanationRecorder) node(name string) *NodeVerdict {
	i, ok := l.nodes[name]
	if !ok {
		i = len(l.verdicts)
		l.nodes[name] = i
		l.verdicts = append(l.verdicts, NodeVerdict{Node: name, Feasible: true})
	}
	return &l.verdicts[i]
}

// filterUnvisited filters the nodes that the search did not visit. After a PreFilter rejection it does nothing: the
// plugins have no state for Filter. It is not called after an error, which ends the attempt and may cost as much on each node.
func (l *explanationRecorder) filterUnvisited(a *attempt) {
	if slices.ContainsFunc(l.statuses, func(s PluginStatus) bool {
		rejected := s.Code != fwk.Success && s.Code != fwk.Skip
		return s.Point == string(framework.PreFilter) && rejected
	}) {
		return
	}
	for node := range a.engine.Nodes() {
		if _, seen := l.nodes[node.Node().Name]; !seen {
			a.profile.RunFilterPluginsWithNominatedPods(a.engine.ctx, a.state, a.pod, node)
			l.node(node.Node().Name)
		}
	}
}

func (l *explanationRecorder) explanation(a *attempt, place PodState) *Explanation {
	d := a.decision
	for i := range l.searched {
		l.verdicts[i].Searched = true
	}
	x := &Explanation{Decision: d, State: place, Statuses: l.statuses, Nodes: l.verdicts, Cycle: a.state, attempt: a}
	if a.allowed != nil && !a.allowed.AllNodes() {
		x.Limiting = sets.List(a.restricting)
	}
	if d.RunnerUp == "" {
		return x
	}
	won, next := l.node(d.Node), l.node(d.RunnerUp)
	for i, s := range won.Scores {
		x.Margins = append(x.Margins, ScoreMargin{Plugin: s.Plugin, Ahead: s.Weighted() - next.Scores[i].Weighted()})
	}
	slices.SortStableFunc(x.Margins, func(a, b ScoreMargin) int { return cmp.Compare(b.Ahead, a.Ahead) })
	return x
}
