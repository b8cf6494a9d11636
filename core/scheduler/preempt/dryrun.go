package preempt

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// Sample says how many candidates the dry run looks for: a percentage of the potential nodes, but at least Min and at most all.
type Sample struct {
	Percent, Min int
}

func (s Sample) size(nodes int) int { return min(nodes, max(nodes*s.Percent/100, s.Min)) }

// dryRunResult is the outcome of the dry run.
type dryRunResult struct {
	nonViolating, violating []*contender
	rejected                map[*fwk.Status]int // nodes by what their dry run ended with
	tried                   int
}

// unhelpful is the status for no candidate.
func (t *dryRunResult) unhelpful(nodes int) *fwk.Status {
	if rest := nodes - t.tried; rest > 0 {
		t.rejected[fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "Preemption is not helpful for scheduling")] = rest
	}
	return fwk.NewStatus(fwk.Unschedulable, framework.Unavailable(nodes, t.rejected))
}

// dryRun tries nodes in order, from a random one on, until there are enough candidates, one of which violates no
// budget. An error on a node does not end it.
func (ev *Evaluator) dryRun(ctx context.Context, state fwk.CycleState, pod *v1.Pod, potential []fwk.NodeInfo, findings *Findings) (*dryRunResult, error) {
	t := &dryRunResult{rejected: map[*fwk.Status]int{}}
	if len(potential) == 0 {
		return t, nil
	}
	pdbs, err := ev.pdbs.List(labels.Everything())
	if err != nil {
		return t, err
	}
	wanted, first := ev.sample.size(len(potential)), ev.randomStart(len(potential))
	kept := keptFor(ev.handle, state, pod, findings)
	if kept.results != nil && ev.allAbove(pod) {
		t.tried, t.rejected[noVictims] = len(potential), len(potential)
		return t, nil
	}
	ev.budgets.update(pdbs)
	s := &ev.dryRunner
	s.handle, s.pod, s.budgets, s.stateless = ev.handle, pod, &ev.budgets, kept.table != nil
	var errs []error
	for i := range potential {
		node := potential[(first+i)%len(potential)]
		t.tried++
		o := kept.outcomeOn(ctx, node, s, state)
		findings.tried(node, s, o)
		switch {
		case o.contender == nil:
			if o.status.Code() == fwk.Error {
				errs = append(errs, o.status.AsError())
			}
			t.rejected[o.status]++
			continue
		case o.contender.Violations == 0:
			if t.nonViolating == nil {
				t.nonViolating = make([]*contender, 0, wanted)
			}
			t.nonViolating = append(t.nonViolating, o.contender)
		case len(t.violating) < wanted:
			t.violating = append(t.violating, o.contender)
		}
		if len(t.nonViolating) > 0 && len(t.nonViolating)+len(t.violating) >= wanted {
			break
		}
	}
	return t, utilerrors.NewAggregate(errs) // a text that several nodes give appears once
}

// allAbove reports whether no node has a pod of lower priority, if that is known.
func (ev *Evaluator) allAbove(pod *v1.Pod) bool {
	found, known := ev.priorities.anyBelow(corev1.PodPriority(pod), ev.handle.SnapshotSharedLister().NodeInfos())
	return known && !found
}

// randomStart picks the node at which the dry run starts, so that preemptions spread over the nodes.
func (ev *Evaluator) randomStart(nodes int) int {
	if rand, ok := ev.handle.(framework.Rand); ok {
		return rand.IntN(nodes)
	}
	return 0
}
