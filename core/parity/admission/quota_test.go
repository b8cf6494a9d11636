package admission

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	upstream "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/draw"
	"orrery/core/world"
	"orrery/core/world/admission"
)

// quotaNames are what quotas limit: of all that Orrery measures pods alone.
var quotaNames = []v1.ResourceName{
	"pods", "cpu", "requests.cpu", "limits.cpu", "memory", "requests.memory", "limits.memory", "count/pods", "requests.example.com/gpu", "hugepages-2Mi",
	"requests.hugepages-2Mi", "ephemeral-storage", "limits.ephemeral-storage", "requests.deviceclass.resource.kubernetes.io/a", "services", "requests.storage",
}

// drawQuota draws a quota that is used in part.
func drawQuota(r *difftest.Source, name string) v1.ResourceQuota {
	q := v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	q.Spec.Hard = v1.ResourceList{}
	for range r.Range(1, 3) {
		q.Spec.Hard[difftest.Pick(r, quotaNames...)] = resource.MustParse(difftest.Pick(r, "2", "3", "1", "0", "1500m", "4Gi"))
	}
	if r.OneIn(3) {
		q.Spec.Scopes = []v1.ResourceQuotaScope{difftest.Pick(r, v1.ResourceQuotaScopeBestEffort, v1.ResourceQuotaScopeNotBestEffort,
			v1.ResourceQuotaScopeTerminating, v1.ResourceQuotaScopeNotTerminating, v1.ResourceQuotaScopeCrossNamespacePodAffinity)}
	}
	if r.OneIn(3) {
		q.Spec.ScopeSelector = &v1.ScopeSelector{MatchExpressions: []v1.ScopedResourceSelectorRequirement{{
			ScopeName: difftest.Pick(r, v1.ResourceQuotaScopePriorityClass, v1.ResourceQuotaScopePriorityClass, v1.ResourceQuotaScopeVolumeAttributesClass),
			Operator:  difftest.Pick(r, v1.ScopeSelectorOpIn, v1.ScopeSelectorOpNotIn), Values: []string{difftest.Pick(r, "high", "a", "low")},
		}}}
		if r.OneIn(3) {
			e := &q.Spec.ScopeSelector.MatchExpressions[0]
			e.Operator, e.Values = difftest.Pick(r, v1.ScopeSelectorOpExists, v1.ScopeSelectorOpDoesNotExist), nil
		}
	}
	q.Status.Hard = q.Spec.Hard
	q.Status.Used = v1.ResourceList{}
	for name := range q.Spec.Hard {
		if !r.OneIn(20) {
			q.Status.Used[name] = resource.MustParse(difftest.Pick(r, "0", "1", "2", "500m"))
		}
	}
	return q
}

// used draws a pod that is measured. No amount of it is negative: an API server refuses such a pod before quotas see it.
func used(r *difftest.Source, name string) *v1.Pod {
	p := draw.NewPod(r)
	p.Name = name
	if len(p.Spec.Containers) > 0 && r.Bool() {
		p.Spec.Containers[0].Resources.Requests = v1.ResourceList{difftest.Pick[v1.ResourceName](r, "example.com/gpu", "hugepages-2Mi", "cpu", "ephemeral-storage",
			"deviceclass.resource.kubernetes.io/a"): resource.MustParse("1")}
	}
	for c := range admission.Containers(&p.Spec) {
		withoutNegative(c.Resources.Requests)
		withoutNegative(c.Resources.Limits)
	}
	withoutNegative(p.Spec.Overhead)
	if p.Spec.Resources != nil {
		withoutNegative(p.Spec.Resources.Requests)
		withoutNegative(p.Spec.Resources.Limits)
	}
	p.Spec.PriorityClassName = difftest.Pick(r, "", "high", "low")
	p.Status.Phase = difftest.Pick(r, v1.PodPending, v1.PodRunning, v1.PodRunning, v1.PodFailed, v1.PodSucceeded)
	if r.OneIn(5) {
		grace := int64(30)
		p.DeletionGracePeriodSeconds = &grace
		p.DeletionTimestamp = &metav1.Time{Time: difftest.Pick(r, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))}
	}
	return p
}

func withoutNegative(list v1.ResourceList) {
	maps.DeleteFunc(list, func(_ v1.ResourceName, q resource.Quantity) bool { return q.Sign() < 0 })
}

// TestQuota_SameUse compares what the objects of a namespace use of a quota.
func TestQuota_SameUse(t *testing.T) {
	some := 0
	difftest.Check(t, comparisons.Admission.Cases, func(r *difftest.Source) {
		var all []runtime.Object
		stored := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		for i := range r.Range(0, 6) {
			all = append(all, used(r, fmt.Sprint("o", i)))
			_ = stored.Add(all[i])
		}
		lister := func(gvr schema.GroupVersionResource) (cache.GenericLister, error) {
			return cache.NewGenericLister(stored, gvr.GroupResource()), nil
		}
		q := drawQuota(r, "q")
		registry := generic.NewRegistry([]quotaapi.Evaluator{core.NewPodEvaluator(lister, clock.RealClock{})})
		want, err := quotaapi.CalculateUsage("default", q.Spec.Scopes, q.Spec.Hard, registry, q.Spec.ScopeSelector)
		if err != nil {
			r.Fatalf("%v", err)
		}
		got, err := admission.QuotaUsed(&q, all, time.Now())
		if err != nil {
			r.Fatalf("%v", err)
		}
		if !equality.Semantic.DeepEqual(want, got) {
			r.Fatalf("the use differs (-upstream +orrery):\n%s\nquota: %s", cmp.Diff(want, got), difftest.JSON(q))
		}
		if !quotaapi.IsZero(want) {
			some++
		}
	})
	if some == 0 {
		t.Error("nothing is used")
	}
}

// TestQuota_SameDecisions compares what becomes of requests in a namespace with quotas: what is used of them then, or why they are
// refused.
func TestQuota_SameDecisions(t *testing.T) {
	charged, texts := 0, map[string]bool{}
	difftest.Check(t, comparisons.Admission.Cases, func(r *difftest.Source) {
		quotas := []v1.ResourceQuota{drawQuota(r, "p"), drawQuota(r, "q")}[:r.Range(1, 2)]
		o, resource := used(r, "new"), world.Pod.Resource()
		operation, old, subresource := upstream.Create, runtime.Object(nil), ""
		if r.OneIn(3) {
			operation, old, subresource = upstream.Update, used(r, "new"), difftest.Pick(r, "", "resize")
		}
		a := upstream.NewAttributesRecord(o, old, schema.GroupVersionKind{}, "default", "new", resource, subresource, operation, nil, false, nil)
		theirs := core.NewPodEvaluator(nil, clock.RealClock{})
		want, wantErr := resourcequota.CheckRequest(quotas, a, theirs, nil)
		got, err := resourcequota.CheckRequest(quotas, a, admission.QuotaForPods(time.Now()), nil)
		if diff := cmp.Diff(text(wantErr), text(err)); diff != "" {
			r.Fatalf("the errors differ (-upstream +orrery):\n%s\nobject: %s\nquotas: %s", diff, difftest.JSON(o), difftest.JSON(quotas))
		}
		if wantErr != nil {
			texts[text(wantErr)] = true
			return
		}
		if !equality.Semantic.DeepEqual(want, got) {
			r.Fatalf("the quotas differ (-upstream +orrery):\n%s\nobject: %s", cmp.Diff(want, got), difftest.JSON(o))
		}
		if !equality.Semantic.DeepEqual(want, quotas) {
			charged++
		}
	})
	t.Logf("%d charged, %d different texts", charged, len(texts))
	if charged == 0 || len(texts) < 10 {
		t.Error("the requests are too uniform")
	}
}
