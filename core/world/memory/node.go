package memory

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// orphanPeriod is the delay before the pods of a nonexistent node are deleted.
const orphanPeriod = 40 * time.Second

// readiness is the status of a node's Ready condition, empty if it has none.
func readiness(node *v1.Node) v1.ConditionStatus {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == v1.NodeReady {
			return node.Status.Conditions[i].Status
		}
	}
	return ""
}

func hasTaint(list []v1.Taint, key string, effect v1.TaintEffect) bool {
	return slices.ContainsFunc(list, func(t v1.Taint) bool { return t.Key == key && t.Effect == effect })
}

// nodeChanged notifies everything in the cluster that depends on nodes.
func (c *Cluster) nodeChanged(old, changed *v1.Node) {
	if changed == nil {
		c.notifyLifecycle(world.Deleted, old)
		c.nodeStorageChanged(old.Name)
		c.nodeDevicesGone(old)
		if c.objects[world.CSINode][keyOf(old)] != nil {
			c.enqueue(workItem{kind: world.Node, key: keyOf(old)}, 0)
		}
		c.schedule(c.now.Add(orphanPeriod), orphanedPods{old.Name})
		c.enqueueDaemonSets()
		return
	}
	op := world.Modified
	if old == nil {
		op = world.Added
	}
	c.notifyLifecycle(op, changed)
	c.awaitCloud(old, changed)
	n := c.nodeState(changed.Name)
	if old == nil {
		c.schedule(c.now.Add(c.latency.delay(c.options.Latency.Kubelet)), nodeJoined{changed.Name})
		if beat := c.options.Heartbeat; beat > 0 {
			c.schedule(c.now.Add(beat), heartbeat{changed.Name, changed.UID})
		}
		n.lostSince = time.Time{}
	}
	if add, remove := c.conditionTaints(changed); len(add)+len(remove) > 0 {
		c.enqueue(workItem{kind: world.Node, key: keyOf(changed)}, 0)
	}
	if old == nil || readiness(old) != readiness(changed) || !equality.Semantic.DeepEqual(old.Spec.Taints, changed.Spec.Taints) {
		c.nodeStorageChanged(changed.Name)
		c.collectOutOfService(changed)
	}
	if old == nil || !equality.Semantic.DeepEqual(old.Labels, changed.Labels) ||
		!equality.Semantic.DeepEqual(old.Spec.Taints, changed.Spec.Taints) {
		c.enqueueDaemonSets()
	}
}

// nodeJoined is the first report of a kubelet: it sets Ready, unless the node was created with that condition.
type nodeJoined struct{ node string }

func (j nodeJoined) fire(c *Cluster) {
	node := c.Node(j.node)
	if node == nil || !c.kubeletReachable(j.node) {
		return
	}
	if readiness(node) == "" {
		c.setNodeConditions(node, func(list []v1.NodeCondition) []v1.NodeCondition {
			return append(list, v1.NodeCondition{
				Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady",
				LastHeartbeatTime: c.timestamp(), LastTransitionTime: c.timestamp(),
			})
		})
	}
	c.resyncPods(j.node)
}

func (c *Cluster) setNodeConditions(node *v1.Node, change func([]v1.NodeCondition) []v1.NodeCondition) {
	next := *node
	next.Status.Conditions = change(slices.Clone(node.Status.Conditions))
	c.write(world.Node, node, &next)
}

// heartbeat is a kubelet's periodic report.
type heartbeat struct {
	node string
	uid  types.UID
}

func (h heartbeat) fire(c *Cluster) {
	node := c.Node(h.node)
	if node == nil || node.UID != h.uid {
		return
	}
	c.schedule(c.now.Add(c.options.Heartbeat), h)
	if c.kubeletReachable(h.node) {
		c.setNodeConditions(node, func(list []v1.NodeCondition) []v1.NodeCondition {
			for i := range list {
				list[i].LastHeartbeatTime = c.timestamp()
			}
			return list
		})
	}
}

// LoseNode cuts a node off: its kubelet neither reports nor learns anything. The node lifecycle controller marks the node
// unreachable after its grace period.
func (c *Cluster) LoseNode(name string) error {
	if c.Node(name) == nil {
		return apierrors.NewNotFound(groupResource(world.Node), name)
	}
	n := c.nodeState(name)
	if !n.lostSince.IsZero() {
		return fmt.Errorf("losing node %q: it is lost since %s", name, n.lostSince.Format(time.RFC3339))
	}
	n.lostSince = c.now
	c.setSilent(name, true)
	return nil
}

func (c *Cluster) setSilent(node string, silent bool) {
	if c.lifecycle != nil {
		c.lifecycle.KubeletSilent(c.now, node, silent)
		c.scheduleLifecycle()
	}
}

// RecoverNode brings a lost node back. Its kubelet reports again and syncs its pods.
func (c *Cluster) RecoverNode(name string) error {
	n := c.nodes[name]
	if n == nil || n.lostSince.IsZero() {
		return fmt.Errorf("recovering node %q: it is not lost", name)
	}
	n.lostSince = time.Time{}
	c.setSilent(name, false)
	c.schedule(c.now.Add(c.latency.delay(c.options.Latency.Kubelet)), nodeRecovered{name})
	return nil
}

// nodeRecovered is the first report of a kubelet after its node was lost.
type nodeRecovered struct{ node string }

func (r nodeRecovered) fire(c *Cluster) {
	node := c.Node(r.node)
	if node == nil || !c.kubeletReachable(r.node) {
		return
	}
	c.setNodeConditions(node, func(list []v1.NodeCondition) []v1.NodeCondition {
		for i := range list {
			if list[i].Status != v1.ConditionUnknown {
				continue
			}
			list[i].Status, list[i].Reason, list[i].Message = v1.ConditionFalse, "", ""
			if list[i].Type == v1.NodeReady {
				list[i].Status, list[i].Reason = v1.ConditionTrue, "KubeletReady"
			}
			list[i].LastHeartbeatTime, list[i].LastTransitionTime = c.timestamp(), c.timestamp()
		}
		return list
	})
	if c.pressure != nil {
		c.reportPressure(c.Node(r.node))
	}
	c.resumeDrivers(r.node)
	c.resyncPods(r.node)
	for _, key := range slices.Clone(c.nodeState(r.node).pods) {
		if pod := c.podAt(key); c.pods[pod.UID].started && !isTerminal(pod) {
			c.setReady(pod, v1.ConditionTrue)
		}
	}
}

// orphanedPods is the pod garbage collector's deletion of the pods of a node that does not exist.
type orphanedPods struct{ node string }

func (o orphanedPods) fire(c *Cluster) {
	if c.Node(o.node) != nil {
		return
	}
	for _, key := range slices.Clone(c.nodeState(o.node).pods) {
		pod := c.podAt(key)
		doomed := *pod
		doomed.Status.Conditions, _ = c.withCondition(pod.Status.Conditions, v1.PodCondition{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "DeletionByPodGC",
			Message: "PodGC: node no longer exists",
		})
		if !isTerminal(pod) {
			doomed.Status.Phase = v1.PodFailed
		}
		c.write(world.Pod, pod, &doomed)
		none := int64(0)
		c.deletePod(&doomed, &none)
	}
}
