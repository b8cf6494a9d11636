package cycle

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/preempt"
	"orrery/core/scheduler/queue"
)

// requeuesMore reports whether a plugin may requeue pods that kube-scheduler's does not, whatever happens. The opposite is always a
// defect.
func (s *settings) requeuesMore(plugin string) bool {
	switch plugin {
	case "InterPodAffinity": // it checks namespaces' labels, each term by itself, and other pods' affinity
		return true
	case "NodeAffinity": // it checks the profile's added affinity
		return slices.ContainsFunc(s.orreryConfig.Profiles, func(p config.Profile) bool {
			return p.Args[plugin].(*configv1.NodeAffinityArgs).AddedAffinity != nil
		})
	}
	return false
}

// divergesOnPreemption reports whether kube-scheduler preempted on another node that Orrery might have chosen as well: among
// equal candidates, and if only some nodes are tried, kube-scheduler chooses at random.
func (p *decisionCase) divergesOnPreemption(theirs *decision) bool {
	var newest *engine.Decision
	for d := range p.orrery.engine.Decisions() {
		newest = d
		break
	}
	if p.hosting == hostedWholly && theirs.Nominated != unchanged && theirs.Nominated != "" && newest.Nominated != "" && newest.Nominated != theirs.Nominated {
		p.divergence = "candidates for preemption, of which kube-scheduler's plugin chooses a random one in either scheduler"
		return true
	}
	r := newest.Preemption
	if r == nil || theirs.Nominated == r.Node || theirs.Nominated == unchanged || theirs.Nominated == "" {
		return false
	}
	equal := slices.ContainsFunc(r.Lost, func(l preempt.Loser) bool {
		return l.Node == theirs.Nominated && l.By == preempt.FirstFound
	})
	if !equal && !p.settings.sampled(len(p.nodes)) {
		return false
	}
	p.divergence = "equal candidates for preemption, of which kube-scheduler chooses a random one"
	return true
}

// nominationOf returns the nominated node of Orrery's decision. A decision does not distinguish clearing a nomination from
// leaving it, so that theirs is taken; the API calls, which are compared too, distinguish them.
func (p *decisionCase) nominationOf(theirs *decision) string {
	for d := range p.orrery.engine.Decisions() {
		if d.Nominated != "" {
			return d.Nominated
		}
		break
	}
	if theirs.Nominated == "" {
		return ""
	}
	return unchanged
}

// divergesOnNodeOrder reports whether the decisions differ only in the node, and the pod names several nodes: kube-scheduler
// examines these in random order, and takes the first of several best.
func (p *decisionCase) divergesOnNodeOrder(theirs, ours *decision) bool {
	same := *ours
	same.Node = theirs.Node
	if ours.Node == "" || theirs.Node == "" || !cmp.Equal(*theirs, same) || !p.namesSeveralNodes(theirs.Pod) {
		return false
	}
	p.divergence = "a pod that names several nodes, which kube-scheduler examines in random order"
	return true
}

// namesSeveralNodes reports whether a pod may name several nodes in its node affinity.
func (p *decisionCase) namesSeveralNodes(name string) bool {
	for _, pod := range p.pods {
		if pod.Name != name || pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
			continue
		}
		required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		if required == nil || len(required.NodeSelectorTerms) < 2 {
			continue
		}
		return !slices.ContainsFunc(required.NodeSelectorTerms, func(t v1.NodeSelectorTerm) bool { return len(t.MatchFields) == 0 })
	}
	return false
}

// requeuedOnPurpose returns the intended difference by which Orrery has requeued a pod and kube-scheduler has not, if any.
func (p *decisionCase) requeuedOnPurpose(pod *v1.Pod, theirs, ours string) string {
	requeued := ours == "active" || ours == "backoff"
	if theirs != "unschedulable" || !requeued {
		return ""
	}
	their, _ := p.upstream.record(pod)
	for _, plugin := range their.Rejectors {
		if p.settings.requeuesMore(plugin) || p.requeuedFor(pod, plugin) {
			return "Orrery's " + plugin + " requeues a pod that kube-scheduler's does not"
		}
	}
	return ""
}

// requeuedFor reports whether Orrery requeued a pod last for what a plugin of kube-scheduler is not told, or does not look at: devices that
// are free since a binding has failed, and a node that the pod's node affinity selects since its labels changed, or no longer.
func (p *decisionCase) requeuedFor(pod *v1.Pod, plugin string) bool {
	event, known := map[string]fwk.ClusterEvent{
		"DynamicResources": queue.EventResourceClaimUpdate, "PodTopologySpread": {Resource: fwk.Node, ActionType: fwk.UpdateNodeLabel},
	}[plugin]
	last := p.orrery.engine.LastPodTransitions(pod.UID, 1)
	return known && len(last) == 1 && last[0].Event == event.Label()
}

// gatedBySeveral reports whether the plugin that gates a pod in Orrery would gate it in kube-scheduler, too: it asks a profile's PreEnqueue
// plugins in random order, unless one of them gates the pod already.
func (p *decisionCase) gatedBySeveral(pod *v1.Pod, theirs, ours record) bool {
	if theirs.Gate == "" || ours.Gate == "" || theirs.Gate == ours.Gate {
		return false
	}
	if p.upstream.wouldGate(ours.Gate, pod) {
		p.divergence = gatedByAny
		return true
	}
	return false
}

const gatedByAny = "a pod that several plugins gate, of which kube-scheduler asks a random one first"
