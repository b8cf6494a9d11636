package diagnose

import (
	"fmt"
	"slices"
	"time"

	"orrery/core/answers/answer"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/world"
)

// The parts of an answer that are made here.
type (
	Reason = answer.Reason
	// Evidence is behind a Reason.
	Evidence = answer.Evidence
	Link     = answer.Link
)

// Diagnosis is an answer about a pod, with the decision that it is made of.
type Diagnosis struct {
	*engine.Explanation
	answer.Answer
	// Lifecycle is where the pod is, whatever would be decided.
	Lifecycle Lifecycle
	// Finding is the result of the evaluation alone, Summary also what the pod waits for.
	Finding string
	// Queue is the pod's state in the queue; nil for a pod outside it.
	Queue *Queueing
	// Storage is the chain from the pod over its claims to its volumes' nodes; nil for a pod without claims.
	Storage *Storage
	// Devices is the chain from the pod over its claims for devices to the nodes that have some; nil for a pod without.
	Devices *Devices
	// Remedies are single changes that place the pod, each tried on a fork, the cheapest first. The answer's are the same, in words.
	Remedies []Remedy
	// Gang is the pod's, once it was looked for.
	Gang *Gang

	// unevaluated says of a pod that refers to kinds that may not be read that there is no finding.
	unevaluated string
	// unled says of a pod that waits for a scheduler that none leads.
	unled string
	// question is what was asked, decided the sentence about the decision alone.
	question Question
	decided  string
	// onNode is what keeps the pod from the node that was asked about.
	onNode string
	// created is the pod's creation, now the moment of the question.
	created, now time.Time
	// said are the sentences at the top, which are not said again below.
	said []string
}

// Pod diagnoses a pod as it would be decided about now. The engine is only read.
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
	if d.setUnread(e, pod.pod); d.Lifecycle.Leaves() || d.unevaluated != "" {
		if d.leaveOut(); !d.Lifecycle.Leaves() && len(pod.pod.Spec.SchedulingGates) > 0 {
			d.Waiting = pod.waiting(nil)
		}
		return d, nil, nil
	}
	if d.PreemptionEvidence = pod.preemption(x); d.PreemptionEvidence != nil {
		d.PreemptionFacts = preemptionFacts(d.PreemptionEvidence)
	}
	d.Waiting = pod.waiting(d.PreemptionEvidence)
	d.Counts = countNodes(x)
	d.Storage = pod.storage(x)
	d.Devices = pod.devices(x)
	if x.Decision.Verdict == engine.Placed {
		d.compareScores()
		d.Summary = d.placedSummary()
	} else {
		d.Reasons = reasons(x)
		if d.Summary = pod.cause(d); d.Devices != nil && len(x.AllEvidence(dynamicresources.Name)) > 0 {
			d.Devices.Says = d.Summary
		}
	}
	if d.Finding = d.Summary; d.Waiting != "" {
		d.said = []string{d.Waiting}
		d.Summary = d.Waiting + "; " + d.afterwards()
	}
	d.said = append(d.said, d.Finding)
	return d, pod, nil
}

func countNodes(x *engine.Explanation) *answer.NodeCounts {
	n := &answer.NodeCounts{Total: x.Decision.Nodes}
	for i := range x.Nodes {
		if x.Nodes[i].Searched {
			n.Examined++
		}
		if x.Nodes[i].Feasible {
			n.Feasible++
		}
	}
	return n
}

// leaveOut takes the decision out of the diagnosis of a pod about which none is made.
func (d *Diagnosis) leaveOut() {
	of := &d.Decision
	d.Decision = engine.Decision{Pod: of.Pod, Attempt: of.Attempt, Nodes: of.Nodes, Generation: of.Generation, Verdict: engine.Skipped}
	d.Margins = nil
	if d.Summary = d.unevaluated; d.Lifecycle.Leaves() {
		d.Summary = d.Lifecycle.Text()
	}
	d.Decision.Message, d.Finding = d.Summary, d.Summary
}

// reasons returns the decision's rejections with the nodes that each alone blocks.
func reasons(x *engine.Explanation) []Reason {
	reasons := make([]Reason, len(x.Decision.Rejections))
	for i, r := range x.Decision.Rejections {
		reasons[i] = Reason{Plugin: r.Plugin, Message: r.Reason, Nodes: r.Nodes}
	}
	for i := range x.Nodes {
		n := &x.Nodes[i]
		if plugin, message, only := onlyReason(n); only {
			if at := slices.IndexFunc(reasons, func(r Reason) bool { return r.Plugin == plugin && r.Message == message }); at >= 0 {
				reasons[at].OnlyOn = append(reasons[at].OnlyOn, n.Node)
			}
		}
	}
	for i := range reasons {
		r := &reasons[i]
		if r.Evidence = found(x, r); r.Evidence != nil {
			r.Facts = r.Evidence.Facts()
		}
		r.OnlyBlockerOn, r.Hint = len(r.OnlyOn), hintOf(r)
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
	if d.Decision.Verdict == engine.Skipped {
		return d.Finding
	}
	return "now " + d.Finding
}

// placedSummary names the lead of a placed pod's node, and the plugin that gave the most of it if the scores are known.
func (d *Diagnosis) placedSummary() string {
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
		d.Scores = append(d.Scores, answer.ScorePair{Plugin: m.Plugin, Winner: score, RunnerUp: score - m.Ahead})
	}
}
