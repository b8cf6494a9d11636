package evict

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// zoneCluster has the API server's objects, and the log of changes.
type zoneCluster struct {
	zoneHistory
	nodes   map[string]*v1.Node
	changes []string
}

func newZoneCluster(h zoneHistory) *zoneCluster {
	c := &zoneCluster{zoneHistory: h, nodes: map[string]*v1.Node{}}
	for zone, size := range h.sizes {
		for i := range size {
			c.nodes[nodeName(zone, i)] = h.node(zone, i)
		}
	}
	return c
}

func (c *zoneCluster) names() []string { return slices.Sorted(maps.Keys(c.nodes)) }

// step applies a step and returns the changed objects.
func (c *zoneCluster) step(s zoneStep) (changed []world.Object) {
	now := metav1.Time{Time: difftest.SynctestStart.Add(s.at)}
	left := s.n
	trouble := c.trouble(s.zone)
	for i := range c.sizes[s.zone] {
		n := c.nodes[nodeName(s.zone, i)].DeepCopy()
		ready := conditionOf(n, v1.NodeReady)
		switch s.verb {
		case falls:
			if ready.Status != v1.ConditionTrue || left == 0 {
				continue
			}
			left--
			ready.Status, ready.LastHeartbeatTime, ready.LastTransitionTime = s.status, now, now
			if trouble != "" {
				ready.Status = trouble
			}
		case turns:
			switch ready.Status {
			case v1.ConditionTrue:
				continue
			case v1.ConditionFalse:
				ready.Status = v1.ConditionUnknown
			default:
				ready.Status = v1.ConditionFalse
			}
			ready.LastHeartbeatTime, ready.LastTransitionTime = now, now
		case recovers:
			if ready.Status == v1.ConditionTrue {
				continue
			}
			for i := range n.Status.Conditions {
				n.Status.Conditions[i].Status, n.Status.Conditions[i].LastHeartbeatTime = v1.ConditionFalse, now
			}
			ready.Status, ready.LastTransitionTime = v1.ConditionTrue, now
		case beats:
			if i < c.sizes[s.zone]-s.n {
				changed = append(changed, renewedLease(n.Name, now.Time))
			}
			continue
		case cordons:
			if i != s.n {
				continue
			}
			n.Spec.Unschedulable = !n.Spec.Unschedulable
		case presses:
			pressed := conditionOf(n, v1.NodeMemoryPressure)
			if i != s.n {
				continue
			}
			if pressed.Status == v1.ConditionTrue {
				pressed.Status = v1.ConditionFalse
			} else {
				pressed.Status = v1.ConditionTrue
			}
		}
		c.nodes[n.Name] = n
		changed = append(changed, n)
	}
	return changed
}

// trouble returns the Ready status of a zone's nodes that are not ready, empty if all are.
func (c *zoneCluster) trouble(zone int) v1.ConditionStatus {
	for i := range c.sizes[zone] {
		if s := conditionOf(c.nodes[nodeName(zone, i)], v1.NodeReady).Status; s != v1.ConditionTrue {
			return s
		}
	}
	return ""
}

func conditionOf(n *v1.Node, kind v1.NodeConditionType) *v1.NodeCondition {
	return &n.Status.Conditions[slices.IndexFunc(n.Status.Conditions, func(c v1.NodeCondition) bool { return c.Type == kind })]
}

func renewedLease(node string, at time.Time) *coordinationv1.Lease {
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: v1.NamespaceNodeLease, Name: node, UID: types.UID("lease/" + node)}}
	l.Spec.RenewTime = &metav1.MicroTime{Time: at}
	return l
}

// write stores a changed node and logs the changes.
func (c *zoneCluster) write(at time.Time, n *v1.Node) {
	was := c.nodes[n.Name]
	record := func(sign string, t v1.Taint) {
		where := n.Name
		if t.Effect == v1.TaintEffectNoExecute {
			where = zoneOf(n.Name)
		}
		c.changes = append(c.changes, fmt.Sprintf("%10.4fs %s %s%s:%s", at.Sub(difftest.SynctestStart).Seconds(), where, sign,
			strings.TrimPrefix(t.Key, "node.kubernetes.io/"), t.Effect))
	}
	lacks := func(list []v1.Taint, t v1.Taint) bool {
		return !slices.ContainsFunc(list, func(has v1.Taint) bool { return has.MatchTaint(&t) })
	}
	for _, t := range was.Spec.Taints {
		if lacks(n.Spec.Taints, t) {
			record("-", t)
		}
	}
	for _, t := range n.Spec.Taints {
		if lacks(was.Spec.Taints, t) {
			record("+", t)
		}
	}
	if ready := conditionOf(n, v1.NodeReady).Status; ready != conditionOf(was, v1.NodeReady).Status {
		c.changes = append(c.changes, fmt.Sprintf("%10.4fs %s is %s", at.Sub(difftest.SynctestStart).Seconds(), n.Name, ready))
	}
	c.nodes[n.Name] = n
}

// sortedByTime sorts the changes; each line begins with its time.
func sortedByTime(changes []string) []string { return slices.Sorted(slices.Values(changes)) }
