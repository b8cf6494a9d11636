package lifecycle

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// statuses are what the conditions of a node say; one that is missing says nothing.
type statuses map[v1.NodeConditionType]v1.ConditionStatus

func statusesOf(n *v1.Node) statuses {
	s := make(statuses, len(n.Status.Conditions))
	for i := range n.Status.Conditions {
		s[n.Status.Conditions[i].Type] = n.Status.Conditions[i].Status
	}
	return s
}

// taintOf says which condition makes which taint. The first two come with NoExecute as well.
var taintOf = []struct {
	key       string
	condition v1.NodeConditionType
	status    v1.ConditionStatus
}{
	{v1.TaintNodeNotReady, v1.NodeReady, v1.ConditionFalse},
	{v1.TaintNodeUnreachable, v1.NodeReady, v1.ConditionUnknown},
	{v1.TaintNodeMemoryPressure, v1.NodeMemoryPressure, v1.ConditionTrue},
	{v1.TaintNodeDiskPressure, v1.NodeDiskPressure, v1.ConditionTrue},
	{v1.TaintNodePIDPressure, v1.NodePIDPressure, v1.ConditionTrue},
	{v1.TaintNodeNetworkUnavailable, v1.NodeNetworkUnavailable, v1.ConditionTrue},
}

// selfReported are the conditions that a silent node cannot vouch for. Whether it has a network is for others to say.
var selfReported = []v1.NodeConditionType{v1.NodeReady, v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure}

func (n *node) has(key string, effect v1.TaintEffect) bool {
	return slices.ContainsFunc(n.taints, func(t v1.Taint) bool { return t.Key == key && t.Effect == effect })
}

// noSchedule puts a node's NoSchedule taints right, as its conditions and its cordon have them.
func (m *Machine) noSchedule(n *node) (c Change) {
	for _, rule := range taintOf {
		m.correct(n, rule.key, n.statuses[rule.condition] == rule.status, &c)
	}
	m.correct(n, v1.TaintNodeUnschedulable, n.seen.Spec.Unschedulable, &c)
	return c
}

// correct adds or takes off a NoSchedule taint.
func (m *Machine) correct(n *node, key string, due bool, c *Change) {
	switch has := n.has(key, v1.TaintEffectNoSchedule); {
	case due && !has:
		m.add(n, key, v1.TaintEffectNoSchedule, c)
	case has && !due:
		n.takeOff(key, v1.TaintEffectNoSchedule, c)
	}
}

func (m *Machine) add(n *node, key string, effect v1.TaintEffect, c *Change) {
	t := v1.Taint{Key: key, Effect: effect, TimeAdded: &metav1.Time{Time: m.now}}
	n.taints = append(n.taints, t)
	c.Add = append(c.Add, t)
}

func (n *node) takeOff(key string, effect v1.TaintEffect, c *Change) {
	n.taints = slices.DeleteFunc(n.taints, func(t v1.Taint) bool {
		match := t.Key == key && t.Effect == effect
		if match {
			c.Remove = append(c.Remove, t)
		}
		return match
	})
}

// needed is the NoExecute taint that a node should have, and its opposite, which it should not.
func (n *node) needed() (taint, opposite string) {
	switch n.statuses[v1.NodeReady] {
	case v1.ConditionFalse:
		return v1.TaintNodeNotReady, v1.TaintNodeUnreachable
	case v1.ConditionUnknown:
		return v1.TaintNodeUnreachable, v1.TaintNodeNotReady
	}
	return "", ""
}

// execute gives a node the NoExecute taint it needs, in place of the opposite one.
func (m *Machine) execute(n *node) (c Change) {
	taint, opposite := n.needed()
	if taint != "" && !n.has(taint, v1.TaintEffectNoExecute) {
		n.takeOff(opposite, v1.TaintEffectNoExecute, &c)
		m.add(n, taint, v1.TaintEffectNoExecute, &c)
	}
	return c
}

// spare takes both of these NoExecute taints off a node.
func (n *node) spare() (c Change) {
	n.takeOff(v1.TaintNodeNotReady, v1.TaintEffectNoExecute, &c)
	n.takeOff(v1.TaintNodeUnreachable, v1.TaintEffectNoExecute, &c)
	return c
}
