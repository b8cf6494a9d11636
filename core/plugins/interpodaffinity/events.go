package interpodaffinity

import (
	"context"
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/hint"
)

// EventsToRegister names what can make room for a pod that Filter rejected.
func (pl *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	nodeActions := fwk.Add | fwk.UpdateNodeLabel
	if !pl.queueingHints {
		// Without hints a node may be added while it is still tainted, and pods are then moved when the taint goes.
		nodeActions |= fwk.UpdateNodeTaint
	}
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Add | fwk.UpdatePodLabel | fwk.Delete},
			QueueingHintFn: pl.afterPodChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: nodeActions},
			QueueingHintFn: pl.afterNodeChange,
		},
	}, nil
}

// afterPodChange wakes the pod when one that it wants near arrives, or when one that stood in its way leaves.
func (pl *Plugin) afterPodChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, err := hint.Objects[*v1.Pod](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	if before != nil && after != nil && after.UID == pod.UID && !maps.Equal(before.Labels, after.Labels) {
		return fwk.Queue, nil
	}
	if (before != nil && before.Spec.NodeName == "") || (after != nil && after.Spec.NodeName == "") {
		return fwk.QueueSkip, nil
	}
	own, err := parseRequired(pod)
	if err != nil {
		return fwk.Queue, err
	}
	// When the last match of the pod's affinity is gone, a pod that matches it itself may be the first anywhere.
	wake := pl.arrives(own.affinity, before, after) || pl.leaves(own.antiAffinity, before, after) ||
		(pl.all(own.affinity, pod) && pl.arrives(own.affinity, after, before))
	if before != nil && after == nil {
		wake = wake || pl.unwelcomed(before, pod)
	}
	return answer(wake), nil
}

// arrives reports whether a pod that changed begins to match all terms.
func (pl *Plugin) arrives(terms []fwk.AffinityTerm, before, after *v1.Pod) bool {
	return pl.all(terms, after) && !pl.all(terms, before)
}

// leaves reports whether a pod that changed ceases to match some term.
func (pl *Plugin) leaves(terms []fwk.AffinityTerm, before, after *v1.Pod) bool {
	for i := range terms {
		if pl.matches(&terms[i], before) && !pl.matches(&terms[i], after) {
			return true
		}
	}
	return false
}

func (pl *Plugin) all(terms []fwk.AffinityTerm, pod *v1.Pod) bool {
	for i := range terms {
		if !pl.matches(&terms[i], pod) {
			return false
		}
	}
	return len(terms) > 0
}

// matches asks a term about a pod that may be absent. The terms of hints are not resolved, so the namespace selector
// is asked about the namespace's labels, and as Filter does, about no labels.
func (pl *Plugin) matches(term *fwk.AffinityTerm, pod *v1.Pod) bool {
	return pod != nil && (term.Matches(pod, nil) || term.Matches(pod, pl.labelsOf(pod.Namespace)))
}

func (pl *Plugin) labelsOf(namespace string) labels.Set {
	if ns, err := pl.namespaces.Get(namespace); err == nil {
		return ns.Labels
	}
	return nil
}

// unwelcomed reports whether a pod that is gone kept the waiting one out by its own required anti-affinity. Terms that do
// not parse never kept anybody out.
func (pl *Plugin) unwelcomed(gone, waiting *v1.Pod) bool {
	theirs, err := fwk.GetAffinityTerms(gone, fwk.GetPodAntiAffinityTerms(gone.Spec.Affinity))
	if err != nil {
		return false
	}
	for i := range theirs {
		if theirs[i].Matches(waiting, pl.labelsOf(waiting.Namespace)) {
			return true
		}
	}
	return false
}

// afterNodeChange wakes the pod when a node joins or changes domains. Whose anti-affinity keeps the pod out, and by which
// key, is not known here, so unless the pod's own affinity rules the node out, any key may be the one.
func (pl *Plugin) afterNodeChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, err := hint.Objects[*v1.Node](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	own, err := parseRequired(pod)
	if err != nil {
		return fwk.Queue, err
	}
	if after == nil {
		return fwk.QueueSkip, nil
	}
	if before == nil {
		return answer(len(own.affinity) == 0 || len(own.antiAffinity) > 0 || anyKey(own.affinity, after)), nil
	}
	if maps.Equal(before.Labels, after.Labels) {
		return fwk.QueueSkip, nil
	}
	return answer(allKeys(own.affinity, after) || joins(own.affinity, before, after) || parts(own.antiAffinity, before, after)), nil
}

func allKeys(terms []fwk.AffinityTerm, node *v1.Node) bool {
	for i := range terms {
		if _, has := node.Labels[terms[i].TopologyKey]; !has {
			return false
		}
	}
	return true
}

func anyKey(terms []fwk.AffinityTerm, node *v1.Node) bool {
	for i := range terms {
		if _, has := node.Labels[terms[i].TopologyKey]; has {
			return true
		}
	}
	return false
}

// joins reports whether the node is in another domain of a term than it was.
func joins(terms []fwk.AffinityTerm, before, after *v1.Node) bool {
	for i := range terms {
		was, had := before.Labels[terms[i].TopologyKey]
		if is, has := after.Labels[terms[i].TopologyKey]; has && (!had || was != is) {
			return true
		}
	}
	return false
}

// parts reports whether the node is no longer in the domain of a term that it was in.
func parts(terms []fwk.AffinityTerm, before, after *v1.Node) bool { return joins(terms, after, before) }

func answer(wake bool) fwk.QueueingHint {
	if wake {
		return fwk.Queue
	}
	return fwk.QueueSkip
}
