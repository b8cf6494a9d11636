package admission

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/world"
)

// nodeSelectorAnnotation is the annotation of a namespace with the node selector of its pods.
const nodeSelectorAnnotation = "scheduler.alpha.kubernetes.io/node-selector"

// selectNodesOfNamespace adds the node selector of the namespace to a new pod's. It is the first half of PodNodeSelector, as it
// is without a configuration file.
func selectNodesOfNamespace(r Reader, q *Request) error {
	pod := q.newPod()
	if pod == nil {
		return nil
	}
	selector, err := nodeSelectorFor(r, q, pod)
	if err != nil {
		return err
	}
	pod.Spec.NodeSelector = labels.Merge(selector, pod.Spec.NodeSelector)
	return nil
}

// checkNodesOfNamespace refuses a pod whose node selector is no longer within the namespace's. It is the second half of
// PodNodeSelector.
func checkNodesOfNamespace(r Reader, q *Request) error {
	pod := q.newPod()
	if pod == nil {
		return nil
	}
	_, err := nodeSelectorFor(r, q, pod)
	return err
}

// nodeSelectorFor returns the node selector of a pod's namespace, and refuses a pod whose own conflicts with it.
func nodeSelectorFor(r Reader, q *Request, pod *v1.Pod) (labels.Set, error) {
	ns, err := r.Get(world.Namespace, "", pod.Namespace)
	if err != nil {
		return nil, err
	}
	selector, err := labels.ConvertSelectorToLabelsMap(ns.GetAnnotations()[nodeSelectorAnnotation])
	if err != nil {
		return nil, err
	}
	if labels.Conflicts(selector, pod.Spec.NodeSelector) {
		return nil, q.forbidden("pod node label selector conflicts with its namespace node label selector")
	}
	return selector, nil
}
