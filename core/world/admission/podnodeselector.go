package admission

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/world"
)

// nodeSelectorAnnotation is the annotation of a namespace with the node selector of its pods.
const nodeSelectorAnnotation = "scheduler.alpha.kubernetes.io/node-selector"

// selectNodesOfNamespace adds the node selector of the namespace to a new pod's. It is the first half of PodNodeSelector.
func (o *Options) selectNodesOfNamespace(r Reader, q *Request) error {
	pod := q.newPod()
	if pod == nil {
		return nil
	}
	selector, err := o.nodeSelectorFor(r, q, pod)
	if err != nil {
		return err
	}
	pod.Spec.NodeSelector = labels.Merge(selector, pod.Spec.NodeSelector)
	return o.checkNodesOfNamespace(r, q)
}

// checkNodesOfNamespace refuses a pod whose node selector is not within the namespace's. It is the second half of PodNodeSelector.
func (o *Options) checkNodesOfNamespace(r Reader, q *Request) error {
	pod := q.newPod()
	if pod == nil {
		return nil
	}
	if _, err := o.nodeSelectorFor(r, q, pod); err != nil {
		return err
	}
	allowed, err := labels.ConvertSelectorToLabelsMap(o.NodeSelectors[pod.Namespace])
	if err != nil || len(allowed) == 0 {
		return err
	}
	for key, value := range pod.Spec.NodeSelector {
		if may, is := allowed[key]; !is || may != value {
			return q.forbidden("pod node label selector labels conflict with its namespace whitelist")
		}
	}
	return nil
}

// nodeSelectorFor returns the node selector of a pod's namespace, and refuses a pod whose own conflicts with it.
func (o *Options) nodeSelectorFor(r Reader, q *Request, pod *v1.Pod) (labels.Set, error) {
	ns, err := r.Get(world.Namespace, "", pod.Namespace)
	if err != nil {
		return nil, err
	}
	text, said := ns.GetAnnotations()[nodeSelectorAnnotation]
	if !said {
		text = o.NodeSelectors[ClusterDefault]
	}
	selector, err := labels.ConvertSelectorToLabelsMap(text)
	if err != nil {
		return nil, err
	}
	if labels.Conflicts(selector, pod.Spec.NodeSelector) {
		return nil, q.forbidden("pod node label selector conflicts with its namespace node label selector")
	}
	return selector, nil
}
