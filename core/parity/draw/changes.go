package draw

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/parity/difftest"
)

// ChangedPod draws a change of a pod: one or more, allowed or not.
func ChangedPod(r *difftest.Source, old *v1.Pod) *v1.Pod {
	pod := old.DeepCopy()
	for range r.Range(1, 3) {
		difftest.Pick(r, changes...)(Filler{r, difftest.Pick(r, 0, 10, 3)}, pod)
	}
	return pod
}

var changes = []func(Filler, *v1.Pod){
	func(r Filler, p *v1.Pod) { r.Field(&p.Labels) },
	func(r Filler, p *v1.Pod) { p.Finalizers = append(p.Finalizers, r.text("")) },
	func(r Filler, p *v1.Pod) { p.Spec.Tolerations = append(p.Spec.Tolerations, r.toleration()) },
	func(r Filler, p *v1.Pod) {
		if n := len(p.Spec.Tolerations); n > 0 {
			p.Spec.Tolerations = append(p.Spec.Tolerations[:r.IntN(n):n], r.toleration())
		}
	},
	func(r Filler, p *v1.Pod) {
		for i := range p.Spec.Tolerations {
			p.Spec.Tolerations[i].TolerationSeconds = nil
			r.Field(&p.Spec.Tolerations[i].TolerationSeconds)
		}
	},
	func(r Filler, p *v1.Pod) {
		if n := len(p.Spec.SchedulingGates); n > 0 {
			p.Spec.SchedulingGates = p.Spec.SchedulingGates[r.IntN(n):]
		}
	},
	func(r Filler, p *v1.Pod) {
		p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, v1.PodSchedulingGate{Name: r.text("")})
	},
	func(r Filler, p *v1.Pod) { r.Field(&p.Spec.NodeSelector) },
	func(r Filler, p *v1.Pod) {
		selector := map[string]string{r.text(""): r.text("")}
		for k, v := range p.Spec.NodeSelector {
			selector[k] = v
		}
		p.Spec.NodeSelector = selector
	},
	func(r Filler, p *v1.Pod) { r.Field(&p.Spec.Affinity) },
	func(r Filler, p *v1.Pod) {
		if p.Spec.Affinity == nil {
			p.Spec.Affinity = &v1.Affinity{}
		}
		r.Field(&p.Spec.Affinity.NodeAffinity)
	},
	func(r Filler, p *v1.Pod) { r.changeTerms(p) },
	func(r Filler, p *v1.Pod) { r.Field(&p.Spec.TopologySpreadConstraints) },
	func(r Filler, p *v1.Pod) {
		for i := range p.Spec.TopologySpreadConstraints {
			r.Field(&p.Spec.TopologySpreadConstraints[i].MatchLabelKeys)
		}
	},
	func(r Filler, p *v1.Pod) {
		for i := range p.Spec.Containers {
			p.Spec.Containers[i].Image = difftest.Pick(r.Source, "app:2", "app", " app")
		}
	},
	func(r Filler, p *v1.Pod) { r.Field(&p.Spec.ActiveDeadlineSeconds) },
	func(r Filler, p *v1.Pod) { p.Spec.Containers = append(p.Spec.Containers, r.container("new")) },
	func(r Filler, p *v1.Pod) { p.Spec.InitContainers = nil },
	func(r Filler, p *v1.Pod) { r.Field(&p.Spec.Containers[0].Resources) },
	func(r Filler, p *v1.Pod) { r.Field(&p.Spec.Overhead) },
	func(r Filler, p *v1.Pod) { p.Spec.NodeName = r.text("") },
	func(r Filler, p *v1.Pod) { p.Spec.SchedulerName = r.text("") },
	func(r Filler, p *v1.Pod) { r.Field(&p.Spec.Priority) },
	func(r Filler, p *v1.Pod) { r.Field(&p.Spec.TerminationGracePeriodSeconds) },
	func(r Filler, p *v1.Pod) { p.Name, p.UID = r.text(""), "u" },
}

func (r Filler) toleration() v1.Toleration {
	var t v1.Toleration
	r.Field(&t)
	return t
}

// changeTerms adds to or takes from the terms of a pod's required node affinity.
func (r Filler) changeTerms(p *v1.Pod) {
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
			r.Field(&t.MatchFields)
		}
	}
}
