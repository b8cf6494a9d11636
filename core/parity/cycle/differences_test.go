package cycle

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/preempt"
)

// refuses are the plugins that Orrery has only to refuse pods that need them. They wait for nothing.
var unsupportedPlugins = map[string]bool{
	"DynamicResources": true, "NodeVolumeLimits": true, "VolumeBinding": true, "VolumeRestrictions": true, "VolumeZone": true,
}

// wakesMore tells whether a plugin may wake pods that kube-scheduler's lets sleep. The other way round is never right.
func (s *settings) requeuesMore(plugin string) bool {
	switch plugin {
	case "InterPodAffinity": // it looks at namespaces' labels, at each term by itself, and at the affinity of others
		return true
	case "NodeAffinity": // it looks at the profile's own affinity
		return slices.ContainsFunc(s.orreryConfig.Profiles, func(p config.Profile) bool {
			return p.Args[plugin].(*configv1.NodeAffinityArgs).AddedAffinity != nil
		})
	}
	return false
}

// partOverRoom tells whether kube-scheduler made room for a pod where Orrery did not, and might have: among candidates
// that are equal, and where only some nodes are tried, it draws one at random.
func (p *decisionCase) divergesOnPreemption(theirs *decision) bool {
	var newest *engine.Decision
	for d := range p.orrery.engine.Decisions() {
		newest = d
		break
	}
	r := newest.Preemption
	if r == nil || theirs.Nominated == r.Node || theirs.Nominated == asItIs || theirs.Nominated == "" {
		return false
	}
	equal := slices.ContainsFunc(r.Lost, func(l preempt.Loser) bool {
		return l.Node == theirs.Nominated && l.By == preempt.FirstFound
	})
	if !equal && !p.settings.sampled(len(p.nodes)) {
		return false
	}
	p.divergence = "equal candidates for preemption, of which kube-scheduler takes a random one"
	return true
}

// nominationOf is what Orrery's decision says of the claim, as far as it can be told: a decision does not tell clearing
// it from leaving it. The calls to the API do, and are compared too.
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
	return asItIs
}

// partOverOrder tells whether the two differ in nothing but the node, and the pod names several nodes: kube-scheduler looks
// at them in random order, and takes the first of several best.
func (p *decisionCase) divergesOnNodeOrder(theirs, ours *decision) bool {
	same := *ours
	same.Node = theirs.Node
	if ours.Node == "" || theirs.Node == "" || !cmp.Equal(*theirs, same) || !p.namesSeveralNodes(theirs.Pod) {
		return false
	}
	p.divergence = "a pod that names several nodes, which kube-scheduler looks at in random order"
	return true
}

// narrowed tells whether a pod may name several nodes, in an affinity by node names.
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

// wokenOnPurpose says why a pod is awake in Orrery and asleep in kube-scheduler, if that is meant to be.
func (p *decisionCase) requeuedOnPurpose(pod *v1.Pod, theirs, ours string) string {
	if theirs != "unschedulable" || (ours != "active" && ours != "backoff") {
		return ""
	}
	info, ok := p.upstream.sched.SchedulingQueue.GetPod(pod.Name, pod.Namespace)
	if !ok {
		return ""
	}
	for _, plugin := range sets.List(info.UnschedulablePlugins) {
		if p.settings.requeuesMore(plugin) {
			return "Orrery's " + plugin + " wakes a pod that kube-scheduler's lets sleep"
		}
	}
	return ""
}
