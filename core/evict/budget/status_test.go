package budget_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/evict/budget"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func pods(n int, newPod func(string) *mk.PodBuilder) []*v1.Pod {
	var all []*v1.Pod
	for i := range n {
		all = append(all, newPod(fmt.Sprintf("web-%d", i)).Obj())
	}
	return all
}

func TestSync_Counts(t *testing.T) {
	deployed := replicaSet("web", 2)
	deployed.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "d", Controller: ptr(true)}}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "d"}, Spec: appsv1.DeploymentSpec{Replicas: ptr(int32(10))}}
	owned := func(apiVersion, kind string) func(string) *mk.PodBuilder {
		return func(name string) *mk.PodBuilder {
			b := web(name)
			b.Obj().OwnerReferences = nil
			return b.Owner(apiVersion, kind, "own")
		}
	}
	ownUID := func(kind string) types.UID { return owned("x/v1", kind)("p").Obj().OwnerReferences[0].UID }
	bare := func(name string) *mk.PodBuilder {
		b := web(name)
		b.Obj().OwnerReferences = nil
		return b
	}
	var crowd []*v1.Pod
	var crowds []world.Object
	for i := range 3 { // twice the greatest int32 is -2, and three times is 2147483645
		name := fmt.Sprint("rs-", i)
		pod := mk.Pod(name).Label("app", "web").Node("n1").Phase(v1.PodRunning).Owner("apps/v1", "ReplicaSet", name).Condition(v1.PodReady, v1.ConditionTrue, "").Obj()
		crowd, crowds = append(crowd, pod), append(crowds, replicaSet(name, math.MaxInt32))
	}
	tests := []struct {
		name   string
		pdb    *policyv1.PodDisruptionBudget
		pods   []*v1.Pod
		scales budget.Scales
		want   string
	}{
		{"30% of seven unavailable is three", pdb("b", maxUnavailable("30%")), pods(7, web), budget.Scales{Lookup: owners(replicaSet("web", 7))}, "7 expected, 4 desired, 7 healthy, 3 allowed"},
		{"half of seven available is four", pdb("b", minAvailable("50%")), pods(7, web), budget.Scales{Lookup: owners(replicaSet("web", 7))}, "7 expected, 4 desired, 7 healthy, 3 allowed"},
		{"one of three is missing already", pdb("b", maxUnavailable("1")), pods(2, web), budget.Scales{Lookup: owners(replicaSet("web", 3))}, "3 expected, 2 desired, 2 healthy, 0 allowed"},
		{"a whole minimum counts the pods there are", pdb("b", minAvailable("3")), pods(5, web), budget.Scales{Lookup: owners()}, "5 expected, 3 desired, 5 healthy, 2 allowed"},
		{"no pods, nothing allowed", pdb("b", minAvailable("1")), nil, budget.Scales{Lookup: owners()}, "0 expected, 1 desired, 0 healthy, 0 allowed; NoPods: No matching pods found"},
		{"maxUnavailable exceeds the replicas", pdb("b", maxUnavailable("9")), pods(2, web), budget.Scales{Lookup: owners(replicaSet("web", 2))}, "2 expected, 0 desired, 2 healthy, 2 allowed"},
		{"a deployment's replica set counts as the deployment", pdb("b", maxUnavailable("1")), pods(2, web), budget.Scales{Lookup: owners(deployed, deployment)}, "10 expected, 9 desired, 2 healthy, 0 allowed"},
		{"scales that add up to more than is counted", pdb("b", maxUnavailable("1")), crowd, budget.Scales{Lookup: owners(crowds...)}, "2147483647 expected, 2147483646 desired, 3 healthy, 0 allowed"},
		{"a share of more than is counted", pdb("b", maxUnavailable("999999999999%")), pods(2, web), budget.Scales{Lookup: owners(replicaSet("web", 2))}, "2 expected, 0 desired, 2 healthy, 2 allowed"},
		{"a replica set whose deployment is deleted counts itself", pdb("b", maxUnavailable("1")), pods(2, web), budget.Scales{Lookup: owners(deployed)}, "2 expected, 1 desired, 2 healthy, 1 allowed"},
		{
			"two owners are summed", pdb("b", maxUnavailable("50%")), append(pods(2, web), owned("apps/v1", "StatefulSet")("s-0").Obj()),
			budget.Scales{Lookup: owners(replicaSet("web", 2), &appsv1.StatefulSet{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "own", UID: ownUID("StatefulSet")}, Spec: appsv1.StatefulSetSpec{Replicas: ptr(int32(3))},
			})},
			"5 expected, 2 desired, 3 healthy, 1 allowed",
		},
		{
			"a replication controller counts", pdb("b", maxUnavailable("1")), pods(2, owned("v1", "ReplicationController")),
			budget.Scales{Lookup: owners(&v1.ReplicationController{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "own", UID: ownUID("ReplicationController")},
			})},
			"1 expected, 0 desired, 2 healthy, 2 allowed",
		},
		{
			"a custom resource counts by its scale", pdb("b", maxUnavailable("1")), pods(2, owned("example.com/v1", "Fleet")),
			budget.Scales{Lookup: owners(), Custom: map[types.UID]int32{ownUID("Fleet"): 4}},
			"4 expected, 3 desired, 2 healthy, 0 allowed",
		},
		{
			"a deleted owner makes the sync fail", pdb("b", maxUnavailable("1")), pods(2, web),
			budget.Scales{Lookup: owners()},
			`failed: found no controllers for pod "web-0"; CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: found no controllers for pod "web-0"`,
		},
		{
			"an owner without a scale makes the sync fail", pdb("b", minAvailable("50%")), pods(1, owned("apps/v1", "DaemonSet")),
			budget.Scales{Lookup: owners()},
			"failed: daemonsets.apps does not implement the scale subresource; CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: daemonsets.apps does not implement the scale subresource",
		},
		{
			"a pod without an owner is not expected", pdb("b", maxUnavailable("1")), pods(2, bare),
			budget.Scales{Lookup: owners()},
			"0 expected, 0 desired, 2 healthy, 0 allowed; UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set \".spec.minAvailable\" field of the PDB to an integer value.",
		},
		{
			"only ready pods without an eviction are healthy", pdb("b", minAvailable("1"), disrupted("web-1", noon.Add(-time.Minute))),
			[]*v1.Pod{web("web-0").Deleting(noon).Obj(), web("web-1").Obj(), unready("web-2").Obj(), web("web-3").Obj()},
			budget.Scales{Lookup: owners()},
			"4 expected, 1 desired, 1 healthy, 0 allowed, [web-1] disrupted, recheck at 1m0s",
		},
		{
			"an unconfirmed eviction expires after two minutes", pdb("b", minAvailable("1"), disrupted("web-0", noon.Add(-2*time.Minute)), disrupted("gone", noon)),
			pods(2, web),
			budget.Scales{Lookup: owners()},
			"2 expected, 1 desired, 2 healthy, 1 allowed; NotDeleted: Pod was expected by PDB default/default to be deleted but it wasn't",
		},
		{
			"an invalid selector makes the sync fail", pdb("b", selecting(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}})), nil,
			budget.Scales{Lookup: owners()},
			`failed: "Near" is not a valid label selector operator; NoPods: Failed to get pods: "Near" is not a valid label selector operator`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, syncText(budget.Sync(tt.pdb, tt.pods, tt.scales, noon))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func syncText(s budget.SyncResult) string {
	text := fmt.Sprintf("%d expected, %d desired, %d healthy, %d allowed", s.Expected, s.Desired, s.Healthy, s.Allowed)
	if s.Failure != nil {
		text = "failed: " + s.Failure.Error()
	}
	var names []string
	for name := range s.Disrupted {
		names = append(names, name)
	}
	if len(names) > 0 {
		text += fmt.Sprintf(", %v disrupted, recheck at %v", names, s.Recheck.Sub(noon))
	}
	for _, e := range s.Events {
		text += fmt.Sprintf("; %s: %s", e.Reason, e.Note)
	}
	return text
}

func TestSync_WritesOnlyChanges(t *testing.T) {
	b := pdb("b", minAvailable("1"))
	b.Generation = 3
	scales := budget.Scales{Lookup: owners()}
	first := budget.Sync(b, pods(2, web), scales, noon)
	want := policyv1.PodDisruptionBudgetStatus{
		CurrentHealthy: 2, DesiredHealthy: 1, ExpectedPods: 2, DisruptionsAllowed: 1, ObservedGeneration: 3, DisruptedPods: map[string]metav1.Time{},
		Conditions: []metav1.Condition{{
			Type: "DisruptionAllowed", Status: "True", Reason: "SufficientPods", ObservedGeneration: 3, LastTransitionTime: metav1.Time{Time: noon},
		}},
	}
	if diff := cmp.Diff(want, first.UpdatedBudget.Status); diff != "" {
		t.Fatalf("first sync (-want +got):\n%s", diff)
	}
	if again := budget.Sync(first.UpdatedBudget, pods(2, web), scales, noon.Add(time.Hour)); again.UpdatedBudget != nil {
		t.Errorf("an unchanged status was written again: %+v", again.UpdatedBudget.Status)
	}
	fewer := budget.Sync(first.UpdatedBudget, pods(1, web), scales, noon.Add(time.Hour)).UpdatedBudget
	c := fewer.Status.Conditions[0]
	if got := fmt.Sprint(c.Status, c.Reason, c.LastTransitionTime.Sub(noon)); got != "FalseInsufficientPods1h0m0s" {
		t.Errorf("with one pod less the condition is %s", got)
	}
}

func TestSync_FailSafe(t *testing.T) {
	b := pdb("b", maxUnavailable("1"), counts(3, 2, 3, 1))
	s := budget.Sync(b, pods(3, web), budget.Scales{Lookup: owners()}, noon)
	got := s.UpdatedBudget.Status
	if got.DisruptionsAllowed != 0 || got.CurrentHealthy != 3 || got.Conditions[0].Reason != "SyncFailed" || !strings.Contains(got.Conditions[0].Message, "found no controllers") {
		t.Errorf("the status is %+v", got)
	}
	if again := budget.Sync(s.UpdatedBudget, pods(3, web), budget.Scales{Lookup: owners()}, noon.Add(time.Minute)); again.UpdatedBudget != nil {
		t.Errorf("the same failure was written again: %+v", again.UpdatedBudget.Status)
	}
}

func TestStaleConditionAt(t *testing.T) {
	withCondition := func(pod *v1.Pod, reason string) *v1.Pod {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: reason, LastTransitionTime: metav1.Time{Time: noon},
		})
		return pod
	}
	tests := []struct {
		name string
		pod  *v1.Pod
		want string
	}{
		{"evicted and not deleted", withCondition(web("a").Obj(), "EvictionByEvictionAPI"), "2m0s"},
		{"a kubelet's condition", withCondition(web("a").Obj(), v1.PodReasonTerminationByKubelet), "never"},
		{"a terminating pod", withCondition(web("a").Deleting(noon).Obj(), "EvictionByEvictionAPI"), "never"},
		{"a terminal pod", withCondition(web("a").Phase(v1.PodFailed).Obj(), "EvictionByEvictionAPI"), "never"},
		{"no condition", web("a").Obj(), "never"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := "never"
			if at, ok := budget.StaleConditionAt(tt.pod); ok {
				got = at.Sub(noon).String()
			}
			if got != tt.want {
				t.Errorf("stale after %s, want %s", got, tt.want)
			}
		})
	}
}

// In any order of evictions and syncs, evictions never leave fewer healthy pods than the budget requires.
func TestEvaluate_NeverBelowBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "pods")
		least := rapid.IntRange(0, 9).Draw(t, "minAvailable")
		all := pods(n, web)
		for i := range all {
			if rapid.IntRange(0, 3).Draw(t, "health") == 0 {
				all[i] = unready(all[i].Name).Obj()
			}
		}
		b, now := pdb("b", minAvailable(fmt.Sprint(least))), noon
		healthyAtFirst := ready(all)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "seconds")) * time.Second)
			if rapid.Bool().Draw(t, "count") {
				if w := budget.Sync(b, all, budget.Scales{Lookup: owners()}, now).UpdatedBudget; w != nil {
					b = w
				}
				continue
			}
			if len(all) == 0 {
				break
			}
			i := rapid.IntRange(0, len(all)-1).Draw(t, "pod")
			e := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: all[i].Name}}
			v := budget.Evaluate(budget.Request{Name: e.Name, Eviction: e, Pod: all[i], Budgets: []*policyv1.PodDisruptionBudget{b}, Now: now})
			if v.UpdatedBudget != nil {
				b = v.UpdatedBudget
			}
			if v.Refusal == nil {
				all = append(all[:i:i], all[i+1:]...)
			}
			if left := ready(all); left < least && left < healthyAtFirst {
				t.Fatalf("%d ready pods are left, and the budget requires %d", left, least)
			}
		}
	})
}

func ready(all []*v1.Pod) (n int) {
	for _, pod := range all {
		if pod.Status.Conditions[0].Status == v1.ConditionTrue {
			n++
		}
	}
	return n
}
