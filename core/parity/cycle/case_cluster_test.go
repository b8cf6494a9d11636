package cycle

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var (
	namespaces = []string{"default", "other"}
	podKeys    = []string{"app", "tier"}
	podValues  = []string{"a", "b", ""}
)

// populate adds namespaces, owners, Services and PodDisruptionBudgets.
func (g *generator) populate() {
	for _, name := range namespaces {
		ns := &v1.Namespace{ObjectMeta: objectMeta("", name)}
		if g.oneIn(2) {
			ns.Labels = map[string]string{"team": pick(g, "x", "y", "")}
		}
		g.c.Namespaces = append(g.c.Namespaces, ns)
		if g.often(spread, 6) {
			g.addOwners(name)
		}
		if g.often(preemption, 8) {
			for i := range 1 + g.IntN(2) {
				g.addBudget(name, i)
			}
		}
	}
}

func (g *generator) addOwners(namespace string) {
	if g.oneIn(2) {
		s := &v1.Service{ObjectMeta: objectMeta(namespace, "s")}
		if !g.oneIn(4) {
			s.Spec.Selector = map[string]string{pick(g, podKeys...): pick(g, podValues...)}
		}
		g.c.Services = append(g.c.Services, s)
	}
	if g.oneIn(2) {
		g.c.Controllers = append(g.c.Controllers, &v1.ReplicationController{
			ObjectMeta: objectMeta(namespace, "o"),
			Spec:       v1.ReplicationControllerSpec{Selector: map[string]string{"app": pick(g, podValues...)}},
		})
	}
	if g.oneIn(2) {
		g.c.ReplicaSets = append(g.c.ReplicaSets, &appsv1.ReplicaSet{
			ObjectMeta: objectMeta(namespace, "o"), Spec: appsv1.ReplicaSetSpec{Selector: g.selector()},
		})
	}
	if g.oneIn(2) {
		g.c.StatefulSets = append(g.c.StatefulSets, &appsv1.StatefulSet{
			ObjectMeta: objectMeta(namespace, "o"), Spec: appsv1.StatefulSetSpec{Selector: g.selector()},
		})
	}
}

func (g *generator) addBudget(namespace string, i int) {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: objectMeta(namespace, fmt.Sprint("budget", i)),
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: g.selector()},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(g.IntN(3))},
	}
	if g.oneIn(4) {
		b.Status.DisruptedPods = map[string]metav1.Time{pick(g, "pod-0", "pod-1", "pod-2"): {}}
	}
	g.c.Budgets = append(g.c.Budgets, b)
}

// selector draws a label selector: nil, or one that matches all, some or no pods.
func (g *generator) selector() *metav1.LabelSelector {
	switch g.IntN(8) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2, 3:
		s := &metav1.LabelSelector{}
		for range 1 + g.IntN(2) {
			s.MatchExpressions = append(s.MatchExpressions, g.requirement())
		}
		return s
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{pick(g, podKeys...): pick(g, podValues...)}}
}

func (g *generator) requirement() metav1.LabelSelectorRequirement {
	r := metav1.LabelSelectorRequirement{Key: pick(g, podKeys...)}
	r.Operator = pick(g, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)
	if r.Operator == metav1.LabelSelectorOpIn || r.Operator == metav1.LabelSelectorOpNotIn {
		r.Values = []string{pick(g, podValues...), "a"}
	}
	if g.oneIn(40) { // an API server would reject it
		r.Operator, r.Values = metav1.LabelSelectorOpIn, nil
	}
	return r
}

func objectMeta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + "/" + name)}
}
