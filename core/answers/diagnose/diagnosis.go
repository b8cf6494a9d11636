package diagnose

import (
	"fmt"
	"slices"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Diagnosis is the scheduling decision about a pod at one moment, its reasons, and its remedies.
type Diagnosis struct {
	*engine.Explanation
	// Lifecycle is where the pod is, whatever would be decided.
	Lifecycle Lifecycle
	// Unread are the kinds that the pod refers to and that may not be read, and NotEvaluated says so: there is no finding then.
	Unread       []world.Kind
	NotEvaluated string
	// Waiting says what the pod waits for besides its turn: its gates, its gang, or the victims on its nominated node.
	Waiting string
	// Summary is the most important finding in one sentence: what the pod waits for, and else the Finding, which is the result of the
	// evaluation alone.
	Summary, Finding string
	// Examined nodes were filtered by the search, Feasible ones passed all filters, searched or not.
	Examined, Feasible int
	// Reasons are the rejections of a pod without a feasible node, by the number of nodes.
	Reasons []Reason
	// Queue is the pod's state in the queue; nil for a pod outside it.
	Queue *Queueing
	// Storage is the chain from the pod over its claims to its volumes' nodes; nil for a pod without claims.
	Storage *Storage
	// Devices is the chain from the pod over its claims for devices to the nodes that have some; nil for a pod without.
	Devices *Devices
	// Scores compare winner and runner-up, by the winner's lead; empty without a runner-up.
	Scores []ScorePair
	// Eviction is what a preemption for the pod found; nil if none was tried.
	Eviction *Preemption
	// Remedies are single changes that place the pod, each tried on a fork, the cheapest first.
	Remedies []Remedy
}

// Reason is one message of one plugin with the nodes it rejects.
type Reason struct {
	Plugin, Message string
	// Nodes counts nodes as the pod's condition does: each node under the first plugin that rejects it.
	Nodes int
	// OnlyOn are the nodes that only this reason rejects.
	OnlyOn []string
	// Evidence has the details behind the message; nil for plugins without a type of their own.
	Evidence Evidence
}

// ScorePair has one plugin's weighted scores of the winner and the runner-up.
type ScorePair struct {
	Plugin           string
	Winner, RunnerUp int64
}

// Pod diagnoses a pod. The engine is only read.
func Pod(e *engine.Engine, ref world.PodRef) (*Diagnosis, error) {
	d, pod, err := explain(e, ref)
	if err != nil || pod == nil {
		return d, err
	}
	if d.Remedies, err = pod.remedies(d.Explanation); err != nil {
		return nil, fmt.Errorf("looking for what would place pod %q: %w", ref, err)
	}
	return d, nil
}

// explain is Pod without remedies. The pod is nil if there is nothing to evaluate: it is another scheduler's, leaves, or is not evaluated.
func explain(e *engine.Engine, ref world.PodRef) (*Diagnosis, *pendingPod, error) {
	if pod := e.Store().Pod(ref.Namespace, ref.Name); pod != nil && e.Profile(pod.Spec.SchedulerName) == nil {
		return ofOtherScheduler(e, pod), nil, nil
	}
	x, err := e.Explain(ref.Namespace, ref.Name)
	if err != nil {
		return nil, nil, err
	}
	pod := newPendingPod(e, e.Store().Pod(ref.Namespace, ref.Name))
	d := &Diagnosis{Explanation: x, Lifecycle: LifecycleOf(e, pod.pod), Queue: QueueingOf(e, pod.pod)}
	if d.setUnread(e, pod.pod); d.Lifecycle.Leaves() || d.NotEvaluated != "" {
		if d.leaveOut(); !d.Lifecycle.Leaves() && len(pod.pod.Spec.SchedulingGates) > 0 {
			d.Waiting = pod.waiting(nil)
		}
		return d, nil, nil
	}
	d.Eviction = pod.preemption(x)
	d.Waiting = pod.waiting(d.Eviction)
	for i := range x.Nodes {
		if x.Nodes[i].Searched {
			d.Examined++
		}
		if x.Nodes[i].Feasible {
			d.Feasible++
		}
	}
	if x.Decision.Verdict == engine.Placed {
		d.compareScores()
		d.Summary = d.PlacedSummary()
	} else {
		d.Reasons = pod.reasons(x)
		d.Summary = pod.cause(d)
	}
	d.Storage = pod.storage(x)
	if d.Devices = pod.devicesOf(x); d.Devices != nil && d.Devices.Says != "" && x.Decision.Verdict != engine.Placed {
		d.Summary = d.Devices.Says
	}
	if d.Finding = d.Summary; d.Waiting != "" {
		d.Summary = d.Waiting + "; " + d.afterwards()
	}
	return d, pod, nil
}

// leaveOut takes the decision out of the diagnosis of a pod about which none is made.
func (d *Diagnosis) leaveOut() {
	of := &d.Decision
	d.Decision = engine.Decision{Pod: of.Pod, Attempt: of.Attempt, Nodes: of.Nodes, Generation: of.Generation, Verdict: engine.Skipped}
	d.Margins = nil
	if d.Summary = d.NotEvaluated; d.Lifecycle.Leaves() {
		d.Summary = d.Lifecycle.Text()
	}
	d.Decision.Message, d.Finding = d.Summary, d.Summary
}

// reasons returns the decision's rejections with the nodes that each alone blocks.
func (p *pendingPod) reasons(x *engine.Explanation) []Reason {
	reasons := make([]Reason, len(x.Decision.Rejections))
	for i, r := range x.Decision.Rejections {
		reasons[i] = Reason{Plugin: r.Plugin, Message: r.Reason, Nodes: r.Nodes}
	}
	for i := range x.Nodes {
		plugin, message, ok := onlyReason(&x.Nodes[i])
		if !ok {
			continue
		}
		at := slices.IndexFunc(reasons, func(r Reason) bool { return r.Plugin == plugin && r.Message == message })
		if at >= 0 {
			reasons[at].OnlyOn = append(reasons[at].OnlyOn, x.Nodes[i].Node)
		}
	}
	for i := range reasons {
		reasons[i].Evidence = p.evidenceOf(x, &reasons[i])
	}
	return reasons
}

// onlyReason returns the only reason that rejects a node; false if there are several or none.
func onlyReason(n *engine.NodeVerdict) (plugin, message string, ok bool) {
	for _, s := range n.Statuses {
		switch {
		case !s.Rejects():
		case ok || len(s.Reasons) != 1:
			return "", "", false
		default:
			plugin, message, ok = s.Plugin, s.Reasons[0], true
		}
	}
	return plugin, message, ok
}

// afterwards says what the decision would be if the pod's turn came now.
func (d *Diagnosis) afterwards() string {
	switch {
	case d.Decision.Verdict == engine.Placed && d.State == engine.StateBinding:
		return "if that fails, it would be placed on " + d.Decision.Node
	case d.Decision.Verdict == engine.Placed:
		return "it would be placed on " + d.Decision.Node
	}
	return "now " + d.Summary
}

// PlacedSummary names the lead of a placed pod's node, and the plugin that gave the most of it if the scores are known.
func (d *Diagnosis) PlacedSummary() string {
	switch lead := d.Decision.Score - d.Decision.RunnerUpScore; {
	case d.Decision.RunnerUp == "":
		return "the only feasible node of " + plural.Count(d.Decision.Examined, "node") + " examined"
	case lead == 0:
		return "tied with " + d.Decision.RunnerUp
	case len(d.Scores) == 0:
		return plural.Count(int(lead), "point") + " ahead of " + d.Decision.RunnerUp
	default:
		return plural.Count(int(lead), "point") + " ahead of " + d.Decision.RunnerUp + ", most by " + d.Scores[0].Plugin
	}
}

func (d *Diagnosis) compareScores() {
	winner := d.Node(d.Decision.Node)
	for _, m := range d.Margins {
		i := slices.IndexFunc(winner.Scores, func(s engine.PluginScore) bool { return s.Plugin == m.Plugin })
		score := winner.Scores[i].Weighted()
		d.Scores = append(d.Scores, ScorePair{m.Plugin, score, score - m.Ahead})
	}
}

// Node returns everything the plugins returned for a node; empty if the node was not explained.
func (d *Diagnosis) Node(name string) *engine.NodeVerdict {
	if i := slices.IndexFunc(d.Nodes, func(n engine.NodeVerdict) bool { return n.Node == name }); i >= 0 {
		return &d.Nodes[i]
	}
	return &engine.NodeVerdict{Node: name}
}
