package admission

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"orrery/core/world"
)

// mergeRuntimeClass gives a new pod the overhead and the nodes of its runtime class. It is the first half of RuntimeClass.
func mergeRuntimeClass(r Reader, q *Request) error {
	pod := q.newPod()
	class, err := runtimeClassOf(r, q, pod)
	if class == nil || err != nil {
		return err
	}
	if class.Overhead != nil {
		if len(pod.Spec.Overhead) > 0 && !equality.Semantic.DeepEqual(pod.Spec.Overhead, class.Overhead.PodFixed) {
			return q.forbidden("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
		}
		pod.Spec.Overhead = class.Overhead.PodFixed.DeepCopy()
	}
	if class.Scheduling != nil {
		return mergeScheduling(q, pod, class.Scheduling.DeepCopy())
	}
	return nil
}

// checkOverhead refuses an overhead that is not that of the runtime class. It is the second half of RuntimeClass.
func checkOverhead(r Reader, q *Request) error {
	pod := q.newPod()
	if pod == nil {
		return nil
	}
	class, err := runtimeClassOf(r, q, pod)
	switch {
	case err != nil:
		return err
	case class == nil || class.Overhead == nil:
		if pod.Spec.Overhead != nil {
			return q.forbidden("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
		}
	case !equality.Semantic.DeepEqual(class.Overhead.PodFixed, pod.Spec.Overhead):
		return q.forbidden("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
	}
	return nil
}

// runtimeClassOf is the runtime class of a pod, nil if it names none.
func runtimeClassOf(r Reader, q *Request, pod *v1.Pod) (*nodev1.RuntimeClass, error) {
	if pod == nil || pod.Spec.RuntimeClassName == nil {
		return nil, nil
	}
	o, err := r.Get(world.RuntimeClass, "", *pod.Spec.RuntimeClassName)
	if err != nil {
		return nil, q.forbidden("pod rejected: RuntimeClass %q not found", *pod.Spec.RuntimeClassName)
	}
	return o.(*nodev1.RuntimeClass), nil
}

func mergeScheduling(q *Request, pod *v1.Pod, s *nodev1.Scheduling) error {
	if pod.Spec.NodeSelector == nil {
		pod.Spec.NodeSelector = s.NodeSelector
	} else {
		for _, key := range slices.Sorted(maps.Keys(s.NodeSelector)) {
			value := s.NodeSelector[key]
			if own, ok := pod.Spec.NodeSelector[key]; ok && own != value {
				return q.forbidden("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key, value, key, own)
			}
			pod.Spec.NodeSelector[key] = value
		}
	}
	pod.Spec.Tolerations = mergeTolerations(pod.Spec.Tolerations, s.Tolerations)
	return nil
}
