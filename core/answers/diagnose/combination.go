package diagnose

import (
	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Combination is several changes that together place a pod, or the move of one other pod.
type Combination struct {
	Changes []change.Change
	// Node is where the pod went when the changes were tried, Text the changes in a sentence.
	Node, Text string
}

// Combinations looks for changes that place a diagnosed pod where one change of its own does not: for a gated pod that fits
// nowhere, the end of its gates and a remedy; for others, a pod that its affinity looks for, or moves of one or two other pods. Pods that
// wait for their victims need none.
func Combinations(e *engine.Engine, d *Diagnosis) ([]Combination, error) {
	pod := e.Store().Pod(d.Decision.Pod.Namespace, d.Decision.Pod.Name)
	if pod == nil || d.Decision.Verdict != engine.Unschedulable || hasNode(e, pod) {
		return nil, nil
	}
	p := newPendingPod(e, pod)
	switch {
	case len(pod.Spec.SchedulingGates) > 0:
		return p.ungatedRemedies(d.Explanation)
	case d.Waiting != "":
		return nil, nil
	}
	list := p.starting(d.Explanation)
	moves, err := p.moves(d.Explanation)
	if moves != nil {
		list = append(list, *moves)
	}
	return list, err
}

// ungatedRemedies are the remedies of a gated pod, which help only once its gates are removed.
func (p *pendingPod) ungatedRemedies(x *engine.Explanation) ([]Combination, error) {
	remedies, err := p.tryCandidates(x)
	if err != nil {
		return nil, err
	}
	ungate := change.Change{Verb: change.Ungate, Name: world.PodRefOf(p.pod).String()}
	list := make([]Combination, len(remedies))
	for i, r := range remedies {
		list[i] = Combination{[]change.Change{ungate, r.Change}, r.Node, "remove its scheduling gates and " + r.Text}
	}
	return list, nil
}
