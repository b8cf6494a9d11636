package admission

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"

	"orrery/core/quota"
)

// withinQuotas refuses an object that would use more than the quotas of its namespace have left, and charges them. It is
// ResourceQuota.
func withinQuotas(r Reader, q *Request) error {
	var before []v1.ResourceQuota
	for _, o := range r.List(quota.Kind) {
		if o.GetNamespace() == q.Object.GetNamespace() {
			before = append(before, *o.(*v1.ResourceQuota))
		}
	}
	if len(before) == 0 {
		return nil
	}
	operation, old := admission.Create, runtime.Object(nil)
	if q.Old != nil {
		operation, old = admission.Update, q.Old
	}
	after, err := resourcequota.CheckRequest(before, admission.NewAttributesRecord(q.Object, old, schema.GroupVersionKind{}, q.Object.GetNamespace(),
		q.Object.GetName(), q.Resource, q.Subresource, operation, nil, false, nil), quota.Of(q.Resource.GroupResource(), r.Now()), nil)
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
