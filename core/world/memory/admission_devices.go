package memory

import (
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world"
	"orrery/core/world/clusterapi"
	"orrery/core/world/deviceapi"
	"orrery/core/world/podapi"
)

// admitDevices completes or rejects a new object of dynamic resource allocation; any other object is admitted.
func (c *Cluster) admitDevices(kind world.Kind, o world.Object) error {
	var wrong field.ErrorList
	c.options.DeviceGatesOff.Drop(o, nil)
	switch o := o.(type) {
	case *resourcev1.ResourceClaim:
		o.Status = resourcev1.ResourceClaimStatus{}
		wrong = c.checkAdminRequests(o.Namespace, o.Spec.Devices.Requests)
	case *resourcev1.ResourceClaimTemplate:
		wrong = c.checkAdminRequests(o.Namespace, o.Spec.Spec.Devices.Requests)
	case *resourcev1alpha3.DeviceTaintRule:
		o.Status = resourcev1alpha3.DeviceTaintRuleStatus{}
	}
	deviceapi.Default(o, c.timestamp())
	if groupResource(kind).Group == resourcev1.GroupName {
		wrong = append(wrong, podapi.Meta(o, IsNamespaced(kind), validation.NameIsDNSSubdomain)...)
	}
	return invalidUnless(kind, o, append(wrong, c.devices.validator.Create(o)...))
}

// admitDeviceUpdate is admitDevices for an update.
func (c *Cluster) admitDeviceUpdate(kind world.Kind, old, changed world.Object) error {
	c.options.DeviceGatesOff.Drop(changed, old)
	deviceapi.Default(changed, c.timestamp())
	wrong := c.devices.validator.Update(changed, old)
	if groupResource(kind).Group == resourcev1.GroupName {
		wrong = append(wrong, podapi.ChangedMeta(changed, old)...)
	}
	return invalidUnless(kind, changed, wrong)
}

// admitStatus completes or rejects an update of a status. What a claim says of devices goes with their allocation.
func (c *Cluster) admitStatus(kind world.Kind, old, changed world.Object) error {
	var wrong field.ErrorList
	c.options.DeviceGatesOff.Drop(changed, old)
	if claim, is := changed.(*resourcev1.ResourceClaim); is {
		before := old.(*resourcev1.ResourceClaim)
		claim.Status.Devices = deviceapi.WithoutStale(&claim.Status, &before.Status)
		wrong = c.checkAdminResults(claim, before)
	}
	wrong = append(wrong, clusterapi.UpdateStatus(changed, old)...)
	return invalidUnless(kind, changed, append(wrong, c.devices.validator.UpdateStatus(changed, old)...))
}

func invalidUnless(kind world.Kind, o world.Object, wrong field.ErrorList) error {
	if len(wrong) == 0 {
		return nil
	}
	return apierrors.NewInvalid(groupKind(kind), o.GetName(), wrong)
}

// checkAdminRequests rejects requests for admin access outside the namespaces that have it.
func (c *Cluster) checkAdminRequests(namespace string, requests []resourcev1.DeviceRequest) field.ErrorList {
	for i := range requests {
		if e := requests[i].Exactly; e != nil && isTrue(e.AdminAccess) {
			return c.checkAdmin(namespace, field.NewPath("spec", "devices", "requests").Index(i).Child("adminAccess"))
		}
	}
	return nil
}

// checkAdminResults is checkAdminRequests for an allocation, which does not change once it is there.
func (c *Cluster) checkAdminResults(claim, before *resourcev1.ResourceClaim) field.ErrorList {
	if adminResult(before) >= 0 || adminResult(claim) < 0 {
		return nil
	}
	path := field.NewPath("status", "allocation", "devices", "results").Index(adminResult(claim))
	return c.checkAdmin(claim.Namespace, path.Child("adminAccess"))
}

// adminResult is the first device that a claim has for an administrator, -1 without one.
func adminResult(claim *resourcev1.ResourceClaim) int {
	if a := claim.Status.Allocation; a != nil {
		for i := range a.Devices.Results {
			if isTrue(a.Devices.Results[i].AdminAccess) {
				return i
			}
		}
	}
	return -1
}

func isTrue(flag *bool) bool { return flag != nil && *flag }

func (c *Cluster) checkAdmin(namespace string, path *field.Path) field.ErrorList {
	if ns := c.objects[world.Namespace][types.NamespacedName{Name: namespace}]; ns != nil && ns.GetLabels()[resourcev1.DRAAdminNamespaceLabelKey] == "true" {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, fmt.Sprintf(
		"admin access to devices requires the `%s: true` label on the containing namespace", resourcev1.DRAAdminNamespaceLabelKey))}
}
