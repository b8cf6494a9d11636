package podapi

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/parity/difftest"
)

// changedPod draws a change of a pod: one or more, allowed or not.
func changedPod(r *difftest.Source, old *v1.Pod) *v1.Pod {
	pod := old.DeepCopy()
	for range r.Range(1, 3) {
		difftest.Pick(r, changes...)(filler{r, difftest.Pick(r, 0, 10, 3)}, pod)
	}
	return pod
}

var changes = []func(filler, *v1.Pod){
	func(r filler, p *v1.Pod) { r.fillField(&p.Labels) },
	func(r filler, p *v1.Pod) { p.Finalizers = append(p.Finalizers, r.text("")) },
	func(r filler, p *v1.Pod) { p.Spec.Tolerations = append(p.Spec.Tolerations, r.toleration()) },
	func(r filler, p *v1.Pod) {
		if n := len(p.Spec.Tolerations); n > 0 {
			p.Spec.Tolerations = append(p.Spec.Tolerations[:r.IntN(n):n], r.toleration())
		}
	},
	func(r filler, p *v1.Pod) {
		for i := range p.Spec.Tolerations {
			p.Spec.Tolerations[i].TolerationSeconds = nil
			r.fillField(&p.Spec.Tolerations[i].TolerationSeconds)
		}
	},
	func(r filler, p *v1.Pod) {
		if n := len(p.Spec.SchedulingGates); n > 0 {
			p.Spec.SchedulingGates = p.Spec.SchedulingGates[r.IntN(n):]
		}
	},
	func(r filler, p *v1.Pod) {
		p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, v1.PodSchedulingGate{Name: r.text("")})
	},
	func(r filler, p *v1.Pod) { r.fillField(&p.Spec.NodeSelector) },
	func(r filler, p *v1.Pod) {
		selector := map[string]string{r.text(""): r.text("")}
		for k, v := range p.Spec.NodeSelector {
			selector[k] = v
		}
		p.Spec.NodeSelector = selector
	},
	func(r filler, p *v1.Pod) { r.fillField(&p.Spec.Affinity) },
	func(r filler, p *v1.Pod) {
		if p.Spec.Affinity == nil {
			p.Spec.Affinity = &v1.Affinity{}
		}
		r.fillField(&p.Spec.Affinity.NodeAffinity)
	},
	func(r filler, p *v1.Pod) { r.changeTerms(p) },
	func(r filler, p *v1.Pod) { r.fillField(&p.Spec.TopologySpreadConstraints) },
	func(r filler, p *v1.Pod) {
		for i := range p.Spec.TopologySpreadConstraints {
			r.fillField(&p.Spec.TopologySpreadConstraints[i].MatchLabelKeys)
		}
	},
	func(r filler, p *v1.Pod) {
		for i := range p.Spec.Containers {
			p.Spec.Containers[i].Image = difftest.Pick(r.Source, "app:2", "app", " app")
		}
	},
	func(r filler, p *v1.Pod) { r.fillField(&p.Spec.ActiveDeadlineSeconds) },
	func(r filler, p *v1.Pod) { p.Spec.Containers = append(p.Spec.Containers, r.container("new")) },
	func(r filler, p *v1.Pod) { p.Spec.InitContainers = nil },
	func(r filler, p *v1.Pod) { r.fillField(&p.Spec.Containers[0].Resources) },
	func(r filler, p *v1.Pod) { r.fillField(&p.Spec.Overhead) },
	func(r filler, p *v1.Pod) { p.Spec.NodeName = r.text("") },
	func(r filler, p *v1.Pod) { p.Spec.SchedulerName = r.text("") },
	func(r filler, p *v1.Pod) { r.fillField(&p.Spec.Priority) },
	func(r filler, p *v1.Pod) { r.fillField(&p.Spec.TerminationGracePeriodSeconds) },
	func(r filler, p *v1.Pod) { p.Name, p.UID = r.text(""), "u" },
}

func (r filler) toleration() v1.Toleration {
	var t v1.Toleration
	r.fillField(&t)
	return t
}

// changeTerms adds to or takes from the terms of a pod's required node affinity.
func (r filler) changeTerms(p *v1.Pod) {
	if p.Spec.Affinity == nil || p.Spec.Affinity.NodeAffinity == nil || p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return
	}
	s := p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	for i := range s.NodeSelectorTerms {
		t := &s.NodeSelectorTerms[i]
		switch r.IntN(3) {
		case 0:
			t.MatchExpressions = append(t.MatchExpressions, v1.NodeSelectorRequirement{Key: r.text("Key"), Operator: v1.NodeSelectorOpExists})
		case 1:
			t.MatchExpressions = nil
		default:
			r.fillField(&t.MatchFields)
		}
	}
}
