package engine

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// Ranking is the result of Rank. Its slices are the engine's own, valid until the next call.
type Ranking struct {
	// Scores are the feasible nodes with their scores, in search order. A single feasible node is not scored.
	Scores []fwk.NodePluginScores
	// Nodes is the number of all nodes.
	Nodes int
	// Unknown names the extenders that would be asked.
	Unknown []string
	// Message is the pod's condition message if no node is feasible, before PostFilter.
	Message string
}

// ScoreOf returns the score of a feasible node, and nil for any other.
func (r *Ranking) ScoreOf(node string) *fwk.NodePluginScores {
	for i := range r.Scores {
		if r.Scores[i].Name == node {
			return &r.Scores[i]
		}
	}
	return nil
}

// BestScore is the highest total; zero without a feasible node.
func (r *Ranking) BestScore() int64 {
	var best int64
	for i := range r.Scores {
		if total := r.Scores[i].TotalScore; i == 0 || total > best {
			best = total
		}
	}
	return best
}

// Rank filters and scores the nodes for a pending pod with the code that decides, without taking room; it only
// refreshes the snapshot. It is for engines that never Step and evaluate another scheduler's decisions. A pod that has
// a node, or is assumed on one, is an error.
func (e *Engine) Rank(namespace, name string) (*Ranking, error) {
	pod, err := e.pendingPod(namespace, name)
	if err != nil {
		return nil, err
	}
	a, restore := e.dryRunAttempt(pod)
	defer restore()
	err = a.run()
	r := &Ranking{Nodes: a.decision.Nodes, Scores: a.ranking.scores, Unknown: a.decision.Unknown}
	switch fit := (*framework.FitError)(nil); {
	case errors.Is(err, errNoNodes) || errors.As(err, &fit):
		r.Message = err.Error()
	case err != nil:
		return nil, fmt.Errorf("ranking nodes for pod %q: %w", name, err)
	case a.feasible.count() == 1:
		r.Scores = []fwk.NodePluginScores{{Name: a.feasible.list[0].Node().Name}}
	}
	return r, nil
}

// ExplainPending is Explain on this engine instead of a fork, for engines that never Step: Rank with every plugin
// result. PostFilter does not run, so a pod without a feasible node is reported as unschedulable.
func (e *Engine) ExplainPending(namespace, name string) (*Explanation, error) {
	pod, err := e.pendingPod(namespace, name)
	if err != nil {
		return nil, err
	}
	a, restore := e.dryRunAttempt(pod)
	defer restore()
	recorder := &explanationRecorder{nodes: map[string]int{}}
	a.state.SetRecorder(recorder)
	node, err := a.findNode()
	var fit *framework.FitError
	switch {
	case err == nil:
		a.decision.Node = node
	case errors.Is(err, errNoNodes) || errors.As(err, &fit):
		a.recordFailure(&failure{status: fwk.NewStatus(fwk.Unschedulable).WithError(err), nomination: clearNomination})
	default:
		a.recordFailure(&failure{status: fwk.AsStatus(err), nomination: clearNomination})
	}
	recorder.searched = len(recorder.verdicts)
	recorder.filterUnvisited(a)
	return recorder.explanation(a, e.PodState(namespace, name)), nil
}

// pendingPod returns a pod of one of the profiles that has no node yet.
func (e *Engine) pendingPod(namespace, name string) (*v1.Pod, error) {
	pod := e.store.Pod(namespace, name)
	switch {
	case pod == nil:
		return nil, fmt.Errorf("trying pod %q in namespace %q: there is no such pod", name, namespace)
	case !e.responsibleFor(pod):
		return nil, fmt.Errorf("trying pod %q: its schedulerName is %q, which is none of the profiles %q", name, pod.Spec.SchedulerName, e.profileNames)
	}
	if taken, err := e.cache.IsAssumedPod(pod); err != nil || taken || assigned(pod) {
		return nil, fmt.Errorf("trying pod %q: it has a node already", name)
	}
	return pod, nil
}

// dryRunAttempt returns an attempt without batching or nomination. restore resets the start index and the random
// source, so later attempts are not affected.
func (e *Engine) dryRunAttempt(pod *v1.Pod) (a *attempt, restore func()) {
	if pod.Status.NominatedNodeName != "" {
		free := *pod
		free.Status.NominatedNodeName = ""
		pod = &free
	}
	start, rng := e.startIndex, *e.rng
	a = e.newAttempt(pod)
	a.batching, a.dry = false, true
	return a, func() { e.startIndex, *e.rng = start, rng }
}
