package preempt

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	policylisters "k8s.io/client-go/listers/policy/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// Sample says how many nodes are tried: so many percent of those that might do, but at least Least and at most all.
type Sample struct {
	Percent, Least int
}

func (s Sample) of(nodes int) int { return min(nodes, max(nodes*s.Percent/100, s.Least)) }

// Evaluator finds out whose leaving would make room for a pod.
type Evaluator struct {
	handle  fwk.Handle
	sample  Sample
	pods    corelisters.PodLister
	budgets policylisters.PodDisruptionBudgetLister

	stay     stay                    // the last dry run's, for its room
	statuses *framework.NodeToStatus // and what stood in its way
}

// NewEvaluator makes one for the profile behind a handle.
func NewEvaluator(h fwk.Handle, s Sample) *Evaluator {
	informers := h.SharedInformerFactory()
	return &Evaluator{
		handle: h, sample: s,
		pods:    informers.Core().V1().Pods().Lister(),
		budgets: informers.Policy().V1().PodDisruptionBudgets().Lister(),

		statuses: framework.NewNodeToStatus(0),
	}
}

// Record is one preemption, or the attempt at one: who, on whose account, and why there.
type Record struct {
	Candidate
	// By is the criterion that decided, and Lost are the candidates it decided against.
	By   Criterion
	Lost []Loser
	// Tried is how many nodes were tried, of Potential ones where trying made sense.
	Tried, Potential int
}

// RecordKey is where a cycle's state holds the *[Record] of a preemption that was decided in it.
const RecordKey fwk.StateKey = "orrery/preemption"

// Clone is the record itself; nobody changes it.
func (r *Record) Clone() fwk.StateData { return r }

// Find decides, without changing anything. The pod is the preemptor as the cluster has it now. The status is a success
// with a record, or says why there is none; helpless tells that no node could be made to do, which ends the pod's claim
// to any.
func (ev *Evaluator) Find(ctx context.Context, state fwk.CycleState, pod *v1.Pod, m fwk.NodeToStatusReader) (r *Record, helpless bool, status *fwk.Status) {
	if reason := ev.ineligible(pod, m); reason != "" {
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
	trial, err := ev.dryRun(ctx, state, pod, potential)
	if len(trial.candidates()) == 0 {
		if err != nil {
			return nil, false, fwk.AsStatus(err)
		}
		return nil, true, trial.unhelpful(pod, len(all))
	}
	r = &Record{Tried: trial.tried, Potential: len(potential)}
	r.Candidate, r.By, r.Lost = Pick(trial.candidates())
	return r, false, nil
}

// ineligible says why the pod may not preempt, if it may not: it never does, or its last victims are still leaving.
func (ev *Evaluator) ineligible(pod *v1.Pod, m fwk.NodeToStatusReader) string {
	if p := pod.Spec.PreemptionPolicy; p != nil && *p == v1.PreemptNever {
		return "not eligible due to preemptionPolicy=Never."
	}
	nominated := pod.Status.NominatedNodeName
	if nominated == "" || m.Get(nominated).Code() == fwk.UnschedulableAndUnresolvable {
		return ""
	}
	node, err := ev.handle.SnapshotSharedLister().NodeInfos().Get(nominated)
	if err != nil {
		return ""
	}
	for _, info := range node.GetPods() {
		if corev1.PodPriority(info.GetPod()) < corev1.PodPriority(pod) && leavingForPreemptor(info.GetPod()) {
			return "not eligible due to a terminating pod on the nominated node."
		}
	}
	return ""
}

func leavingForPreemptor(pod *v1.Pod) bool {
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

// trial is what came of the dry run.
type trial struct {
	clean, violating []Candidate
	statuses         *framework.NodeToStatus
	tried            int
}

func (t *trial) candidates() []Candidate {
	return append(t.clean[:len(t.clean):len(t.clean)], t.violating...)
}

// unhelpful words that no candidate was found.
func (t *trial) unhelpful(pod *v1.Pod, nodes int) *fwk.Status {
	t.statuses.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "Preemption is not helpful for scheduling"))
	fit := &framework.FitError{Pod: pod, NumAllNodes: nodes, Diagnosis: framework.Diagnosis{NodeToStatus: t.statuses}}
	return fwk.NewStatus(fwk.Unschedulable, fit.Error())
}

// dryRun tries nodes in order, from one drawn at random on, until there are enough candidates, one of which violates no
// budget. Errors do not end it: another node may do.
func (ev *Evaluator) dryRun(ctx context.Context, state fwk.CycleState, pod *v1.Pod, potential []fwk.NodeInfo) (*trial, error) {
	ev.statuses.Reset()
	t := &trial{statuses: ev.statuses}
	if len(potential) == 0 {
		return t, nil
	}
	pdbs, err := ev.budgets.List(labels.Everything())
	if err != nil {
		return t, err
	}
	budgets, wanted, first := parse(pdbs), ev.sample.of(len(potential)), ev.draw(len(potential))
	var errs []error
	s := &ev.stay
	s.handle, s.pod = ev.handle, pod
	for i := range potential {
		node := potential[(first+i)%len(potential)]
		t.tried++
		victims, violations, status := s.on(ctx, node, state, budgets)
		if status.IsSuccess() && len(victims) == 0 {
			status = fwk.AsStatus(fmt.Errorf("expected at least one victim pod on node %q", node.Node().Name))
		}
		if !status.IsSuccess() {
			if status.Code() == fwk.Error {
				errs = append(errs, status.AsError())
			}
			t.statuses.Append(node, status)
			continue
		}
		c := Candidate{Node: node.Node().Name, Victims: victims, Violations: violations}
		if violations == 0 {
			if t.clean == nil {
				t.clean = make([]Candidate, 0, wanted)
			}
			t.clean = append(t.clean, c)
		} else if len(t.violating) < wanted {
			t.violating = append(t.violating, c)
		}
		if len(t.clean) > 0 && len(t.clean)+len(t.violating) >= wanted {
			break
		}
	}
	return t, errors.Join(errs...)
}

// draw picks where the dry run starts, so that the same nodes do not always bear it.
func (ev *Evaluator) draw(nodes int) int {
	if dice, ok := ev.handle.(framework.Dice); ok {
		return dice.Draw(nodes)
	}
	return 0
}

// Preemptor is the pod as the cluster has it now.
func (ev *Evaluator) Preemptor(pod *v1.Pod) (*v1.Pod, error) {
	return ev.pods.Pods(pod.Namespace).Get(pod.Name)
}
