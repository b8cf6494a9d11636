package evict

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// guards are the disruption budgets of each namespace, in the order of their names. A list is never changed, only
// replaced, so that forks can share it.
type guards map[string][]guard

// guard is a budget, and which pods it counts: none if its selector makes no sense.
type guard struct {
	pdb      *policyv1.PodDisruptionBudget
	selector labels.Selector
}

func (g guards) find(namespace, name string) (at int, found bool) {
	return slices.BinarySearchFunc(g[namespace], name, func(one guard, name string) int {
		return strings.Compare(one.pdb.Name, name)
	})
}

func (g guards) named(namespace, name string) *guard {
	if name == "" {
		return nil
	}
	if at, found := g.find(namespace, name); found {
		return &g[namespace][at]
	}
	return nil
}

func (g guards) put(pdb *policyv1.PodDisruptionBudget) (other bool) {
	at, found := g.find(pdb.Namespace, pdb.Name)
	list := slices.Clone(g[pdb.Namespace])
	if found && equality.Semantic.DeepEqual(list[at].pdb.Spec.Selector, pdb.Spec.Selector) {
		list[at].pdb = pdb
	} else {
		if !found {
			list = slices.Insert(list, at, guard{})
		}
		list[at], other = guard{pdb, selectorOf(pdb)}, true
	}
	g[pdb.Namespace] = list
	return other
}

func selectorOf(pdb *policyv1.PodDisruptionBudget) labels.Selector {
	if selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector); err == nil {
		return selector
	}
	return labels.Nothing()
}

func (g guards) drop(namespace, name string) {
	at, found := g.find(namespace, name)
	if !found {
		return
	}
	if g[namespace] = slices.Delete(slices.Clone(g[namespace]), at, at+1); len(g[namespace]) == 0 {
		delete(g, namespace)
	}
}

// of is the budget that counts a pod and lets fewest go, nil if none counts it.
func (g guards) of(pod *v1.Pod) (tightest *guard) {
	list := g[pod.Namespace]
	for i := range list {
		if list[i].selector.Matches(labels.Set(pod.Labels)) &&
			(tightest == nil || list[i].pdb.Status.DisruptionsAllowed < tightest.pdb.Status.DisruptionsAllowed) {
			tightest = &list[i]
		}
	}
	return tightest
}
