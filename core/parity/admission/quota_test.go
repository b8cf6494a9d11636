package admission

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	upstream "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quotaconfig "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/draw"
	"orrery/core/world"
	"orrery/core/world/quota"
)

// quotaNames are what quotas limit.
var quotaNames = []v1.ResourceName{
	"pods", "cpu", "requests.cpu", "limits.cpu", "memory", "requests.memory", "limits.memory", "count/pods", "requests.example.com/gpu", "hugepages-2Mi",
	"requests.hugepages-2Mi", "ephemeral-storage", "limits.ephemeral-storage", "requests.storage", "persistentvolumeclaims", "count/persistentvolumeclaims",
	"a.storageclass.storage.k8s.io/requests.storage", "b.storageclass.storage.k8s.io/persistentvolumeclaims", "a.deviceclass.resource.k8s.io/devices",
	"count/resourceclaims.resource.k8s.io", "count/replicationcontrollers", "replicationcontrollers", "count/deployments.apps",
	"requests.deviceclass.resource.kubernetes.io/a", "services", "count/services", "services.nodeports", "services.loadbalancers",
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

// used draws an object that is measured.
func used(r *difftest.Source, name string) runtime.Object {
	switch r.IntN(5) {
	case 0:
		claim := draw.New(r).Claim()
		claim.Namespace, claim.Name = "default", name
		return claim
	case 1:
		claim := draw.New(r).ResourceClaim()
		claim.Namespace, claim.Name = "default", name
		if r.Bool() {
			claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourcev1.DeviceRequest{Name: "f", FirstAvailable: []resourcev1.DeviceSubRequest{
				{DeviceClassName: "a", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 2},
				{DeviceClassName: difftest.Pick(r, "a", "b"), AllocationMode: difftest.Pick(r, resourcev1.DeviceAllocationModeAll, resourcev1.DeviceAllocationModeExactCount), Count: 3},
			}})
		}
		return claim
	case 2:
		return service(r, name)
	}
	p := draw.NewPod(r)
	p.Name = name
	if len(p.Spec.Containers) > 0 && r.Bool() {
		p.Spec.Containers[0].Resources.Requests = v1.ResourceList{difftest.Pick[v1.ResourceName](r, "example.com/gpu", "hugepages-2Mi", "cpu", "ephemeral-storage",
			"deviceclass.resource.kubernetes.io/a"): resource.MustParse("1")}
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

// service draws one of any type.
func service(r *difftest.Source, name string) *v1.Service {
	s := &v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	s.Spec.Type = difftest.Pick(r, v1.ServiceTypeNodePort, v1.ServiceTypeLoadBalancer, v1.ServiceTypeLoadBalancer, v1.ServiceTypeClusterIP, "")
	for range r.IntN(4) {
		s.Spec.Ports = append(s.Spec.Ports, v1.ServicePort{NodePort: difftest.Pick[int32](r, 0, 30000)})
	}
	if !r.OneIn(3) {
		allocate := r.Bool()
		s.Spec.AllocateLoadBalancerNodePorts = &allocate
	}
	return s
}

// objects are those of a namespace, by resource.
type objects map[schema.GroupResource]cache.Indexer

func (o objects) add(one runtime.Object) {
	resource := world.KindOf(one.(world.Object)).Resource().GroupResource()
	if o[resource] == nil {
		o[resource] = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	}
	_ = o[resource].Add(one)
}

func (o objects) lister(gvr schema.GroupVersionResource) (cache.GenericLister, error) {
	all := o[gvr.GroupResource()]
	if all == nil {
		all = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	}
	return cache.NewGenericLister(all, gvr.GroupResource()), nil
}

func (o objects) list(resource schema.GroupResource, _ string) []runtime.Object {
	if o[resource] == nil {
		return nil
	}
	var all []runtime.Object
	for _, key := range slices.Sorted(slices.Values(o[resource].ListKeys())) {
		one, _, _ := o[resource].GetByKey(key)
		all = append(all, one.(runtime.Object))
	}
	return all
}

// TestQuota_SameUse compares what the objects of a namespace use of a quota.
func TestQuota_SameUse(t *testing.T) {
	some := 0
	difftest.Check(t, comparisons.Admission.Cases, func(r *difftest.Source) {
		all := objects{}
		for i := range r.Range(0, 6) {
			all.add(used(r, fmt.Sprint("o", i)))
		}
		q := drawQuota(r, "q")
		registry := generic.NewRegistry(core.NewEvaluators(all.lister, nil))
		want, err := quotaapi.CalculateUsage("default", q.Spec.Scopes, q.Spec.Hard, registry, q.Spec.ScopeSelector)
		if err != nil {
			r.Fatalf("%v", err)
		}
		got, err := quota.Used(&q, all.list, time.Now())
		if err != nil {
			r.Fatalf("%v", err)
		}
		for name := range maps.Keys(got) {
			if _, counted := want[name]; !counted {
				delete(got, name) // upstream's controller adds counts of all kinds
			}
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
// drawLimited draws resources that need a quota.
func drawLimited(r *difftest.Source, resource string) []quotaconfig.LimitedResource {
	if !r.OneIn(3) {
		return nil
	}
	limited := quotaconfig.LimitedResource{Resource: resource, MatchContains: []string{difftest.Pick(r, "cpu", "requests", "count/", "memory")}}
	if r.OneIn(2) {
		limited.MatchContains = nil
		limited.MatchScopes = []v1.ScopedResourceSelectorRequirement{{
			ScopeName: difftest.Pick(r, v1.ResourceQuotaScopeBestEffort, v1.ResourceQuotaScopeNotTerminating), Operator: v1.ScopeSelectorOpExists,
		}}
	}
	return []quotaconfig.LimitedResource{limited}
}

func TestQuota_SameDecisions(t *testing.T) {
	charged, texts := 0, map[string]bool{}
	difftest.Check(t, comparisons.Admission.Cases, func(r *difftest.Source) {
		quotas := []v1.ResourceQuota{drawQuota(r, "p"), drawQuota(r, "q")}[:r.Range(1, 2)]
		o := used(r, "new")
		resource := world.KindOf(o.(world.Object)).Resource()
		operation, old, subresource := upstream.Create, runtime.Object(nil), ""
		if r.OneIn(3) {
			operation, old, subresource = upstream.Update, used(r, "new"), difftest.Pick(r, "", "resize")
			if world.KindOf(old.(world.Object)) != world.KindOf(o.(world.Object)) {
				old = o.DeepCopyObject()
			}
		}
		a := upstream.NewAttributesRecord(o, old, schema.GroupVersionKind{}, "default", "new", resource, subresource, operation, nil, false, nil)
		limited := drawLimited(r, resource.Resource)
		theirs := generic.NewRegistry(core.NewEvaluators(nil, nil)).Get(resource.GroupResource())
		want, wrong := resourcequota.CheckRequest(quotas, a, theirs, limited)
		got, err := resourcequota.CheckRequest(quotas, a, quota.Of(resource.GroupResource(), time.Now()), limited)
		if diff := cmp.Diff(text(wrong), text(err)); diff != "" {
			r.Fatalf("the errors differ (-upstream +orrery):\n%s\nobject: %s\nquotas: %s", diff, difftest.JSON(o), difftest.JSON(quotas))
		}
		if wrong != nil {
			texts[text(wrong)] = true
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
