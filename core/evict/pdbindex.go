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

// pdbIndex holds the PodDisruptionBudgets of each namespace by name. A list is replaced, never changed, so that forks share
// it.
type pdbIndex map[string][]indexedPDB

// indexedPDB is a budget with its parsed selector, which selects nothing if it is invalid.
type indexedPDB struct {
	pdb      *policyv1.PodDisruptionBudget
	selector labels.Selector
}

func (g pdbIndex) find(namespace, name string) (at int, found bool) {
	return slices.BinarySearchFunc(g[namespace], name, func(one indexedPDB, name string) int {
		return strings.Compare(one.pdb.Name, name)
	})
}

func (g pdbIndex) get(namespace, name string) *indexedPDB {
	if name == "" {
		return nil
	}
	if at, found := g.find(namespace, name); found {
		return &g[namespace][at]
	}
	return nil
}

func (g pdbIndex) put(pdb *policyv1.PodDisruptionBudget) (other bool) {
	at, found := g.find(pdb.Namespace, pdb.Name)
	list := slices.Clone(g[pdb.Namespace])
	if found && equality.Semantic.DeepEqual(list[at].pdb.Spec.Selector, pdb.Spec.Selector) {
		list[at].pdb = pdb
	} else {
		if !found {
			list = slices.Insert(list, at, indexedPDB{})
		}
		list[at], other = indexedPDB{pdb, selectorOf(pdb)}, true
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

func (g pdbIndex) remove(namespace, name string) {
	at, found := g.find(namespace, name)
	if !found {
		return
	}
	if g[namespace] = slices.Delete(slices.Clone(g[namespace]), at, at+1); len(g[namespace]) == 0 {
		delete(g, namespace)
	}
}

// tightest returns the budget that selects a pod and allows the fewest disruptions; nil if none selects it.
func (g pdbIndex) tightest(pod *v1.Pod) (tightest *indexedPDB) {
	list := g[pod.Namespace]
	for i := range list {
		if list[i].selector.Matches(labels.Set(pod.Labels)) &&
			(tightest == nil || list[i].pdb.Status.DisruptionsAllowed < tightest.pdb.Status.DisruptionsAllowed) {
			tightest = &list[i]
		}
	}
	return tightest
}
