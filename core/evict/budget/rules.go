package budget

import (
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// Rules adapts this package to the Budgets option of world/memory's API server. The zero value serves a cluster without
// custom resources.
type Rules struct {
	// Custom holds the scales of custom resources that own pods, by their UIDs.
	Custom map[types.UID]int32
}

// Selects reports whether a budget selects a pod.
func (Rules) Selects(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod) bool { return Selects(pdb, pod) }

// Evict answers an eviction. The budget to write comes with an error, too: it is charged before the pod is checked again.
func (Rules) Evict(
	e *policyv1.Eviction, pod *v1.Pod, budgets []*policyv1.PodDisruptionBudget, now time.Time,
) (write *policyv1.PodDisruptionBudget, mark *v1.PodCondition, how metav1.DeleteOptions, err error) {
	v := Evaluate(Request{Name: e.Name, Eviction: e, Pod: pod, Budgets: budgets, Now: now})
	if v.Refusal != nil {
		return v.UpdatedBudget, nil, v.Delete, v.Refusal
	}
	if v.AddCondition {
		c := DisruptionCondition(now)
		mark = &c
	}
	return v.UpdatedBudget, mark, v.Delete, nil
}

// Sync runs the disruption controller for a budget: it returns the new status, if it changes, the time of the next sync,
// and events.
func (r Rules) Sync(
	pdb *policyv1.PodDisruptionBudget, pods []*v1.Pod, lookup func(world.Kind, string, string) world.Object, now time.Time,
) (write *policyv1.PodDisruptionBudget, recheck time.Time, events []world.EmitEvent) {
	s := Sync(pdb, pods, Scales{Lookup: lookup, Custom: r.Custom}, now)
	return s.UpdatedBudget, s.Recheck, s.Events
}

// StaleConditionAt returns when the condition of an eviction without a deletion is removed.
func (Rules) StaleConditionAt(pod *v1.Pod) (at time.Time, ok bool) { return StaleConditionAt(pod) }
