package preempt

import (
	"cmp"
	"reflect"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
)

// budget is a disruption budget with its selector parsed.
type budget struct {
	pdb      *policyv1.PodDisruptionBudget
	selector labels.Selector
}

// budgets are the disruption budgets of a cluster, as far as they match pods. Their versions say whether what was found out with
// them still holds.
type budgets struct {
	pdbs []*policyv1.PodDisruptionBudget
	list []budget
	// firstViolation says that the first budget that a pod violates ends the count for it.
	firstViolation bool
	// statuses grows with every change, and selections with those that may change which pods match.
	statuses, selections uint64
}

// update parses the budgets that have changed.
func (b *budgets) update(pdbs []*policyv1.PodDisruptionBudget) {
	if b.statuses > 0 && slices.Equal(pdbs, b.pdbs) {
		return
	}
	b.statuses++
	if b.selections == 0 || !slices.EqualFunc(pdbs, b.pdbs, matchAlike) {
		b.selections++
	}
	b.pdbs, b.list = pdbs, parseBudgets(pdbs)
	if b.firstViolation {
		// The order decides which of a pod's budgets are charged. Upstream's is that of a map.
		slices.SortStableFunc(b.list, func(x, y budget) int {
			return cmp.Or(cmp.Compare(x.pdb.Namespace, y.pdb.Namespace), cmp.Compare(x.pdb.Name, y.pdb.Name))
		})
	}
}

func matchAlike(a, b *policyv1.PodDisruptionBudget) bool {
	return a == b || a.Namespace == b.Namespace && reflect.DeepEqual(a.Spec.Selector, b.Spec.Selector)
}

// parseBudgets leaves out budgets that match no pod: those with a malformed selector, and those with an empty one, which for
// preemption, unlike the eviction API, matches none.
func parseBudgets(pdbs []*policyv1.PodDisruptionBudget) []budget {
	list := make([]budget, 0, len(pdbs))
	for _, pdb := range pdbs {
		selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
		if err != nil || selector.Empty() {
			continue
		}
		list = append(list, budget{pdb, selector})
	}
	return list
}

// split separates the pods whose eviction, in this order, violates a budget. A pod may count against several budgets, from 1.37 on up to
// the first that it violates; it does not count against one that lists it as disrupted already. For each violating pod, violated has the first budget.
// matched tells that a budget matches any of the pods.
func (b *budgets) split(pods []fwk.PodInfo) (violating, others []fwk.PodInfo, violated []*policyv1.PodDisruptionBudget, matched bool) {
	if len(b.list) == 0 {
		return nil, pods, nil, false
	}
	left := make([]int64, len(b.list))
	for i, entry := range b.list {
		left[i] = int64(entry.pdb.Status.DisruptionsAllowed)
	}
	for _, info := range pods {
		pod := info.GetPod()
		var overdrawn *policyv1.PodDisruptionBudget
		for i, entry := range b.list {
			if len(pod.Labels) == 0 || entry.pdb.Namespace != pod.Namespace || !entry.selector.Matches(labels.Set(pod.Labels)) {
				continue
			}
			matched = true
			if _, leaving := entry.pdb.Status.DisruptedPods[pod.Name]; leaving {
				continue
			}
			left[i]--
			if left[i] < 0 && overdrawn == nil {
				overdrawn = entry.pdb
				if b.firstViolation {
					break
				}
			}
		}
		if overdrawn != nil {
			violating, violated = append(violating, info), append(violated, overdrawn)
		} else {
			others = append(others, info)
		}
	}
	return violating, others, violated, matched
}
