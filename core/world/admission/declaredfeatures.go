package admission

import (
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"orrery/core/world"
)

// The features of nodes that a change of a running pod may need, as Kubernetes 1.37 knows them.
const (
	podLevelResize      = "InPlacePodLevelResourcesVerticalScaling"
	initContainerResize = "InPlacePodVerticalScalingInitContainers"
	memoryVolumeResize  = "InPlacePodVerticalScalingMemoryBackedVolumes"
)

// neededBy infers what a change of a pod needs, in the order in which Kubernetes names it.
func neededBy(old, changed *v1.PodSpec) (features []string) {
	if !equality.Semantic.DeepEqual(old.Resources, changed.Resources) {
		features = append(features, podLevelResize)
	}
	if resizesInitContainer(old.InitContainers, changed.InitContainers) {
		features = append(features, initContainerResize)
	}
	if resizesMemoryVolume(old.Volumes, changed.Volumes) {
		features = append(features, memoryVolumeResize)
	}
	return features
}

// resizesInitContainer reports whether an init container that ends has other resources. Both pods have the same containers.
func resizesInitContainer(old, changed []v1.Container) bool {
	for i := range old {
		sidecar := old[i].RestartPolicy != nil && *old[i].RestartPolicy == v1.ContainerRestartPolicyAlways
		if !sidecar && i < len(changed) && !reflect.DeepEqual(old[i].Resources, changed[i].Resources) {
			return true
		}
	}
	return false
}

// resizesMemoryVolume reports whether a volume in memory has another limit of its size.
func resizesMemoryVolume(old, changed []v1.Volume) bool {
	if len(old) != len(changed) {
		return false
	}
	for i := range old {
		was, is := old[i].EmptyDir, changed[i].EmptyDir
		if was == nil || is == nil || old[i].Name != changed[i].Name || is.Medium != v1.StorageMediumMemory || was.SizeLimit == nil || is.SizeLimit == nil {
			continue
		}
		if is.SizeLimit.Cmp(*was.SizeLimit) != 0 {
			return true
		}
	}
	return false
}

// needsDeclaredFeatures refuses a change of a pod that its node does not support. It is NodeDeclaredFeatureValidator.
func needsDeclaredFeatures(r Reader, q *Request) error {
	pod, is := q.Object.(*v1.Pod)
	if !is || q.Old == nil || q.Subresource != "" && q.Subresource != "resize" || pod.Spec.NodeName == "" {
		return nil
	}
	old := q.Old.(*v1.Pod)
	if pod.Generation == old.Generation {
		return nil
	}
	needed := neededBy(&old.Spec, &pod.Spec)
	if len(needed) == 0 {
		return nil
	}
	o, err := r.Get(world.Node, "", pod.Spec.NodeName)
	if err != nil {
		return q.forbidden("node %q not found", pod.Spec.NodeName)
	}
	declared := o.(*v1.Node).Status.DeclaredFeatures
	missing := slices.DeleteFunc(needed, func(name string) bool { return slices.Contains(declared, name) })
	if len(missing) > 0 {
		return q.forbidden("pod update requires features %s which are not available on node %q", strings.Join(missing, ", "), o.GetName())
	}
	return nil
}
