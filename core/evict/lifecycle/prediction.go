package lifecycle

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

// turns returns when the queued nodes get their taints if nothing changes; zero for a zone that gives none.
func (m *Controller) turns() map[string]time.Time {
	turns := map[string]time.Time{}
	for _, z := range m.zones {
		at, comes := m.nextTaintAt(z)
		for _, name := range z.queue {
			turns[name] = at
			if comes {
				at = m.nextTick(at.Add(interval(z.rate)))
			}
		}
	}
	return turns
}

// predict records which pods will be evicted for NoExecute taints that their nodes do not have yet, and cancels predictions
// that no longer hold.
func (m *Controller) predict() {
	if !m.dirty {
		return
	}
	m.dirty = false
	turns := m.turns()
	before := m.predicted
	m.predicted = map[types.UID]bool{}
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[name]
		taints, from, coming := n.upcomingTaints(turns)
		if !coming {
			continue
		}
		for _, pod := range m.podsOf(name) {
			m.predictPod(pod, from, evict.TolerationLimitOf(pod.Spec.Tolerations, taints, m.options.ComparisonOperators))
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(before)) {
		if d, open := m.record.Find(uid, evict.Taint); open && d.Phase == evict.AtRisk && !m.predicted[uid] {
			d.Phase, d.Reason, d.Ended = evict.Cancelled, "the node will not be tainted", m.now
			m.record.Write(d)
		}
	}
}

// upcomingTaints returns the NoExecute taints a node will have and from when, if one of them is still to come.
func (n *node) upcomingTaints(turns map[string]time.Time) (taints []v1.Taint, from time.Time, coming bool) {
	taints = evict.NoExecute(n.taints)
	if at, queued := turns[n.seen.Name]; queued {
		if key, _ := n.noExecuteKeys(); key != "" {
			return append(taints, v1.Taint{Key: key, Effect: v1.TaintEffectNoExecute}), at, true
		}
	}
	for i := range taints {
		known := slices.ContainsFunc(n.seen.Spec.Taints, func(t v1.Taint) bool { return t.MatchTaint(&taints[i]) })
		if !known {
			return taints, taints[i].TimeAdded.Time, true
		}
	}
	return nil, time.Time{}, false
}

func (m *Controller) podsOf(node string) []*v1.Pod {
	return slices.SortedFunc(maps.Values(m.pods[node]), func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// predictPod records that a pod is at risk, unless the record has its eviction for a taint already.
func (m *Controller) predictPod(pod *v1.Pod, from time.Time, limit evict.TolerationLimit) {
	known, open := m.record.Find(pod.UID, evict.Taint)
	if limit.Unlimited || pod.DeletionTimestamp != nil || open && known.Phase != evict.AtRisk {
		return
	}
	m.predicted[pod.UID] = true
	e := evict.Eviction{
		Pod: world.PodRefOf(pod), Node: pod.Spec.NodeName, Cause: evict.Taint, Phase: evict.AtRisk, Predicted: true,
		Initiator: "taint-eviction-controller", Reason: limit.Reason(), FirstSeen: m.now,
	}
	if !from.IsZero() {
		e.Deadline = from.Add(limit.Duration)
	}
	m.record.Write(e)
}
