package cycle

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func (g *generator) podAffinity() *v1.Affinity {
	a := &v1.Affinity{}
	if g.oneIn(2) {
		a.PodAffinity = &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  g.terms(),
			PreferredDuringSchedulingIgnoredDuringExecution: g.weightedTerms(),
		}
	}
	if g.oneIn(2) {
		a.PodAntiAffinity = &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  g.terms(),
			PreferredDuringSchedulingIgnoredDuringExecution: g.weightedTerms(),
		}
	}
	return a
}

func (g *generator) terms() (list []v1.PodAffinityTerm) {
	for range pick(g, 0, 0, 1, 1, 2) {
		list = append(list, g.term())
	}
	return list
}

func (g *generator) weightedTerms() (list []v1.WeightedPodAffinityTerm) {
	for range pick(g, 0, 1, 1, 2) {
		list = append(list, v1.WeightedPodAffinityTerm{Weight: pick[int32](g, 1, 5, 100), PodAffinityTerm: g.term()})
	}
	return list
}

func (g *generator) term() v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{TopologyKey: pick(g, topologyKeys...), LabelSelector: g.selector()}
	if g.oneIn(4) {
		term.Namespaces = []string{pick(g, namespaces...)}
	}
	switch g.IntN(10) {
	case 0:
		term.NamespaceSelector = &metav1.LabelSelector{}
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "x"}}
	case 2:
		term.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "team", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"x"}},
		}}
	}
	return term
}

func (g *generator) constraint() v1.TopologySpreadConstraint {
	policies := []*v1.NodeInclusionPolicy{nil, ptr.To(v1.NodeInclusionPolicyHonor), ptr.To(v1.NodeInclusionPolicyIgnore)}
	c := v1.TopologySpreadConstraint{
		MaxSkew:            int32(1 + g.IntN(3)),
		TopologyKey:        pick(g, topologyKeys...),
		WhenUnsatisfiable:  pick(g, v1.DoNotSchedule, v1.ScheduleAnyway),
		LabelSelector:      g.selector(),
		NodeAffinityPolicy: pick(g, policies...),
		NodeTaintsPolicy:   pick(g, policies...),
	}
	if c.WhenUnsatisfiable == v1.DoNotSchedule && g.oneIn(3) {
		c.MinDomains = ptr.To(int32(1 + g.IntN(5)))
	}
	if g.oneIn(3) {
		c.MatchLabelKeys = some(g, 2, podKeys...)
	}
	return c
}
