package preempt

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	policylisters "k8s.io/client-go/listers/policy/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
)

// Evaluator finds the node and the victims of a preemption.
type Evaluator struct {
	handle fwk.Handle
	sample Sample
	pods   corelisters.PodLister
	pdbs   policylisters.PodDisruptionBudgetLister

	budgets    budgets
	priorities lowestPriorities
	dryRunner  nodeDryRun // reused
}

// NewEvaluator makes one for the profile behind a handle.
func NewEvaluator(h fwk.Handle, s Sample) *Evaluator {
	informers := h.SharedInformerFactory()
	return &Evaluator{
		handle: h, sample: s,
		pods: informers.Core().V1().Pods().Lister(),
		pdbs: informers.Policy().V1().PodDisruptionBudgets().Lister(),
	}
}

// Follow sets the rules of a release. Without it they are those of 1.35.
func (ev *Evaluator) Follow(features config.Features) *Evaluator {
	ev.budgets.firstViolation = features.Has(release.BudgetsUpToFirstViolation)
	ev.dryRunner.inOrder = features.Has(release.UnstartedVictimsInOrder)
	return ev
}

// Record is one preemption: the chosen candidate, and why it was chosen.
type Record struct {
	Candidate
	// By is the criterion that decided, and Lost are the candidates it decided against.
	By   Criterion
	Lost []Loser
	// Tried is how many of the Potential nodes the dry run tried.
	Tried, Potential int
}

// RecordKey is the cycle state's key of the *[Record] of a preemption decided in the cycle.
const RecordKey fwk.StateKey = "orrery/preemption"

// Clone returns the record itself, which does not change.
func (r *Record) Clone() fwk.StateData { return r }

// Find decides and changes nothing but the state. The pod is the preemptor as the cluster has it now. The status is a success
// with a record, or says why there is none; helpless means that preemption helps on no node, which clears the pod's nomination.
// While an extender has not answered, the status is an error; Find is called again, and goes on.
func (ev *Evaluator) Find(ctx context.Context, state fwk.CycleState, pod *v1.Pod, m fwk.NodeToStatusReader) (r *Record, helpless bool, status *fwk.Status) {
	c, err := framework.ReadState[*consultation](state, ConsultationKey)
	if err != nil {
		if c, helpless, status = ev.findCandidates(ctx, state, pod, m); c == nil {
			return nil, helpless, status
		}
	}
	candidates, err := ev.consult(state, pod, c)
	switch {
	case err != nil:
		return nil, false, fwk.AsStatus(err)
	case len(candidates) == 0:
		return nil, false, fwk.NewStatus(fwk.Unschedulable, "no candidate node for preemption")
	}
	r = &Record{Tried: c.tried, Potential: c.potential}
	r.Candidate, r.By, r.Lost = pick(candidates)
	return r, false, nil
}

func (ev *Evaluator) findCandidates(ctx context.Context, state fwk.CycleState, pod *v1.Pod, m fwk.NodeToStatusReader) (c *consultation, helpless bool, status *fwk.Status) {
	findings := FindingsIn(state)
	if reason, terminating := ev.ineligible(pod, m); reason != "" {
		findings.ineligible(reason, terminating)
		return nil, false, fwk.NewStatus(fwk.Unschedulable, reason)
	}
	lister := ev.handle.SnapshotSharedLister().NodeInfos()
	all, err := lister.List()
	if err != nil {
		return nil, false, fwk.AsStatus(err)
	}
	if len(all) == 0 {
		return nil, false, fwk.AsStatus(errors.New("no nodes available"))
	}
	potential, err := m.NodesForStatusCode(lister, fwk.Unschedulable)
	if err != nil {
		return nil, false, fwk.AsStatus(err)
	}
	result, err := ev.dryRun(ctx, state, pod, potential, findings)
	findings.ended(result.tried, len(potential), len(all))
	c = &consultation{candidates: append(result.nonViolating, result.violating...), tried: result.tried, potential: len(potential)}
	if len(c.candidates) == 0 {
		if err != nil {
			return nil, false, fwk.AsStatus(err)
		}
		return nil, true, result.unhelpful(len(all))
	}
	return c, false, nil
}

// ineligible says why the pod may not preempt: its policy is Never, or earlier victims are still terminating. It is empty
// if the pod may.
func (ev *Evaluator) ineligible(pod *v1.Pod, m fwk.NodeToStatusReader) (reason string, terminating []*v1.Pod) {
	if p := pod.Spec.PreemptionPolicy; p != nil && *p == v1.PreemptNever {
		return "not eligible due to preemptionPolicy=Never.", nil
	}
	// Room is on its way on the nominated node: another preemption would evict pods for nothing. Unless the node cannot take the pod
	// any more, whoever leaves it.
	nominated := pod.Status.NominatedNodeName
	if nominated == "" || m.Get(nominated).Code() == fwk.UnschedulableAndUnresolvable {
		return "", nil
	}
	node, err := ev.handle.SnapshotSharedLister().NodeInfos().Get(nominated)
	if err != nil {
		return "", nil
	}
	if terminating = terminatingVictims(node, pod); len(terminating) > 0 {
		return "not eligible due to a terminating pod on the nominated node.", terminating
	}
	return "", nil
}

// terminatingVictims are the pods of lower priority on a node that terminate because of a preemption.
func terminatingVictims(node fwk.NodeInfo, preemptor *v1.Pod) []*v1.Pod {
	var victims []*v1.Pod
	for _, info := range node.GetPods() {
		if pod := info.GetPod(); corev1.PodPriority(pod) < corev1.PodPriority(preemptor) && isTerminatingForPreemption(pod) {
			victims = append(victims, pod)
		}
	}
	return victims
}

func isTerminatingForPreemption(pod *v1.Pod) bool {
	if pod.DeletionTimestamp == nil {
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == v1.DisruptionTarget {
			return c.Status == v1.ConditionTrue && c.Reason == v1.PodReasonPreemptionByScheduler
		}
	}
	return false
}

// Preemptor is the pod as the cluster has it now.
func (ev *Evaluator) Preemptor(pod *v1.Pod) (*v1.Pod, error) {
	return ev.pods.Pods(pod.Namespace).Get(pod.Name)
}
