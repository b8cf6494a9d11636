package lifecycle

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// statuses are those of a node's conditions.
type statuses map[v1.NodeConditionType]v1.ConditionStatus

func statusesOf(n *v1.Node) statuses {
	s := make(statuses, len(n.Status.Conditions))
	for i := range n.Status.Conditions {
		s[n.Status.Conditions[i].Type] = n.Status.Conditions[i].Status
	}
	return s
}

// conditionTaints maps conditions to NoSchedule taints, some of which come with NoExecute as well.
var conditionTaints = []struct {
	key       string
	condition v1.NodeConditionType
	status    v1.ConditionStatus
	noExecute bool
}{
	{v1.TaintNodeNotReady, v1.NodeReady, v1.ConditionFalse, true},
	{v1.TaintNodeUnreachable, v1.NodeReady, v1.ConditionUnknown, true},
	{v1.TaintNodeMemoryPressure, v1.NodeMemoryPressure, v1.ConditionTrue, false},
	{v1.TaintNodeDiskPressure, v1.NodeDiskPressure, v1.ConditionTrue, false},
	{v1.TaintNodePIDPressure, v1.NodePIDPressure, v1.ConditionTrue, false},
	{v1.TaintNodeNetworkUnavailable, v1.NodeNetworkUnavailable, v1.ConditionTrue, false},
}

// selfReported are the conditions that a kubelet reports. NetworkUnavailable is set by others.
var selfReported = []v1.NodeConditionType{v1.NodeReady, v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure}

func (n *node) has(key string, effect v1.TaintEffect) bool {
	return slices.ContainsFunc(n.taints, func(t v1.Taint) bool { return t.Key == key && t.Effect == effect })
}

// reconcileConditions gives a node the taints of its conditions and its cordon.
func (m *Controller) reconcileConditions(n *node) (c Change) {
	for _, rule := range conditionTaints {
		wanted := n.statuses[rule.condition] == rule.status
		m.reconcileTaint(n, rule.key, v1.TaintEffectNoSchedule, wanted, &c)
		if rule.noExecute && m.options.Immediate {
			m.reconcileTaint(n, rule.key, v1.TaintEffectNoExecute, wanted, &c)
		}
	}
	m.reconcileTaint(n, v1.TaintNodeUnschedulable, v1.TaintEffectNoSchedule, n.seen.Spec.Unschedulable, &c)
	return c
}

// reconcileTaint adds or removes a taint.
func (m *Controller) reconcileTaint(n *node, key string, effect v1.TaintEffect, wanted bool, c *Change) {
	switch has := n.has(key, effect); {
	case wanted && !has:
		m.addTaint(n, key, effect, c)
	case has && !wanted:
		n.removeTaint(key, effect, c)
	}
}

func (m *Controller) addTaint(n *node, key string, effect v1.TaintEffect, c *Change) {
	t := v1.Taint{Key: key, Effect: effect, TimeAdded: &metav1.Time{Time: m.now}}
	n.taints = append(n.taints, t)
	c.Add = append(c.Add, t)
}

func (n *node) removeTaint(key string, effect v1.TaintEffect, c *Change) {
	n.taints = slices.DeleteFunc(n.taints, func(t v1.Taint) bool {
		match := t.Key == key && t.Effect == effect
		if match {
			c.Remove = append(c.Remove, t)
		}
		return match
	})
}

// noExecuteKeys returns the NoExecute taint that a node should have, and the one that it should not.
func (n *node) noExecuteKeys() (taint, opposite string) {
	switch n.statuses[v1.NodeReady] {
	case v1.ConditionFalse:
		return v1.TaintNodeNotReady, v1.TaintNodeUnreachable
	case v1.ConditionUnknown:
		return v1.TaintNodeUnreachable, v1.TaintNodeNotReady
	}
	return "", ""
}

// swapNoExecute gives a node the NoExecute taint it needs in place of the opposite one.
func (m *Controller) swapNoExecute(n *node) (c Change) {
	taint, opposite := n.noExecuteKeys()
	if taint != "" && !n.has(taint, v1.TaintEffectNoExecute) {
		n.removeTaint(opposite, v1.TaintEffectNoExecute, &c)
		m.addTaint(n, taint, v1.TaintEffectNoExecute, &c)
	}
	return c
}

// removeNoExecute removes both of these NoExecute taints.
func (n *node) removeNoExecute() (c Change) {
	n.removeTaint(v1.TaintNodeNotReady, v1.TaintEffectNoExecute, &c)
	n.removeTaint(v1.TaintNodeUnreachable, v1.TaintEffectNoExecute, &c)
	return c
}
