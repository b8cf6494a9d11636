package evict

import (
	"fmt"
	"math/rand/v2"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/world"
)

func pointerTo[T any](v T) *T { return &v }

// budgetTime is a whole second, as the times in objects are.
var budgetTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func drawBudgetPod(r *rand.Rand, name string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: name, UID: types.UID("uid-" + name), ResourceVersion: fmt.Sprint(1 + r.IntN(3))}}
	if r.IntN(6) > 0 {
		pod.Labels = map[string]string{"app": pick(r, "a", "a", "b")}
	}
	pod.Status.Phase = pick(r, v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodPending, v1.PodSucceeded, v1.PodFailed, v1.PodUnknown)
	if r.IntN(8) > 0 {
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: pick(r, v1.ConditionTrue, v1.ConditionTrue, v1.ConditionFalse, v1.ConditionUnknown)}}
	}
	if r.IntN(8) == 0 {
		pod.DeletionTimestamp = &metav1.Time{Time: budgetTime.Add(time.Minute)}
	}
	return pod
}

func drawSelector(r *rand.Rand) *metav1.LabelSelector {
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: pick(r, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, "Near"), Values: pick(r, nil, []string{"a"})}}}
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}
}

func drawBudget(r *rand.Rand, name string) *policyv1.PodDisruptionBudget {
	pdb := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: pick(r, "x", "x", "x", "x", "x", "y"), Name: name, UID: types.UID("uid-" + name), Generation: 2}}
	pdb.Spec.Selector = drawSelector(r)
	limit := pointerTo(pick(r, intstr.FromInt32(0), intstr.FromInt32(1), intstr.FromInt32(3), intstr.FromString("30%"), intstr.FromString("50%"), intstr.FromString("100%"), intstr.FromString("x")))
	switch r.IntN(8) {
	case 0:
	case 1, 2, 3:
		pdb.Spec.MinAvailable = limit
	default:
		pdb.Spec.MaxUnavailable = limit
	}
	if r.IntN(3) == 0 {
		pdb.Spec.UnhealthyPodEvictionPolicy = pointerTo(pick(r, policyv1.AlwaysAllow, policyv1.IfHealthyBudget))
	}
	s := &pdb.Status
	s.ObservedGeneration = pick[int64](r, 2, 2, 2, 2, 2, 1)
	s.CurrentHealthy, s.DesiredHealthy, s.ExpectedPods = int32(r.IntN(4)), int32(r.IntN(4)), int32(r.IntN(5))
	s.DisruptionsAllowed = pick[int32](r, 0, 0, 1, 1, 2, 3, -1)
	if r.IntN(2) == 0 {
		s.DisruptedPods = map[string]metav1.Time{}
		for range r.IntN(4) {
			s.DisruptedPods[fmt.Sprintf("p%d", r.IntN(7))] = metav1.Time{Time: budgetTime.Add(-time.Duration(pick(r, 0, 1, 60, 119, 121, 600)) * time.Second)}
		}
	}
	if r.IntN(60) == 0 {
		s.DisruptedPods = map[string]metav1.Time{}
		for i := range 2000 + r.IntN(2) {
			s.DisruptedPods[fmt.Sprint("old", i)] = metav1.Time{Time: budgetTime}
		}
	}
	if r.IntN(3) > 0 {
		s.Conditions = []metav1.Condition{{
			Type: policyv1.DisruptionAllowedCondition, Status: pick(r, metav1.ConditionTrue, metav1.ConditionFalse),
			Reason: pick(r, policyv1.SyncFailedReason, policyv1.InsufficientPodsReason, policyv1.SufficientPodsReason), Message: pick(r, "", "a message"),
			ObservedGeneration: s.ObservedGeneration, LastTransitionTime: metav1.Time{Time: budgetTime.Add(-time.Hour)},
		}}
	}
	return pdb
}

// evictionCase is one eviction and the API server's objects.
type evictionCase struct {
	Name     string
	DryRun   []string
	Eviction *policyv1.Eviction
	Pod      *v1.Pod
	Budgets  []*policyv1.PodDisruptionBudget
	// Races is set if the pod changes once between its first read and its deletion.
	Races bool
}

func drawEviction(seed uint64) *evictionCase {
	r := rand.New(rand.NewPCG(seed, 0))
	a := &evictionCase{Name: "p0", Races: r.IntN(10) == 0, Eviction: &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "p0"}}}
	if r.IntN(30) > 0 {
		a.Pod = drawBudgetPod(r, "p0")
	}
	for i := range pick(r, 0, 1, 1, 1, 1, 2, 3) {
		a.Budgets = append(a.Budgets, drawBudget(r, fmt.Sprintf("b%d", i)))
	}
	if r.IntN(40) == 0 {
		a.Name = "p1"
	}
	if r.IntN(8) == 0 {
		a.DryRun = []string{"All"}
	}
	if r.IntN(2) == 0 {
		a.Eviction.DeleteOptions = drawDeleteOptions(r)
	}
	return a
}

func drawDeleteOptions(r *rand.Rand) *metav1.DeleteOptions {
	o := &metav1.DeleteOptions{}
	if r.IntN(3) == 0 {
		o.GracePeriodSeconds = pointerTo(pick[int64](r, 0, 5, 30))
	}
	if r.IntN(6) == 0 {
		o.DryRun = []string{pick(r, "All", "Some")}
	}
	if r.IntN(3) == 0 {
		o.Preconditions = &metav1.Preconditions{}
		if r.IntN(2) == 0 {
			o.Preconditions.UID = pointerTo(pick[types.UID](r, "uid-p0", "uid-p0", "uid-other", ""))
		}
		if r.IntN(2) == 0 {
			o.Preconditions.ResourceVersion = pointerTo(pick(r, "1", "2", "3", ""))
		}
	}
	if r.IntN(20) == 0 {
		o.IgnoreStoreReadErrorWithClusterBreakingPotential = pointerTo(pick(r, true, false))
	}
	return o
}

// budgetCase is one budget, the pods of its namespace and their owners.
type budgetCase struct {
	Budget *policyv1.PodDisruptionBudget
	Pods   []*v1.Pod
	RCs    []*v1.ReplicationController
	Sets   []*appsv1.ReplicaSet
	Deps   []*appsv1.Deployment
	States []*appsv1.StatefulSet
	Fleets map[types.UID]int32
}

func drawBudgetCase(seed uint64) *budgetCase {
	r := rand.New(rand.NewPCG(seed, 1))
	l := &budgetCase{Budget: drawBudget(r, "b"), Fleets: map[types.UID]int32{}}
	l.Budget.Namespace = "x"
	var refs []metav1.OwnerReference
	own := func(apiVersion, kind, name string) metav1.ObjectMeta {
		uid := types.UID(kind + name)
		ref := metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, Controller: pointerTo(true)}
		if r.IntN(25) == 0 {
			ref.UID = "another" // there was one of that name before
		}
		refs = append(refs, ref)
		return metav1.ObjectMeta{Namespace: "x", Name: name, UID: uid}
	}
	replicas := func() *int32 { return pointerTo(int32(r.IntN(8))) }
	for i := range r.IntN(3) {
		meta := own(pick(r, "apps/v1", "apps/v1", "extensions/v1beta1", "other/v1"), "ReplicaSet", fmt.Sprint("rs", i))
		set := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: replicas()}}
		if r.IntN(2) == 0 {
			d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "d", UID: "d"}, Spec: appsv1.DeploymentSpec{Replicas: pointerTo(int32(4))}}
			set.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "d", UID: "d", Controller: pointerTo(true)}}
			if r.IntN(6) > 0 && len(l.Deps) == 0 {
				l.Deps = append(l.Deps, d)
			}
		}
		if r.IntN(15) > 0 {
			l.Sets = append(l.Sets, set)
		}
	}
	if r.IntN(3) == 0 {
		l.RCs = append(l.RCs, &v1.ReplicationController{ObjectMeta: own("v1", "ReplicationController", "rc"), Spec: v1.ReplicationControllerSpec{Replicas: replicas()}})
	}
	if r.IntN(3) == 0 {
		l.States = append(l.States, &appsv1.StatefulSet{ObjectMeta: own("apps/v1", "StatefulSet", "ss"), Spec: appsv1.StatefulSetSpec{Replicas: replicas()}})
	}
	if r.IntN(4) == 0 {
		own("example.com/v1", "Fleet", "f")
		l.Fleets["Fleetf"] = int32(r.IntN(6))
	}
	if r.IntN(15) == 0 {
		own(pick(r, "apps/v1", "batch/v1"), pick(r, "DaemonSet", "Job"), "x")
	}
	for i := range r.IntN(7) {
		pod := drawBudgetPod(r, fmt.Sprintf("p%d", i))
		if len(refs) > 0 && r.IntN(6) > 0 {
			pod.OwnerReferences = []metav1.OwnerReference{pick(r, refs...)}
		}
		l.Pods = append(l.Pods, pod)
	}
	return l
}

// find returns an owner.
func (l *budgetCase) find(kind world.Kind, namespace, name string) world.Object {
	var all []world.Object
	for _, o := range l.RCs {
		all = append(all, o)
	}
	for _, o := range l.Sets {
		all = append(all, o)
	}
	for _, o := range l.Deps {
		all = append(all, o)
	}
	for _, o := range l.States {
		all = append(all, o)
	}
	for _, o := range all {
		if world.KindOf(o) == kind && o.GetNamespace() == namespace && o.GetName() == name {
			return o
		}
	}
	return nil
}
