package interpodaffinity

import (
	"context"
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/hint"
)

// EventsToRegister returns the events that can make a pod schedulable that Filter rejected.
func (pl *InterPodAffinity) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	nodeActions := fwk.Add | fwk.UpdateNodeLabel
	if !pl.queueingHints {
		// Without hints a node may be added while it is tainted, and pods are requeued when the taint is removed.
		nodeActions |= fwk.UpdateNodeTaint
	}
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Add | fwk.UpdatePodLabel | fwk.Delete},
			QueueingHintFn: pl.isSchedulableAfterPodChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: nodeActions},
			QueueingHintFn: pl.isSchedulableAfterNodeChange,
		},
	}, nil
}

// isSchedulableAfterPodChange requeues the pod when a pod starts to match its affinity, or one that kept it out stops to.
func (pl *InterPodAffinity) isSchedulableAfterPodChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, err := hint.Objects[*v1.Pod](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	if before != nil && after != nil && after.UID == pod.UID && !maps.Equal(before.Labels, after.Labels) {
		return fwk.Queue, nil
	}
	if (before != nil && !pl.isPlaced(before)) || (after != nil && !pl.isPlaced(after)) {
		return fwk.QueueSkip, nil
	}
	own, err := parseRequired(pod)
	if err != nil {
		return fwk.Queue, err
	}
	// When the last match of its affinity is gone, a pod that matches its own terms may be the first of its group.
	helps := pl.startsMatchingAll(own.affinity, before, after) || pl.stopsMatchingAny(own.antiAffinity, before, after) ||
		(pl.matchesAllTerms(own.affinity, pod) && pl.startsMatchingAll(own.affinity, after, before))
	if before != nil && after == nil {
		helps = helps || pl.hadAntiAffinityTo(before, pod)
	}
	return hint.QueueIf(helps), nil
}

// isPlaced reports whether a pod may count on a node.
func (pl *InterPodAffinity) isPlaced(pod *v1.Pod) bool {
	return pod.Spec.NodeName != "" || pl.involvesNominated && pod.Status.NominatedNodeName != ""
}

// startsMatchingAll reports whether a change makes a pod match all terms.
func (pl *InterPodAffinity) startsMatchingAll(terms []fwk.AffinityTerm, before, after *v1.Pod) bool {
	return pl.matchesAllTerms(terms, after) && !pl.matchesAllTerms(terms, before)
}

// stopsMatchingAny reports whether a change makes a pod stop matching some term.
func (pl *InterPodAffinity) stopsMatchingAny(terms []fwk.AffinityTerm, before, after *v1.Pod) bool {
	for i := range terms {
		if pl.matches(&terms[i], before) && !pl.matches(&terms[i], after) {
			return true
		}
	}
	return false
}

func (pl *InterPodAffinity) matchesAllTerms(terms []fwk.AffinityTerm, pod *v1.Pod) bool {
	for i := range terms {
		if !pl.matches(&terms[i], pod) {
			return false
		}
	}
	return len(terms) > 0
}

// matches reports whether a pod, which may be nil, matches a term. The terms of hints are not resolved, so the namespace
// selector is matched against the namespace's labels and, as in Filter, against no labels.
func (pl *InterPodAffinity) matches(term *fwk.AffinityTerm, pod *v1.Pod) bool {
	return pod != nil && (term.Matches(pod, nil) || term.Matches(pod, pl.namespaceLabels(pod.Namespace)))
}

func (pl *InterPodAffinity) namespaceLabels(namespace string) labels.Set {
	if ns, err := pl.namespaces.Get(namespace); err == nil {
		return ns.Labels
	}
	return nil
}

// hadAntiAffinityTo reports whether a deleted pod kept the pending one out by its required anti-affinity. Since kube-scheduler looks at that
// (1.36), it also requeues the pending one for terms that do not parse, and matches it without the labels of its namespace.
func (pl *InterPodAffinity) hadAntiAffinityTo(gone, waiting *v1.Pod) bool {
	theirs, err := fwk.GetAffinityTerms(gone, fwk.GetPodAntiAffinityTerms(gone.Spec.Affinity))
	if err != nil {
		return pl.involvesNominated
	}
	for i := range theirs {
		if theirs[i].Matches(waiting, pl.namespaceLabels(waiting.Namespace)) || pl.involvesNominated && theirs[i].Matches(waiting, nil) {
			return true
		}
	}
	return false
}

// isSchedulableAfterNodeChange requeues the pod when a node is added or changes domains. The keys of existing pods'
// anti-affinity are not known here, so any key counts unless the pod's own affinity rules the node out.
func (pl *InterPodAffinity) isSchedulableAfterNodeChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
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
		return hint.QueueIf(len(own.affinity) == 0 || len(own.antiAffinity) > 0 || hasAnyTopologyKey(own.affinity, after)), nil
	}
	if maps.Equal(before.Labels, after.Labels) {
		return fwk.QueueSkip, nil
	}
	return hint.QueueIf(hasAllTopologyKeys(own.affinity, after) || entersDomain(own.affinity, before, after) || leavesDomain(own.antiAffinity, before, after)), nil
}

func hasAllTopologyKeys(terms []fwk.AffinityTerm, node *v1.Node) bool {
	for i := range terms {
		if _, has := node.Labels[terms[i].TopologyKey]; !has {
			return false
		}
	}
	return true
}

func hasAnyTopologyKey(terms []fwk.AffinityTerm, node *v1.Node) bool {
	for i := range terms {
		if _, has := node.Labels[terms[i].TopologyKey]; has {
			return true
		}
	}
	return false
}

// entersDomain reports whether a change moves the node into another domain of a term.
func entersDomain(terms []fwk.AffinityTerm, before, after *v1.Node) bool {
	for i := range terms {
		was, had := before.Labels[terms[i].TopologyKey]
		if is, has := after.Labels[terms[i].TopologyKey]; has && (!had || was != is) {
			return true
		}
	}
	return false
}

// leavesDomain reports whether a change moves the node out of a domain of a term.
func leavesDomain(terms []fwk.AffinityTerm, before, after *v1.Node) bool {
	return entersDomain(terms, after, before)
}
