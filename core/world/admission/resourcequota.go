package admission

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quotaconfig "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"

	"orrery/core/world/quota"
)

// LimitedResource is consumed only where a quota covers it.
type LimitedResource = quotaconfig.LimitedResource

// withinQuotas refuses an object that would use more than the quotas of its namespace have left, and charges them; and one that
// consumes a limited resource that no quota covers. It is ResourceQuota.
func (o *Options) withinQuotas(r Reader, q *Request) error {
	if q.Object.GetNamespace() == "" {
		return nil
	}
	var before []v1.ResourceQuota
	for _, one := range r.List(quota.Kind) {
		if one.GetNamespace() == q.Object.GetNamespace() {
			before = append(before, *one.(*v1.ResourceQuota))
		}
	}
	if len(before)+len(o.LimitedResources) == 0 {
		return nil
	}
	operation, old := admission.Create, runtime.Object(nil)
	if q.Old != nil {
		operation, old = admission.Update, q.Old
	}
	after, err := resourcequota.CheckRequest(before, admission.NewAttributesRecord(q.Object, old, schema.GroupVersionKind{}, q.Object.GetNamespace(),
		q.Object.GetName(), q.Resource, q.Subresource, operation, nil, false, nil), quota.Of(q.Resource.GroupResource(), r.Now()), o.LimitedResources)
	if err != nil {
		return err
	}
	for i := range after {
		if !quotaapi.Equals(before[i].Status.Used, after[i].Status.Used) {
			q.Charged = append(q.Charged, &after[i])
		}
	}
	return nil
}
