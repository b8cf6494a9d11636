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

// The node lifecycle controller: it notices silent kubelets, and turns the conditions of nodes into taints.

const (
	// monitorPeriod is how often it looks, gracePeriod how long a kubelet may be silent.
	monitorPeriod = 5 * time.Second
	gracePeriod   = 50 * time.Second
	// orphanPeriod is how long the pods of a node that does not exist are left alone.
	orphanPeriod = 40 * time.Second
)

// taintRule says which condition of a node makes which taint.
type taintRule struct {
	key       string
	condition v1.NodeConditionType
	status    v1.ConditionStatus
	effects   []v1.TaintEffect
}

var taintRules = []taintRule{
	{v1.TaintNodeNotReady, v1.NodeReady, v1.ConditionFalse, []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute}},
	{v1.TaintNodeUnreachable, v1.NodeReady, v1.ConditionUnknown, []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute}},
	{v1.TaintNodeMemoryPressure, v1.NodeMemoryPressure, v1.ConditionTrue, []v1.TaintEffect{v1.TaintEffectNoSchedule}},
	{v1.TaintNodeDiskPressure, v1.NodeDiskPressure, v1.ConditionTrue, []v1.TaintEffect{v1.TaintEffectNoSchedule}},
	{v1.TaintNodePIDPressure, v1.NodePIDPressure, v1.ConditionTrue, []v1.TaintEffect{v1.TaintEffectNoSchedule}},
	{v1.TaintNodeNetworkUnavailable, v1.NodeNetworkUnavailable, v1.ConditionTrue, []v1.TaintEffect{v1.TaintEffectNoSchedule}},
}

func conditionOf(node *v1.Node, kind v1.NodeConditionType) v1.ConditionStatus {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == kind {
			return node.Status.Conditions[i].Status
		}
	}
	return ""
}

// readiness is the status of a node's Ready condition, empty if it has none.
func readiness(node *v1.Node) v1.ConditionStatus { return conditionOf(node, v1.NodeReady) }

func hasTaint(list []v1.Taint, key string, effect v1.TaintEffect) bool {
	return slices.ContainsFunc(list, func(t v1.Taint) bool { return t.Key == key && t.Effect == effect })
}

// dueTaints are those a node should have for its conditions; ruled tells which taints are for the rules to decide.
func dueTaints(node *v1.Node) (due []v1.Taint, ruled func(key string) bool) {
	unknown := readiness(node) == ""
	for _, rule := range taintRules {
		if conditionOf(node, rule.condition) == rule.status {
			for _, effect := range rule.effects {
				due = append(due, v1.Taint{Key: rule.key, Effect: effect})
			}
		}
	}
	if node.Spec.Unschedulable {
		due = append(due, v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
	}
	return due, func(key string) bool {
		if unknown && (key == v1.TaintNodeNotReady || key == v1.TaintNodeUnreachable) {
			return false
		}
		return key == v1.TaintNodeUnschedulable ||
			slices.ContainsFunc(taintRules, func(r taintRule) bool { return r.key == key })
	}
}

// rightTaints are the taints a node should have: its own, and those its conditions call for, except that a pacer
// decides of some. Changed tells whether it has others now.
func (c *Cluster) rightTaints(node *v1.Node) (right []v1.Taint, changed bool) {
	now := c.stamp()
	due, ruled := dueTaints(node)
	due = slices.DeleteFunc(due, func(t v1.Taint) bool { return c.paced(t.Key, t.Effect) })
	right = slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t v1.Taint) bool {
		return ruled(t.Key) && !hasTaint(due, t.Key, t.Effect) && !c.paced(t.Key, t.Effect)
	})
	changed = len(right) < len(node.Spec.Taints)
	for _, t := range due {
		if !hasTaint(node.Spec.Taints, t.Key, t.Effect) {
			t.TimeAdded = &now
			right, changed = append(right, t), true
		}
	}
	return right, changed
}

// nodeChanged has whoever cares for nodes take note.
func (c *Cluster) nodeChanged(old, changed *v1.Node) {
	if changed == nil {
		c.tellPacer(world.Deleted, old)
		c.schedule(c.now.Add(orphanPeriod), orphans{old.Name})
		c.wakeDaemonSets()
		return
	}
	c.tellPacer(world.Modified, changed)
	n := c.nodeState(changed.Name)
	if old == nil {
		c.schedule(c.now.Add(c.latency.delay(c.options.Latency.Kubelet)), joins{changed.Name})
		if beat := c.options.Heartbeat; beat > 0 {
			c.schedule(c.now.Add(beat), heartbeat{changed.Name, changed.UID})
		}
		n.lost = time.Time{}
	}
	if _, wrong := c.rightTaints(changed); wrong {
		c.owe(errand{kind: world.Node, key: keyOf(changed)}, 0)
	}
	if old == nil || !equality.Semantic.DeepEqual(old.Labels, changed.Labels) ||
		!equality.Semantic.DeepEqual(old.Spec.Taints, changed.Spec.Taints) {
		c.wakeDaemonSets()
	}
}

// syncTaints puts a node's taints right.
func (c *Cluster) syncTaints(key types.NamespacedName) {
	node := c.Node(key.Name)
	if node == nil {
		return
	}
	if right, wrong := c.rightTaints(node); wrong {
		tainted := *node
		tainted.Spec.Taints = right
		c.write(world.Node, node, &tainted)
	}
}

// joins is a kubelet that finds its node: one that has said nothing yet says that it is ready.
type joins struct{ node string }

func (j joins) happen(c *Cluster) {
	node := c.Node(j.node)
	if node == nil || !c.kubeletLives(j.node) {
		return
	}
	if readiness(node) == "" {
		c.setNodeConditions(node, func(list []v1.NodeCondition) []v1.NodeCondition {
			return append(list, v1.NodeCondition{
				Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady",
				LastHeartbeatTime: c.stamp(), LastTransitionTime: c.stamp(),
			})
		})
	}
	c.catchUp(j.node)
}

func (c *Cluster) setNodeConditions(node *v1.Node, change func([]v1.NodeCondition) []v1.NodeCondition) {
	next := *node
	next.Status.Conditions = change(slices.Clone(node.Status.Conditions))
	c.write(world.Node, node, &next)
}

// heartbeat is a kubelet's regular word that it is there.
type heartbeat struct {
	node string
	uid  types.UID
}

func (h heartbeat) happen(c *Cluster) {
	node := c.Node(h.node)
	if node == nil || node.UID != h.uid {
		return
	}
	c.schedule(c.now.Add(c.options.Heartbeat), h)
	if c.kubeletLives(h.node) {
		c.setNodeConditions(node, func(list []v1.NodeCondition) []v1.NodeCondition {
			for i := range list {
				list[i].LastHeartbeatTime = c.stamp()
			}
			return list
		})
	}
}

// LoseNode cuts a node off: its kubelet neither reports nor learns anything. When it has been silent for too long, the
// node is held to be unreachable.
func (c *Cluster) LoseNode(name string) error {
	if c.Node(name) == nil {
		return apierrors.NewNotFound(shapes[world.Node].groupResource(), name)
	}
	n := c.nodeState(name)
	if !n.lost.IsZero() {
		return fmt.Errorf("losing node %q: it is lost since %s", name, n.lost.Format(time.RFC3339))
	}
	n.lost = c.now
	late := c.now.Add(gracePeriod)
	if past := late.Sub(c.options.Start) % monitorPeriod; past > 0 {
		late = late.Add(monitorPeriod - past)
	}
	c.schedule(late, silence{name, c.now})
	return nil
}

// silence is the moment at which a node's silence has lasted too long, if it has lasted since then.
type silence struct {
	node  string
	since time.Time
}

func (s silence) happen(c *Cluster) {
	node, n := c.Node(s.node), c.nodeState(s.node)
	if node == nil || !n.lost.Equal(s.since) {
		return
	}
	c.setNodeConditions(node, func(list []v1.NodeCondition) []v1.NodeCondition {
		for i := range list {
			if list[i].Type == v1.NodeNetworkUnavailable {
				continue
			}
			list[i].Status, list[i].LastTransitionTime = v1.ConditionUnknown, c.stamp()
			list[i].Reason, list[i].Message = "NodeStatusUnknown", "Kubelet stopped posting node status."
		}
		return list
	})
	for _, key := range slices.Clone(n.pods) {
		if pod := c.podAt(key); isReady(pod) {
			c.setReady(pod, v1.ConditionFalse)
		}
	}
}

// RecoverNode brings a lost node back. Its kubelet reports what it knows, and catches up with its pods.
func (c *Cluster) RecoverNode(name string) error {
	n := c.nodes[name]
	if n == nil || n.lost.IsZero() {
		return fmt.Errorf("recovering node %q: it is not lost", name)
	}
	n.lost = time.Time{}
	c.schedule(c.now.Add(c.latency.delay(c.options.Latency.Kubelet)), returns{name})
	return nil
}

// returns is a kubelet that reports again.
type returns struct{ node string }

func (r returns) happen(c *Cluster) {
	node := c.Node(r.node)
	if node == nil || !c.kubeletLives(r.node) {
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
			list[i].LastHeartbeatTime, list[i].LastTransitionTime = c.stamp(), c.stamp()
		}
		return list
	})
	if c.pressure != nil {
		c.reportPressure(c.Node(r.node))
	}
	c.catchUp(r.node)
	for _, key := range slices.Clone(c.nodeState(r.node).pods) {
		if pod := c.podAt(key); c.pods[pod.UID].started && !ended(pod) {
			c.setReady(pod, v1.ConditionTrue)
		}
	}
}

// orphans are the pods of a node that does not exist, after it has had time to appear: nobody else would end them.
type orphans struct{ node string }

func (o orphans) happen(c *Cluster) {
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
		if !ended(pod) {
			doomed.Status.Phase = v1.PodFailed
		}
		c.write(world.Pod, pod, &doomed)
		none := int64(0)
		c.deletePod(&doomed, &none)
	}
}
