package memory

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// podGCPeriod is the delay before the pod garbage collector deletes pods of nodes that are out of service.
const podGCPeriod = 20 * time.Second

// collectOutOfService schedules the deletion of the terminating pods of a node that is out of service.
func (c *Cluster) collectOutOfService(node *v1.Node) {
	if isOutOfService(node) && readiness(node) != v1.ConditionTrue {
		c.schedule(c.now.Add(podGCPeriod), outOfServicePods{node.Name})
	}
}

// podDeletionBegan passes a pod to the garbage collector if its node is out of service.
func (c *Cluster) podDeletionBegan(old, changed *v1.Pod) {
	if changed != nil && changed.DeletionTimestamp != nil && (old == nil || old.DeletionTimestamp == nil) {
		if node := c.Node(changed.Spec.NodeName); node != nil {
			c.collectOutOfService(node)
		}
	}
}

// outOfServicePods is the pod garbage collector's deletion of pods that no kubelet will ever report as stopped.
type outOfServicePods struct{ node string }

func (o outOfServicePods) fire(c *Cluster) {
	node := c.Node(o.node)
	if !isOutOfService(node) || readiness(node) == v1.ConditionTrue {
		return
	}
	for _, key := range slices.Clone(c.nodeState(o.node).pods) {
		pod := c.podAt(key)
		if pod.DeletionTimestamp == nil {
			continue
		}
		if !isTerminal(pod) {
			failed := *pod
			failed.Status.Phase = v1.PodFailed
			c.write(world.Pod, pod, &failed)
			pod = &failed
		}
		none := int64(0)
		c.deletePod(pod, &none)
	}
}
