package engine

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// Ranking is how the nodes stand for a pod. What it holds is the engine's own, good until the next call.
type Ranking struct {
	// Scores are the nodes that would do, with their scores, in the order in which they were looked at. Where there is one
	// only, it has no scores.
	Scores []fwk.NodePluginScores
	// Nodes is how many there are in all.
	Nodes int
	// Message is what the pod's condition would say if none would do, before any attempt to make room.
	Message string
}

// Of finds a node among those that would do; nil if it would not.
func (r *Ranking) Of(node string) *fwk.NodePluginScores {
	for i := range r.Scores {
		if r.Scores[i].Name == node {
			return &r.Scores[i]
		}
	}
	return nil
}

// Best is the highest total; zero if no node would do.
func (r *Ranking) Best() int64 {
	var best int64
	for i := range r.Scores {
		if total := r.Scores[i].TotalScore; i == 0 || total > best {
			best = total
		}
	}
	return best
}

// Rank filters and scores the nodes for a waiting pod, with the code that decides, and decides nothing: no room is taken,
// and nothing is left of it but a fresh snapshot. It is for engines that never Step and judge what others do; of a pod
// that has a node, or is on its way to one, it knows nothing to say.
func (e *Engine) Rank(namespace, name string) (*Ranking, error) {
	pod, err := e.judged(namespace, name)
	if err != nil {
		return nil, err
	}
	a, restore := e.withoutTrace(pod)
	defer restore()
	r := &Ranking{}
	if err := e.cache.UpdateSnapshot(e.snapshot); err != nil {
		return nil, fmt.Errorf("ranking nodes for pod %q: %w", name, err)
	}
	if r.Nodes = e.snapshot.NumNodes(); r.Nodes == 0 {
		r.Message = errNoNodes.Error()
		return r, nil
	}
	fit := &framework.FitError{Pod: pod, NumAllNodes: r.Nodes}
	fit.Diagnosis.NodeToStatus = e.statuses
	feasible, err := a.findFeasible(&fit.Diagnosis)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ranking nodes for pod %q: %w", name, err)
	case len(feasible) == 0:
		r.Message = fit.Error()
		return r, nil
	case len(feasible) == 1:
		r.Scores = []fwk.NodePluginScores{{Name: feasible[0].Node().Name}}
		return r, nil
	}
	if status := a.profile.RunPreScorePlugins(e.ctx, a.state, a.pod, feasible); !status.IsSuccess() {
		return nil, fmt.Errorf("ranking nodes for pod %q: %w", name, status.AsError())
	}
	scores, status := a.profile.RunScorePlugins(e.ctx, a.state, a.pod, feasible)
	if !status.IsSuccess() {
		return nil, fmt.Errorf("ranking nodes for pod %q: %w", name, status.AsError())
	}
	r.Scores = scores
	return r, nil
}

// Judge is Explain on this very engine instead of a fork of it, for engines that never Step: what Rank says, with
// everything that was said on the way. Nothing is made room for, so of a pod that no node would do for it says so.
func (e *Engine) Judge(namespace, name string) (*Explanation, error) {
	pod, err := e.judged(namespace, name)
	if err != nil {
		return nil, err
	}
	a, restore := e.withoutTrace(pod)
	defer restore()
	ledger := &ledger{nodes: map[string]int{}}
	a.state.SetRecorder(ledger)
	node, err := a.choose()
	var fit *framework.FitError
	switch {
	case err == nil:
		a.decision.Node = node
	case errors.Is(err, errNoNodes) || errors.As(err, &fit):
		a.judge(&failure{status: fwk.NewStatus(fwk.Unschedulable).WithError(err), nomination: clearNomination})
	default:
		a.judge(&failure{status: fwk.AsStatus(err), nomination: clearNomination})
	}
	ledger.searched = len(ledger.verdicts)
	ledger.rest(a)
	return ledger.explanation(a.decision, e.Where(namespace, name)), nil
}

// judged is a pod that waits for one of the profiles.
func (e *Engine) judged(namespace, name string) (*v1.Pod, error) {
	pod := e.store.Pod(namespace, name)
	switch {
	case pod == nil:
		return nil, fmt.Errorf("judging pod %q in namespace %q: there is no such pod", name, namespace)
	case !e.ours(pod):
		return nil, fmt.Errorf("judging pod %q: it asks for scheduler %q, which is none of the profiles %q", name, pod.Spec.SchedulerName, e.order)
	}
	if taken, err := e.cache.IsAssumedPod(pod); err != nil || taken || assigned(pod) {
		return nil, fmt.Errorf("judging pod %q: it has a node already", name)
	}
	return pod, nil
}

// withoutTrace is an attempt that changes nothing of what later ones go by: neither where they begin, nor what chance
// gives them, nor what the last pod's scores say to them. All nodes are on a par, that which the pod is nominated to too.
func (e *Engine) withoutTrace(pod *v1.Pod) (a *attempt, restore func()) {
	if pod.Status.NominatedNodeName != "" {
		free := *pod
		free.Status.NominatedNodeName = ""
		pod = &free
	}
	start, chance := e.startIndex, *e.chance
	a = e.newAttempt(pod)
	a.batches = false
	e.statuses.Reset()
	return a, func() { e.startIndex, *e.chance = start, chance }
}
