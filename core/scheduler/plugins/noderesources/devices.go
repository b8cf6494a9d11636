package noderesources

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/objects/requests"
	"orrery/core/scheduler/plugins/hint"
)

// With the gate DRAExtendedResource, devices may be counted as an extended resource, by their class. A node that has some of
// the resource itself is checked here; any other is left to DynamicResources.

// byDevices reports whether the devices of a class are counted as a resource.
func (f *Fit) byDevices(name v1.ResourceName) bool { return f.devices.classOf(name) != nil }

// leftToDevices reports whether a node has a resource as devices, if at all.
func (f *Fit) leftToDevices(name v1.ResourceName, node *v1.Node) bool {
	return requests.IsScalar(name) && amountIn(node.Status.Allocatable, name) == 0 && f.byDevices(name)
}

// leavesToDevices reports whether a node has any resource that a pod requests as devices, if at all.
func (f *Fit) leavesToDevices(need *request, node *v1.Node) bool {
	for name := range need.names {
		if need.amount(name) > 0 && f.leftToDevices(name, node) {
			return true
		}
	}
	return false
}

// isSchedulableAfterClassChange requeues a pod that requests the resource that a class has by its name, if the class is new, or
// one that the class did not name before.
func (f *Fit) isSchedulableAfterClassChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*resourcev1.DeviceClass](before, after)
	if err != nil || current == nil {
		return fwk.Queue, err
	}
	asked := requests.Of(pod, resourcehelper.PodResourcesOptions{})
	requested := func(name string) bool {
		_, is := asked[v1.ResourceName(name)]
		return is
	}
	named := current.Spec.ExtendedResourceName
	if previous == nil {
		return hint.QueueIf(requested(resourcev1.ResourceDeviceClassPrefix+current.Name) || named != nil && requested(*named)), nil
	}
	changed := ptr.Deref(previous.Spec.ExtendedResourceName, "") != ptr.Deref(named, "")
	return hint.QueueIf(changed && named != nil && requested(*named)), nil
}
