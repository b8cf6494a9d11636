package engine

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// Explanation is a decision with everything that was said on the way to it: what would happen if the pod's turn came
// now. It is made by the very code that decides, on a fork of the engine, so asking changes nothing.
type Explanation struct {
	Decision Decision
	// Place is where the pod is at the moment.
	Place Place
	// Said is what plugins said of the pod as a whole, before and after the nodes were looked at.
	Said []Statement
	// Nodes has every node's verdict: first those the search looked at, in its order, then the others, which it did
	// not need to look at.
	Nodes []NodeVerdict
	// Lost is, where a runner-up exists, what each plugin's score contributed to its being second: largest first.
	Lost []Margin
}

// Statement is what one plugin said at one extension point.
type Statement struct {
	Point, Plugin string
	Code          fwk.Code
	Reasons       []string
}

// NodeVerdict is everything that was said of one node.
type NodeVerdict struct {
	Node string
	// Searched tells whether the search came by this node; Feasible whether the pod could go there.
	Searched, Feasible bool
	// Said has every Filter plugin's verdict, those after the first rejection included.
	Said   []Statement
	Scores []Scored
	Total  int64
}

// Scored is one plugin's score of one node: as given, normalised to 0…100, and times the plugin's weight.
type Scored struct {
	Plugin                  string
	Raw, Normalized, Weight int64
}

// Weighted is what the score adds to the node's total.
func (s Scored) Weighted() int64 { return s.Normalized * s.Weight }

// Margin is how far the winner was ahead of the runner-up by one plugin's score; negative where it was behind.
type Margin struct {
	Plugin string
	Ahead  int64
}

// Explain tells what the engine would decide about a pod at this moment, and why. A pod that has its node already is
// explained as if it had not, with its room on that node free, and one that is on its way as if it were turned back.
func (e *Engine) Explain(namespace, name string) (*Explanation, error) {
	pod := e.store.Pod(namespace, name)
	if pod == nil {
		return nil, fmt.Errorf("explaining pod %q in namespace %q: there is no such pod", name, namespace)
	}
	if !e.ours(pod) {
		return nil, fmt.Errorf("explaining pod %q: it asks for scheduler %q, which is none of the profiles %q",
			name, pod.Spec.SchedulerName, e.order)
	}
	f, err := e.forkToAsk()
	if err != nil {
		return nil, fmt.Errorf("explaining pod %q: %w", name, err)
	}
	ledger := &ledger{nodes: map[string]int{}}
	place := e.Where(namespace, name)
	a := f.newAttempt(f.unplaced(pod))
	a.state.SetRecorder(ledger)
	if pod.DeletionTimestamp != nil && place.queued() {
		a.skipDeleted()
		return ledger.explanation(a.decision, place), nil
	}
	if _, failure := a.schedule(); failure != nil {
		a.judge(failure)
	}
	ledger.searched = len(ledger.verdicts)
	ledger.rest(a)
	return ledger.explanation(a.decision, place), nil
}

// unplaced is the pod as it was before it had a node. The fork forgets that it has one.
func (e *Engine) unplaced(pod *v1.Pod) *v1.Pod {
	if b := e.bindings[pod.UID]; b != nil {
		delete(e.bindings, pod.UID)
		b.profile.RejectWaitingPod(pod.UID)
		b.profile.RunUnreservePlugins(e.ctx, b.state, b.assumed, b.node)
	}
	if cached, err := e.cache.GetPod(pod); err == nil {
		e.note(e.cache.RemovePod(cached))
	}
	if !assigned(pod) {
		return pod
	}
	free := *pod
	free.Spec.NodeName = ""
	return &free
}

// ledger writes down everything the plugins say; it implements framework.Recorder.
type ledger struct {
	said     []Statement
	verdicts []NodeVerdict
	nodes    map[string]int // where a node's verdict is
	searched int
}

func (l *ledger) Said(v framework.Verdict) {
	s := Statement{Point: string(v.Point), Plugin: v.Plugin, Code: v.Status.Code()}
	if v.Status != nil {
		s.Reasons = v.Status.Reasons()
	}
	if v.Point != framework.Filter {
		l.said = append(l.said, s)
		return
	}
	node := l.node(v.Node)
	if !v.Status.IsSuccess() {
		node.Feasible = false
	}
	// A node with nominated pods is filtered twice; what counts is each plugin's less favourable verdict.
	for i := range node.Said {
		if node.Said[i].Plugin == s.Plugin {
			if node.Said[i].Code == fwk.Success {
				node.Said[i] = s
			}
			return
		}
	}
	node.Said = append(node.Said, s)
}

func (l *ledger) Scored(s framework.NodeScored) {
	node := l.node(s.Node)
	node.Scores = append(node.Scores, Scored{Plugin: s.Plugin, Raw: s.Raw, Normalized: s.Normalized, Weight: s.Weight})
	node.Total += s.Weighted()
}

func (l *ledger) node(name string) *NodeVerdict {
	i, ok := l.nodes[name]
	if !ok {
		i = len(l.verdicts)
		l.nodes[name] = i
		l.verdicts = append(l.verdicts, NodeVerdict{Node: name, Feasible: true})
	}
	return &l.verdicts[i]
}

// rest has the nodes judged that the search did not come by. After a PreFilter rejection there is nothing to ask: the
// plugins have not prepared for nodes.
func (l *ledger) rest(a *attempt) {
	if slices.ContainsFunc(l.said, func(s Statement) bool {
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

func (l *ledger) explanation(d Decision, place Place) *Explanation {
	for i := range l.searched {
		l.verdicts[i].Searched = true
	}
	x := &Explanation{Decision: d, Place: place, Said: l.said, Nodes: l.verdicts}
	if d.RunnerUp == "" {
		return x
	}
	won, next := l.node(d.Node), l.node(d.RunnerUp)
	for i, s := range won.Scores {
		x.Lost = append(x.Lost, Margin{Plugin: s.Plugin, Ahead: s.Weighted() - next.Scores[i].Weighted()})
	}
	slices.SortStableFunc(x.Lost, func(a, b Margin) int { return cmp.Compare(b.Ahead, a.Ahead) })
	return x
}
