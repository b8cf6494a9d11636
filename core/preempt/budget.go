package preempt

import (
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

// parseBudgets leaves out budgets that match no pod: those with a malformed selector, and those with an empty one, which for
// preemption, unlike the eviction API, matches none.
func parseBudgets(pdbs []*policyv1.PodDisruptionBudget) []budget {
	budgets := make([]budget, 0, len(pdbs))
	for _, pdb := range pdbs {
		selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
		if err != nil || selector.Empty() {
			continue
		}
		budgets = append(budgets, budget{pdb, selector})
	}
	return budgets
}

// splitByBudgets separates the pods whose eviction, in this order, violates a budget. A pod may count against several budgets;
// it does not count against one that lists it as disrupted already. For each violating pod, violated has the first budget.
func splitByBudgets(pods []fwk.PodInfo, budgets []budget) (violating, others []fwk.PodInfo, violated []*policyv1.PodDisruptionBudget) {
	if len(budgets) == 0 {
		return nil, pods, nil
	}
	left := make([]int64, len(budgets))
	for i, b := range budgets {
		left[i] = int64(b.pdb.Status.DisruptionsAllowed)
	}
	for _, info := range pods {
		pod := info.GetPod()
		var overdrawn *policyv1.PodDisruptionBudget
		for i, b := range budgets {
			if len(pod.Labels) == 0 || b.pdb.Namespace != pod.Namespace || !b.selector.Matches(labels.Set(pod.Labels)) {
				continue
			}
			if _, leaving := b.pdb.Status.DisruptedPods[pod.Name]; leaving {
				continue
			}
			left[i]--
			if left[i] < 0 && overdrawn == nil {
				overdrawn = b.pdb
			}
		}
		if overdrawn != nil {
			violating, violated = append(violating, info), append(violated, overdrawn)
		} else {
			others = append(others, info)
		}
	}
	return violating, others, violated
}
