package memory

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/objects/requests"
	"orrery/core/world"
	"orrery/core/world/admission"
)

// admitResize is admitPod for the resize subresource.
func (c *Cluster) admitResize(changed, old *v1.Pod) error {
	admission.KeepPriority(changed, old)
	q := c.newRequest(world.Pod, changed, old)
	q.Subresource = "resize"
	if err := c.admission.Admit(c, q); err != nil {
		return err
	}
	if err := checkPodResize(changed, old); err != nil {
		return err
	}
	setGeneration(world.Pod, changed, old)
	return c.allow(q)
}

// checkPodResize rejects what the resize subresource rejects: changes other than cpu and memory of containers, and a
// change of the QoS class.
func checkPodResize(changed, old *v1.Pod) error {
	spec := field.NewPath("spec")
	for container := range admission.Containers(&changed.Spec) {
		admission.RequestLimits(&container.Resources)
	}
	var errs field.ErrorList
	if requests.QOS(changed) != old.Status.QOSClass {
		errs = append(errs, field.Invalid(spec, old.Status.QOSClass, "Pod QOS Class may not change as a result of resizing"))
	}
	if old.Spec.Resources != nil || changed.Spec.Resources != nil {
		errs = append(errs, field.Forbidden(field.NewPath(""), "resize of pods with pod-level resources is forbidden "+
			"when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled"))
	}
	rest := changed.DeepCopy()
	sameCPUAndMemory(rest.Spec.Containers, old.Spec.Containers, false)
	sameCPUAndMemory(rest.Spec.InitContainers, old.Spec.InitContainers, true)
	if !equality.Semantic.DeepEqual(rest.Spec, old.Spec) {
		errs = append(errs, field.Forbidden(spec, "only cpu and memory resources are mutable"))
	}
	return invalidUnless(world.Pod, old, errs)
}

// sameCPUAndMemory reverts a resize. A request or limit may change but not be added or removed; of the init containers
// only the sidecars may be resized.
func sameCPUAndMemory(list, old []v1.Container, sidecarsOnly bool) {
	for i := range min(len(list), len(old)) {
		sidecar := old[i].RestartPolicy != nil && *old[i].RestartPolicy == v1.ContainerRestartPolicyAlways
		if list[i].Name != old[i].Name || sidecarsOnly && !sidecar {
			continue
		}
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			keepResource(list[i].Resources.Requests, old[i].Resources.Requests, name)
			keepResource(list[i].Resources.Limits, old[i].Resources.Limits, name)
		}
	}
}

func keepResource(list, old v1.ResourceList, name v1.ResourceName) {
	_, has := list[name]
	if before, had := old[name]; has && had {
		list[name] = before
	}
}
