package cycle

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// change applies a change if its object still exists.
func (p *decisionCase) change(c *clusterChange) string {
	switch {
	case c.Store != nil:
		return p.store(c.Store.objects())
	case c.Drop != nil:
		return p.drop(c.Drop.objects())
	case c.Devices != nil && c.Drops:
		return p.drop(c.Devices.objects())
	case c.Devices != nil:
		return p.store(c.Devices.objects())
	case c.AddNode != nil && p.nodes[c.AddNode.Name] == nil:
		return p.apply(world.Added, c.AddNode.DeepCopy())
	case c.DeleteNode != "" && p.nodes[c.DeleteNode] != nil:
		return p.apply(world.Deleted, p.nodes[c.DeleteNode].DeepCopy())
	case c.Node != nil && p.nodes[c.Node.Name] != nil:
		return p.apply(world.Modified, changedNode(p.nodes[c.Node.Name], c.Node))
	case c.AddPod != nil && p.pods[types.NamespacedName{Namespace: c.AddPod.Namespace, Name: c.AddPod.Name}] == nil:
		return p.apply(world.Added, c.AddPod.DeepCopy())
	case c.DeletePod != nil:
		if pod := p.pods[types.NamespacedName(*c.DeletePod)]; pod != nil {
			return p.apply(world.Deleted, pod.DeepCopy())
		}
	case c.Pod != nil:
		if pod := p.pods[types.NamespacedName(c.Pod.podName)]; pod != nil {
			return p.apply(world.Modified, changedPod(pod, c.Pod))
		}
	}
	return ""
}

func changedNode(was *v1.Node, c *nodeChange) *v1.Node {
	node := was.DeepCopy()
	for key, value := range c.Label {
		metav1.SetMetaDataLabel(&node.ObjectMeta, key, value)
	}
	if c.Taints != nil {
		node.Spec.Taints = *c.Taints
	}
	if c.Unschedulable != nil {
		node.Spec.Unschedulable = *c.Unschedulable
	}
	if c.Allocatable != nil {
		node.Status.Allocatable = c.Allocatable
	}
	if c.Features != nil {
		node.Status.DeclaredFeatures = *c.Features
	}
	return node
}

func changedPod(was *v1.Pod, c *podChange) *v1.Pod {
	pod := was.DeepCopy()
	if c.Labels != nil {
		pod.Labels = *c.Labels
	}
	if c.Requests != nil && len(pod.Spec.Containers) > 0 {
		pod.Spec.Containers[0].Resources.Requests = *c.Requests
	}
	if c.Tolerations != nil {
		pod.Spec.Tolerations = *c.Tolerations
	}
	if c.Ungate {
		pod.Spec.SchedulingGates = nil
	}
	if c.Terminate && pod.DeletionTimestamp == nil {
		pod.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	}
	return pod
}
