package admission

import (
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
	selector, err := nodeSelectorOf(r, pod.Namespace)
	if err != nil {
		return err
	}
	if labels.Conflicts(selector, pod.Spec.NodeSelector) {
		return errNodeSelector(q)
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
	selector, err := nodeSelectorOf(r, pod.Namespace)
	if err != nil {
		return err
	}
	if labels.Conflicts(selector, pod.Spec.NodeSelector) {
		return errNodeSelector(q)
	}
	return nil
}

func errNodeSelector(q *Request) error {
	return q.forbidden("pod node label selector conflicts with its namespace node label selector")
}

func nodeSelectorOf(r Reader, namespace string) (labels.Set, error) {
	ns, err := r.Get(world.Namespace, "", namespace)
	if err != nil {
		return nil, err
	}
	return labels.ConvertSelectorToLabelsMap(ns.GetAnnotations()[nodeSelectorAnnotation])
}
