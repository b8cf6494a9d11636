package budget_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict/budget"
	"orrery/core/testing/mk"
)

// answer is a response as a client sees it: code, message, causes and Retry-After; and the disruptions that the written
// budget allows.
func answer(v budget.Response) string {
	text := fmt.Sprint(v.Code())
	if v.Refusal != nil {
		s := v.Refusal.ErrStatus
		text += " " + s.Message
		if s.Details != nil {
			for _, c := range s.Details.Causes {
				text += fmt.Sprintf(" [%s]", c.Message)
			}
			if s.Details.RetryAfterSeconds != 0 {
				text += fmt.Sprintf(" (retry in %ds)", s.Details.RetryAfterSeconds)
			}
		}
	}
	if v.UpdatedBudget != nil {
		text += fmt.Sprintf(" allowed=%d", v.UpdatedBudget.Status.DisruptionsAllowed)
	}
	return text
}

const wouldViolate = "429 Cannot evict pod as it would violate the pod's disruption budget. "

// Shows API-03, API-04 and C-24.
func TestEvaluate(t *testing.T) {
	always := func(b *policyv1.PodDisruptionBudget) { b.Spec.UnhealthyPodEvictionPolicy = ptr(policyv1.AlwaysAllow) }
	stale := func(b *policyv1.PodDisruptionBudget) { b.Generation = 2 }
	full := func(b *policyv1.PodDisruptionBudget) {
		for i := range 2001 {
			disrupted(fmt.Sprint("p", i), noon)(b)
		}
	}
	tests := []struct {
		name    string
		pod     *v1.Pod
		budgets []*policyv1.PodDisruptionBudget
		want    string
	}{
		{"a pod that no budget selects is evicted", web("a").Obj(), nil, "201"},
		{"a budget of another application does not select it", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", selecting(&metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}})),
		}, "201"},
		{"a budget that allows disruptions is charged", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(3, 1, 3, 2)),
		}, "201 allowed=1"},
		{"a budget that needs every healthy pod refuses", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(2, 2, 2, 0)),
		}, wouldViolate + "[The disruption budget b needs 2 healthy pods and has 2 currently]"},
		{"two budgets are an internal error", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(3, 1, 3, 2)), pdb("c", counts(3, 1, 3, 2)),
		}, "500 This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."},
		{"an empty selector selects every pod", mk.Pod("bare").Phase(v1.PodRunning).Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", selecting(&metav1.LabelSelector{}), counts(1, 2, 2, 0)),
		}, wouldViolate + "[The disruption budget b needs 2 healthy pods and has 1 currently]"},
		{"a missing selector selects no pod", web("a").Obj(), []*policyv1.PodDisruptionBudget{pdb("b", selecting(nil))}, "201"},
		{"an invalid selector selects no pod", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", selecting(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}})),
		}, "201"},
		{"a change that is not observed yet: retry later", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(3, 1, 3, 2), stale),
		}, wouldViolate + "[The disruption budget b is still being processed by the server.] (retry in 10s)"},
		{"negative disruptionsAllowed is forbidden", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(3, 1, 3, -1)),
		}, `403 poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative [The disruption budget b does not allow evicting pods currently: pdb disruptions allowed is negative]`},
		{"more than 2000 unconfirmed evictions are forbidden", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(3, 1, 3, 2), full),
		}, `403 poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller [The disruption budget b does not allow evicting pods currently: too many pending evictions not confirmed by PDB controller]`},
		{"a failed sync is the reason", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(1, 2, 2, 0), refuses("SyncFailed", "jobs.batch does not implement the scale subresource")),
		}, wouldViolate + "[The disruption budget b does not allow evicting pods currently because it failed sync: jobs.batch does not implement the scale subresource]"},
		{"enough healthy pods and no disruptions allowed: the condition's reason", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(3, 2, 3, 0), refuses("Frozen", "until Monday")),
		}, wouldViolate + "[The disruption budget b does not allow evicting pods currently (Frozen): until Monday]"},
		{"enough healthy pods and no disruptions allowed: no reason", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(3, 2, 3, 0), refuses("InsufficientPods", "")),
		}, wouldViolate + "[The disruption budget b does not allow evicting pods currently]"},

		{"an unready pod is evicted without a charge while enough others are healthy", unready("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(2, 2, 3, 0)),
		}, "201"},
		{"an unready pod of a disrupted application is refused", unready("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(1, 2, 3, 0)),
		}, wouldViolate + "[The disruption budget b needs 2 healthy pods and has 1 currently]"},
		{"an unready pod is refused where no healthy pod is desired: the budget may not be synced yet", unready("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(0, 0, 0, 0)),
		}, wouldViolate + "[The disruption budget b needs 0 healthy pods and has 0 currently]"},
		{"AlwaysAllow evicts an unready pod regardless", unready("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(0, 2, 3, 0), always),
		}, "201"},
		{"AlwaysAllow does not help a ready pod", web("a").Obj(), []*policyv1.PodDisruptionBudget{
			pdb("b", counts(1, 2, 3, 0), always),
		}, wouldViolate + "[The disruption budget b needs 2 healthy pods and has 1 currently]"},

		{"a pending pod needs no budget", web("a").Phase(v1.PodPending).Obj(), []*policyv1.PodDisruptionBudget{pdb("b"), pdb("c")}, "201"},
		{"a succeeded pod needs no budget", web("a").Phase(v1.PodSucceeded).Obj(), []*policyv1.PodDisruptionBudget{pdb("b")}, "201"},
		{"a failed pod needs no budget", web("a").Phase(v1.PodFailed).Obj(), []*policyv1.PodDisruptionBudget{pdb("b")}, "201"},
		{"a terminating pod needs no budget", web("a").Deleting(noon).Obj(), []*policyv1.PodDisruptionBudget{pdb("b")}, "201"},
		{"a missing pod is not found", nil, nil, `404 pods "a" not found`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
			if tt.pod != nil {
				e.Name = tt.pod.Name
			}
			got := answer(budget.Evaluate(budget.Request{Name: e.Name, Eviction: e, Pod: tt.pod, Budgets: tt.budgets, Now: noon}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
		})
	}
}

// Five pods are ready and three must be: two are evicted, one after the other, before the next sync.
func TestEvaluate_UsesUpBudget(t *testing.T) {
	b := budget.Sync(pdb("b", minAvailable("3")), pods(5, web), budget.Scales{Lookup: owners()}, noon).UpdatedBudget
	for i, want := range []string{"201 allowed=1", "201 allowed=0", wouldViolate + "[The disruption budget b does not allow evicting pods currently]"} {
		pod := web(fmt.Sprintf("web-%d", i)).Obj()
		e := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: pod.Name}}
		v := budget.Evaluate(budget.Request{Name: pod.Name, Eviction: e, Pod: pod, Budgets: []*policyv1.PodDisruptionBudget{b}, Now: noon})
		if diff := cmp.Diff(want, answer(v)); diff != "" {
			t.Errorf("eviction %d (-want +got):\n%s", i+1, diff)
		}
		if v.UpdatedBudget != nil {
			b = v.UpdatedBudget
		}
	}
}

func TestEvaluate_DeleteOptions(t *testing.T) {
	allows := pdb("b", counts(3, 1, 3, 2))
	yes := true
	tests := []struct {
		name    string
		url     string
		dryRun  []string
		options *metav1.DeleteOptions
		pod     *v1.Pod
		want    string
		how     string
	}{
		{"a name in the URL that differs", "z", nil, nil, web("a").Obj(), "400 name in URL does not match name in Eviction object", ""},
		{
			"an option that is invalid for evictions", "a", nil,
			&metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: &yes}, web("a").Obj(),
			`422 Eviction.policy "a" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option [Invalid value: true: can not be set for pod eviction, try after removing the option]`, "",
		},
		{"a dry run in the query changes nothing", "a", []string{"All"}, nil, web("a").Obj(), "201", "dry run"},
		{"a dry run in the options changes nothing", "a", nil, &metav1.DeleteOptions{DryRun: []string{"All"}}, web("a").Obj(), "201", "dry run"},
		{
			"two dry runs that differ", "a",
			[]string{"All"},
			&metav1.DeleteOptions{DryRun: []string{"Some"}}, web("a").Obj(),
			"500 Non-matching dry-run options in request and content: [All] and [Some]", "",
		},
		{"the grace period is passed to the deletion", "a", nil, &metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(7))}, web("a").Obj(), "201 allowed=1", "condition, 7s"},
		{
			"a UID precondition fails: the budget is charged regardless", "a", nil,
			&metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("other")}, web("a").Obj(),
			`409 Operation cannot be fulfilled on Pod "a": the UID in the precondition (other) does not match the UID in record (` + string(web("a").Obj().UID) + `). The object might have been deleted and then recreated allowed=1`, "",
		},
		{
			"a UID precondition fails for an unready pod: the conflict is reported as the budget's", "a", nil,
			&metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("other")}, unready("a").Obj(),
			wouldViolate + "[The disruption budget b is still being processed by the server.] (retry in 10s)", "",
		},
		{
			"a resourceVersion precondition of a pending pod fails", "a", nil,
			&metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: ptr("1")}}, web("a").Phase(v1.PodPending).Obj(),
			`409 Operation cannot be fulfilled on Pod "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (5). The object might have been modified`, "",
		},
		{"a pending pod is deleted at its resourceVersion", "a", nil, nil, web("a").Phase(v1.PodPending).Obj(), "201", "condition, at version 5"},
		{"a terminal pod is deleted at any resourceVersion", "a", nil, nil, web("a").Phase(v1.PodFailed).Obj(), "201", "condition"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.pod.ResourceVersion = "5"
			e := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}, DeleteOptions: tt.options}
			v := budget.Evaluate(budget.Request{Name: tt.url, DryRun: tt.dryRun, Eviction: e, Pod: tt.pod, Budgets: []*policyv1.PodDisruptionBudget{allows}, Now: noon})
			if diff := cmp.Diff(tt.want, answer(v)); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
			if how := deletion(v); v.Refusal == nil && how != tt.how {
				t.Errorf("the deletion is %q, want %q", how, tt.how)
			}
		})
	}
}

func deletion(v budget.Response) string {
	if !v.AddCondition {
		return "dry run"
	}
	how := "condition"
	if g := v.Delete.GracePeriodSeconds; g != nil {
		how += fmt.Sprintf(", %ds", *g)
	}
	if p := v.Delete.Preconditions; p != nil && p.ResourceVersion != nil {
		how += ", at version " + *p.ResourceVersion
	}
	return how
}

func TestEvaluate_LastDisruptionSetsCondition(t *testing.T) {
	b := pdb("b", counts(3, 2, 3, 1), func(b *policyv1.PodDisruptionBudget) {
		b.Status.Conditions = []metav1.Condition{{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionTrue, Reason: "SufficientPods",
			LastTransitionTime: metav1.Time{Time: noon.Add(-time.Hour)}, ObservedGeneration: 1,
		}}
	})
	before := b.DeepCopy()
	e := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	v := budget.Evaluate(budget.Request{Name: "a", Eviction: e, Pod: web("a").Obj(), Budgets: []*policyv1.PodDisruptionBudget{b}, Now: noon.Add(300 * time.Millisecond)})
	want := policyv1.PodDisruptionBudgetStatus{
		CurrentHealthy: 3, DesiredHealthy: 2, ExpectedPods: 3, DisruptionsAllowed: 0, ObservedGeneration: 1,
		DisruptedPods: map[string]metav1.Time{"a": {Time: noon}},
		Conditions: []metav1.Condition{{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: "InsufficientPods",
			LastTransitionTime: metav1.Time{Time: noon}, ObservedGeneration: 1,
		}},
	}
	if diff := cmp.Diff(want, v.UpdatedBudget.Status); diff != "" {
		t.Errorf("the updated budget (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, b); diff != "" {
		t.Errorf("the budget of the request was changed:\n%s", diff)
	}
}

func TestEvaluate_PodChanged(t *testing.T) {
	e := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	evaluate := func(pod *v1.Pod, e *policyv1.Eviction) budget.Response {
		return budget.Evaluate(budget.Request{Name: "a", Eviction: e, Pod: pod, Budgets: []*policyv1.PodDisruptionBudget{pdb("b", counts(2, 2, 3, 1))}, Now: noon})
	}
	if refusal := evaluate(unready("a").Obj(), e).ConflictRefusal(); !apierrors.IsTooManyRequests(refusal) {
		t.Errorf("an unready pod: %v, want 429", refusal)
	}
	if refusal := evaluate(web("a").Obj(), e).ConflictRefusal(); refusal != nil {
		t.Errorf("a ready pod, which is charged to the budget: %v, want nothing", refusal)
	}
	own := e.DeepCopy()
	own.DeleteOptions = &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: ptr("")}}
	if refusal := evaluate(unready("a").Obj(), own).ConflictRefusal(); refusal != nil {
		t.Errorf("the client gave the resourceVersion: %v, want nothing, so that the conflict is returned", refusal)
	}
}

func TestDisruptionCondition(t *testing.T) {
	want := v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting",
		LastTransitionTime: metav1.Time{Time: noon},
	}
	if diff := cmp.Diff(want, budget.DisruptionCondition(noon)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
