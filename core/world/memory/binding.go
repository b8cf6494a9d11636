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

// bind is the binding subresource. by is the effect that called it, or zero for another client. The node need not
// exist.
func (c *Cluster) bind(act world.Bind, by world.EffectID) error {
	pod, err := c.podMatching(act.Pod)
	if err == nil {
		act.Pod.UID = pod.UID
		err = checkBindable(pod)
	}
	c.history.recordBinding(c.now, act, by, err)
	if err != nil {
		return err
	}
	c.assignNode(pod, act.Node)
	if by != 0 {
		c.history.checkOvercommit(c, act)
	}
	return nil
}

// podMatching returns the pod of a call; another UID is a conflict.
func (c *Cluster) podMatching(ref world.PodRef) (*v1.Pod, error) {
	pods := groupResource(world.Pod)
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

// checkBindable returns why a pod cannot be bound.
func checkBindable(pod *v1.Pod) error {
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

// assignNode assigns a pod to a node.
func (c *Cluster) assignNode(pod *v1.Pod, node string) {
	bound := *pod
	bound.Spec.NodeName = node
	bound.Labels = c.withTopology(pod.Labels, node)
	bound.Status.NominatedNodeName = ""
	bound.Status.Conditions, _ = c.withCondition(pod.Status.Conditions,
		v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionTrue})
	c.write(world.Pod, pod, &bound)
}

// withTopology returns a pod's labels with its node's region and zone; the same map if the node has neither.
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
