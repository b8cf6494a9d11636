package draw

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// pick is one of the first two values, or any at the edge.
func pick[T any](r Filler, values ...T) T {
	if r.atEdge() {
		return difftest.Pick(r.Source, values...)
	}
	return difftest.Pick(r.Source, values[:2]...)
}

func (r Filler) name() string {
	return pick(r, "a", "b", "system-a", "system-node-critical", "system-cluster-critical", "a.b", "x y", "", strings.Repeat("d", 254))
}

func (r Filler) labels() map[string]string {
	if r.Bool() {
		return nil
	}
	return map[string]string{r.text(""): pick(r, "a", "", "x y", "a/b")}
}

func (r Filler) amounts() v1.ResourceList {
	list := v1.ResourceList{}
	for range r.IntN(3) {
		name := pick[v1.ResourceName](r, "cpu", "memory", "example.com/gpu", "pods", "hugepages-2Mi", "odd", "storage", "a/b/c", "", "requests.cpu")
		list[name] = resource.MustParse(pick(r, "1", "2", "0", "-1", "500m", "4", "2Mi"))
	}
	return difftest.Pick(r.Source, list, nil)
}

// Meta draws the metadata of an object.
func (r Filler) Meta(o world.Object, namespace string) {
	o.SetName(r.name())
	o.SetNamespace(namespace)
	o.SetUID("u")
	o.SetResourceVersion("1")
	o.SetLabels(r.labels())
	if r.atEdge() {
		o.SetFinalizers([]string{pick(r, "example.com/a", "kubernetes", "odd", "orphan")})
	}
}

// Node draws one.
func (r Filler) Node() *v1.Node {
	o := &v1.Node{}
	r.Meta(o, "")
	for range r.IntN(3) {
		o.Spec.Taints = append(o.Spec.Taints, v1.Taint{
			Key: r.text(""), Value: pick(r, "", "a", "x y"), Effect: pick(r, v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, "", v1.TaintEffectPreferNoSchedule, "Other"),
		})
	}
	o.Status.Capacity, o.Status.Allocatable = r.amounts(), r.amounts()
	o.Spec.ProviderID = pick(r, "", "", "a", "b")
	for range r.IntN(3) {
		o.Status.DeclaredFeatures = append(o.Status.DeclaredFeatures, pick(r, "A", "B/c", "", "low", "A", "B//c", strings.Repeat("C", 254)))
	}
	return o
}

// LimitRange draws one.
func (r Filler) LimitRange() *v1.LimitRange {
	o := &v1.LimitRange{}
	r.Meta(o, "default")
	for range r.Range(1, 2) {
		o.Spec.Limits = append(o.Spec.Limits, v1.LimitRangeItem{
			Type: pick(r, v1.LimitTypeContainer, v1.LimitTypePod, v1.LimitTypePersistentVolumeClaim, "Other", "", "example.com/a"),
			Max:  r.amounts(), Min: r.amounts(), Default: r.amounts(), DefaultRequest: r.amounts(), MaxLimitRequestRatio: r.amounts(),
		})
	}
	return o
}

// PriorityClass draws one.
func (r Filler) PriorityClass() *schedulingv1.PriorityClass {
	o := &schedulingv1.PriorityClass{}
	r.Meta(o, "")
	o.Value = pick(r, int32(1), 2, -1, 1_000_000_000, 1_000_000_001, 2_000_000_000, 2_000_001_000)
	o.GlobalDefault = r.OneIn(3)
	policy := pick(r, v1.PreemptLowerPriority, v1.PreemptNever, "", "Other")
	o.PreemptionPolicy = difftest.Pick(r.Source, nil, &policy)
	return o
}

// RuntimeClass draws one.
func (r Filler) RuntimeClass() *nodev1.RuntimeClass {
	o := &nodev1.RuntimeClass{Handler: pick(r, "kata", "runc", "a.b", "")}
	r.Meta(o, "")
	if r.Bool() {
		o.Overhead = &nodev1.Overhead{PodFixed: r.amounts()}
	}
	if r.Bool() {
		o.Scheduling = &nodev1.Scheduling{NodeSelector: r.labels()}
		for range r.IntN(3) {
			o.Scheduling.Tolerations = append(o.Scheduling.Tolerations, v1.Toleration{
				Key: pick(r, "a", "b", ""), Operator: pick(r, v1.TolerationOpExists, v1.TolerationOpEqual, "", v1.TolerationOpGt), Value: pick(r, "", "", "a"),
			})
		}
	}
	return o
}

// Budget draws one.
func (r Filler) Budget() *policyv1.PodDisruptionBudget {
	o := &policyv1.PodDisruptionBudget{}
	r.Meta(o, "default")
	o.Spec.MinAvailable = r.share()
	if o.Spec.MinAvailable == nil || r.atEdge() {
		o.Spec.MaxUnavailable = r.share()
	}
	o.Spec.Selector = difftest.Pick(r.Source, nil, &metav1.LabelSelector{MatchLabels: r.labels()})
	policy := pick(r, policyv1.IfHealthyBudget, policyv1.AlwaysAllow, "", "Other")
	o.Spec.UnhealthyPodEvictionPolicy = difftest.Pick(r.Source, nil, &policy)
	return o
}

func (r Filler) share() *intstr.IntOrString {
	n := pick(r, intstr.FromInt32(1), intstr.FromString("50%"), intstr.FromInt32(-1), intstr.FromString("101%"), intstr.FromString("half"), intstr.FromString("100%"), intstr.FromString("-5%"))
	return difftest.Pick(r.Source, nil, &n)
}

// Quota draws a resource quota.
func (r Filler) Quota() *v1.ResourceQuota {
	o := &v1.ResourceQuota{}
	r.Meta(o, "default")
	o.Spec.Hard = v1.ResourceList{}
	for range r.IntN(3) {
		name := pick[v1.ResourceName](r, "pods", "requests.cpu", "cpu", "limits.memory", "count/pods", "requests.storage", "persistentvolumeclaims",
			"requests.example.com/gpu", "storage", "odd", "", "hugepages-2Mi", "requests.hugepages-2Mi", "services", "a.storageclass.storage.k8s.io/requests.storage")
		o.Spec.Hard[name] = resource.MustParse(pick(r, "1", "2", "0", "-1", "500m", "2Mi"))
	}
	for range r.IntN(3) {
		o.Spec.Scopes = append(o.Spec.Scopes, r.scope())
	}
	if r.Bool() {
		o.Spec.ScopeSelector = &v1.ScopeSelector{}
		for range r.IntN(3) {
			o.Spec.ScopeSelector.MatchExpressions = append(o.Spec.ScopeSelector.MatchExpressions, r.ScopeRequirement())
		}
	}
	return o
}

func (r Filler) scope() v1.ResourceQuotaScope {
	return pick(r, v1.ResourceQuotaScopeNotTerminating, v1.ResourceQuotaScopeNotBestEffort, v1.ResourceQuotaScopeBestEffort, v1.ResourceQuotaScopeTerminating,
		v1.ResourceQuotaScopePriorityClass, v1.ResourceQuotaScopeCrossNamespacePodAffinity, v1.ResourceQuotaScopeVolumeAttributesClass, "Other")
}

// ScopeRequirement draws a part of a scope selector.
func (r Filler) ScopeRequirement() v1.ScopedResourceSelectorRequirement {
	if r.Bool() {
		q := v1.ScopedResourceSelectorRequirement{ScopeName: v1.ResourceQuotaScopePriorityClass, Operator: pick(r, v1.ScopeSelectorOpIn, v1.ScopeSelectorOpNotIn, v1.ScopeSelectorOpExists, v1.ScopeSelectorOpDoesNotExist, "Other")}
		if q.Operator == v1.ScopeSelectorOpIn || q.Operator == v1.ScopeSelectorOpNotIn || r.atEdge() {
			q.Values = difftest.Pick(r.Source, []string{"high"}, []string{"low", "high"})
		}
		return q
	}
	return v1.ScopedResourceSelectorRequirement{ScopeName: r.scope(), Operator: pick(r, v1.ScopeSelectorOpExists, v1.ScopeSelectorOpExists, v1.ScopeSelectorOpIn, "Other")}
}
