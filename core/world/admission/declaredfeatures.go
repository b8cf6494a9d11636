package admission

import (
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// The features of nodes that a change of a running pod may need, as Kubernetes 1.35 knows them.
const (
	guaranteedCPUResize = "GuaranteedQoSPodCPUResize"
	podLevelResize      = "InPlacePodLevelResourcesVerticalScaling"
)

// neededBy infers what a change of a pod needs. Both have the same containers.
func neededBy(old, changed *v1.Pod) (features []string) {
	if old.Status.QOSClass == v1.PodQOSGuaranteed {
		for i := range old.Spec.Containers {
			if !old.Spec.Containers[i].Resources.Requests.Cpu().Equal(*changed.Spec.Containers[i].Resources.Requests.Cpu()) {
				features = append(features, guaranteedCPUResize)
				break
			}
		}
	}
	if !reflect.DeepEqual(old.Spec.Resources, changed.Spec.Resources) {
		features = append(features, podLevelResize)
	}
	return features
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
	needed := neededBy(old, pod)
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
