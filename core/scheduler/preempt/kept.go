package preempt

import (
	"context"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

// keptOutcomes are the outcomes of earlier dry runs for pods like this one, of the same priority. An outcome holds as long as its
// node has its generation, the same pods to leave room for are nominated for it, and the budgets that matter are as they were.
type keptOutcomes struct {
	results framework.NodeResults // nil if nothing may be kept
	table   *reuse.Results        // nil if no outcome may be kept
	// What dry runs of this preemption use again and again.
	nominated []*v1.Pod
	before    []framework.FilterCount
}

type keptOutcome struct {
	outcome
	calls                []framework.FilterCount
	selections, statuses uint64 // versions of the budgets; 0 if they do not matter
}

// The bytes of an outcome, and of a victim: a pod that was deleted stays in memory until its node is tried again.
const (
	keptOutcomeBytes = 512
	keptVictimBytes  = 2048
)

// keptFor finds the outcomes for a pod. Findings have more in them than is kept.
func keptFor(h fwk.Handle, state fwk.CycleState, pod *v1.Pod, findings *Findings) keptOutcomes {
	results, ok := h.(framework.NodeResults)
	if !ok || !results.KeepsResults() || findings != nil {
		return keptOutcomes{}
	}
	kind := "dry run of priority " + strconv.Itoa(int(corev1.PodPriority(pod)))
	return keptOutcomes{results: results, table: results.NodeResults(state, pod, kind)}
}

// outcomeOn is the outcome that is kept for a node, or that of a dry run.
func (k *keptOutcomes) outcomeOn(ctx context.Context, node fwk.NodeInfo, s *nodeDryRun, state fwk.CycleState) outcome {
	if k.table == nil {
		return s.run(ctx, node, state)
	}
	k.findNominated(node, s)
	if known, ok := k.table.Find(node, k.nominated).(*keptOutcome); ok && known.holds(s.budgets) {
		k.results.CountFilters(known.calls)
		return known.outcome
	}
	k.before = k.results.FilterCounts(k.before[:0])
	made := s.run(ctx, node, state)
	if made.status.Code() != fwk.Error {
		k.keep(node, made, s.budgets)
	}
	return made
}

// findNominated lists the nominated pods that the pod must leave room for.
func (k *keptOutcomes) findNominated(node fwk.NodeInfo, s *nodeDryRun) {
	k.nominated = k.nominated[:0]
	for _, info := range s.handle.NominatedPodsForNode(node.Node().Name) {
		if other := info.GetPod(); framework.MustLeaveRoom(s.pod, other) {
			k.nominated = append(k.nominated, other)
		}
	}
}

func (o *keptOutcome) holds(b *budgets) bool {
	return (o.selections == 0 || o.selections == b.selections) && (o.statuses == 0 || o.statuses == b.statuses)
}

func (k *keptOutcomes) keep(node fwk.NodeInfo, made outcome, b *budgets) {
	kept := &keptOutcome{outcome: made, calls: k.results.FilterCallsSince(k.before)}
	bytes := keptOutcomeBytes
	if made.budgetsMatter {
		kept.selections = b.selections
	}
	if made.matched {
		kept.statuses = b.statuses
	}
	if made.contender != nil {
		bytes += keptVictimBytes * len(made.contender.Victims)
	}
	k.table.Keep(node, k.nominated, kept, bytes)
}
