package budget

import (
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// Rules are the rules of this package in the form in which a simulated API server takes them; see the option Budgets of
// world/memory. The zero value is what a cluster without custom resources needs.
type Rules struct {
	// Custom holds the scales of custom resources that own pods, by their UIDs.
	Custom map[types.UID]int32
}

// Selects tells whether a budget counts a pod.
func (Rules) Selects(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod) bool { return Selects(pdb, pod) }

// Evict answers an eviction. The budget to be written comes with an error, too: it is charged before the pod is looked
// at again.
func (Rules) Evict(
	e *policyv1.Eviction, pod *v1.Pod, budgets []*policyv1.PodDisruptionBudget, now time.Time,
) (write *policyv1.PodDisruptionBudget, mark *v1.PodCondition, how metav1.DeleteOptions, err error) {
	v := Judge(Request{Name: e.Name, Eviction: e, Pod: pod, Budgets: budgets, Now: now})
	if v.Refusal != nil {
		return v.Write, nil, v.Delete, v.Refusal
	}
	if v.Mark {
		c := Mark(now)
		mark = &c
	}
	return v.Write, mark, v.Delete, nil
}

// Keep is the disruption controller's look at a budget: its new status, if there is one, when to look again, and what to
// announce.
func (r Rules) Keep(
	pdb *policyv1.PodDisruptionBudget, pods []*v1.Pod, lookup func(world.Kind, string, string) world.Object, now time.Time,
) (write *policyv1.PodDisruptionBudget, recheck time.Time, events []world.Announce) {
	s := Keep(pdb, pods, Scales{Lookup: lookup, Custom: r.Custom}, now)
	return s.Write, s.Recheck, s.Events
}

// Stale tells when the mark of an eviction that came to nothing is to be taken back.
func (Rules) Stale(pod *v1.Pod) (at time.Time, ok bool) { return Stale(pod) }
