package memory

import (
	"fmt"
	"maps"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

var bindings = schema.GroupResource{Resource: "pods/binding"}

// bind is the binding subresource, called by the effect of that number, or by somebody else if it is zero. The node
// need not exist.
func (c *Cluster) bind(act world.Bind, by world.EffectID) error {
	pod, err := c.podFor(act.Pod)
	if err == nil {
		act.Pod.UID = pod.UID
		err = bindable(pod)
	}
	c.history.attempted(c.now, act, by, err)
	if err != nil {
		return err
	}
	c.assign(pod, act.Node)
	if by != 0 {
		c.history.overcommitted(c, act)
	}
	return nil
}

// podFor is the pod a call is about; a namesake with another UID will not do.
func (c *Cluster) podFor(ref world.Ref) (*v1.Pod, error) {
	pods := shapes[world.Pod].groupResource()
	if err := c.reachable(); err != nil {
		return nil, err
	}
	pod := c.podAt(types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name})
	if pod == nil {
		return nil, apierrors.NewNotFound(pods, ref.Name)
	}
	if ref.UID != "" && ref.UID != pod.UID {
		return nil, apierrors.NewConflict(pods, ref.Name, uidMismatch(ref.UID, pod.UID))
	}
	return pod, nil
}

// bindable is why a pod cannot be bound.
func bindable(pod *v1.Pod) error {
	var why error
	switch {
	case pod.DeletionTimestamp != nil:
		why = fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		why = fmt.Errorf("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) != 0:
		why = fmt.Errorf("pod %s has non-empty .spec.schedulingGates", pod.Name)
	default:
		return nil
	}
	return apierrors.NewConflict(bindings, pod.Name, why)
}

// assign makes a pod a node's.
func (c *Cluster) assign(pod *v1.Pod, node string) {
	bound := *pod
	bound.Spec.NodeName = node
	bound.Labels = c.withTopology(pod.Labels, node)
	bound.Status.NominatedNodeName = ""
	bound.Status.Conditions, _ = c.withCondition(pod.Status.Conditions,
		v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionTrue})
	c.write(world.Pod, pod, &bound)
}

// withTopology is a pod's labels with those of its node that say where it stands; the same map if there are none.
func (c *Cluster) withTopology(labels map[string]string, nodeName string) map[string]string {
	node := c.Node(nodeName)
	if node == nil {
		return labels
	}
	shared := true
	for _, key := range []string{v1.LabelTopologyRegion, v1.LabelTopologyZone} {
		value, ok := node.Labels[key]
		if !ok {
			continue
		}
		if shared {
			labels, shared = maps.Clone(labels), false
			if labels == nil {
				labels = map[string]string{}
			}
		}
		labels[key] = value
	}
	return labels
}
