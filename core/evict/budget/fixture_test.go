package budget_test

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/evict/budget"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

// pdb is a synced budget for the pods with the label app=web, with changes.
func pdb(name string, changes ...func(*policyv1.PodDisruptionBudget)) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name), Generation: 1},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
		Status:     policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1},
	}
	for _, change := range changes {
		change(b)
	}
	return b
}

type change = func(*policyv1.PodDisruptionBudget)

func counts(healthy, desired, expected, allowed int32) change {
	return func(b *policyv1.PodDisruptionBudget) {
		b.Status.CurrentHealthy, b.Status.DesiredHealthy = healthy, desired
		b.Status.ExpectedPods, b.Status.DisruptionsAllowed = expected, allowed
	}
}

func refuses(reason, message string) change {
	return func(b *policyv1.PodDisruptionBudget) {
		b.Status.Conditions = []metav1.Condition{{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: reason, Message: message,
		}}
	}
}

func minAvailable(n string) change {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.MinAvailable = ptr(intstr.Parse(n)) }
}

func maxUnavailable(n string) change {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.MaxUnavailable = ptr(intstr.Parse(n)) }
}

func selecting(s *metav1.LabelSelector) change {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.Selector = s }
}

func disrupted(pod string, at time.Time) change {
	return func(b *policyv1.PodDisruptionBudget) {
		if b.Status.DisruptedPods == nil {
			b.Status.DisruptedPods = map[string]metav1.Time{}
		}
		b.Status.DisruptedPods[pod] = metav1.Time{Time: at}
	}
}

// web is a ready pod of replica set "web".
func web(name string) *mk.PodBuilder {
	return mk.Pod(name).Label("app", "web").Node("n1").Phase(v1.PodRunning).Owner("apps/v1", "ReplicaSet", "web").Condition(v1.PodReady, v1.ConditionTrue, "")
}

func unready(name string) *mk.PodBuilder {
	b := web(name)
	b.Obj().Status.Conditions[0].Status = v1.ConditionFalse
	return b
}

// owners looks up these objects.
func owners(objects ...world.Object) budget.Lookup {
	return func(kind world.Kind, namespace, name string) world.Object {
		for _, o := range objects {
			if world.KindOf(o) == kind && o.GetNamespace() == namespace && o.GetName() == name {
				return o
			}
		}
		return nil
	}
}

func replicaSet(name string, replicas int32) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: mk.Pod("x").Owner("apps/v1", "ReplicaSet", name).Obj().OwnerReferences[0].UID},
		Spec:       appsv1.ReplicaSetSpec{Replicas: &replicas},
	}
}
