package podtopologyspread

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"orrery/core/plugins/census"
)

// constraint is one spread constraint with nothing left to default.
type constraint struct {
	key           string
	maxSkew       int64
	minDomains    int
	selector      labels.Selector
	honorAffinity bool
	honorTaints   bool
}

// asked is what a pod's spec, or the defaults, say of one kind of constraint, before anything is compiled.
type asked struct {
	list []v1.TopologySpreadConstraint
	when v1.UnsatisfiableConstraintAction
	// fromOwners, if set, replaces the selectors of all constraints.
	fromOwners labels.Selector
	owners     selection
}

// ask finds the constraints of one kind that hold for a pod: its own, or the defaults if it has none of either kind.
func (pl *Plugin) ask(pod *v1.Pod, when v1.UnsatisfiableConstraintAction) (a asked, any bool) {
	a = asked{list: pod.Spec.TopologySpreadConstraints, when: when}
	own := len(a.list) > 0
	if !own {
		a.list = pl.defaults
	}
	for i := range a.list {
		any = any || a.list[i].WhenUnsatisfiable == when
	}
	if own || !any {
		return a, any
	}
	a.owners = pl.owners.of(pod)
	a.fromOwners = a.owners.compile()
	return a, !a.fromOwners.Empty()
}

// constraints compiles what was asked for.
func (pl *Plugin) constraints(pod *v1.Pod, a asked) ([]constraint, error) {
	var list []constraint
	for i := range a.list {
		if a.list[i].WhenUnsatisfiable != a.when {
			continue
		}
		c, err := pl.compile(pod, &a.list[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.purpose(), err)
		}
		if a.fromOwners != nil {
			c.selector = a.fromOwners
		}
		list = append(list, c)
	}
	return list, nil
}

func (a asked) purpose() string {
	switch {
	case a.fromOwners == nil && a.when == v1.DoNotSchedule:
		return "obtaining pod's hard topology spread constraints"
	case a.fromOwners == nil:
		return "obtaining pod's soft topology spread constraints"
	case a.when == v1.DoNotSchedule:
		return "setting default hard topology spread constraints"
	default:
		return "setting default soft topology spread constraints"
	}
}

func (pl *Plugin) compile(pod *v1.Pod, from *v1.TopologySpreadConstraint) (constraint, error) {
	selector, err := metav1.LabelSelectorAsSelector(from.LabelSelector)
	if err != nil {
		return constraint{}, err
	}
	affinity, taints := pl.policies(from)
	return constraint{
		key:           from.TopologyKey,
		maxSkew:       int64(from.MaxSkew),
		minDomains:    int(ptr.Deref(from.MinDomains, 1)),
		selector:      narrow(selector, pl.keyLabels(pod, from)),
		honorAffinity: affinity == v1.NodeInclusionPolicyHonor,
		honorTaints:   taints == v1.NodeInclusionPolicyHonor,
	}, nil
}

func (pl *Plugin) policies(c *v1.TopologySpreadConstraint) (affinity, taints v1.NodeInclusionPolicy) {
	affinity, taints = v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore
	if pl.inclusionPolicies {
		affinity = ptr.Deref(c.NodeAffinityPolicy, affinity)
		taints = ptr.Deref(c.NodeTaintsPolicy, taints)
	}
	return affinity, taints
}

// keyLabels are the pod's labels that the constraint's matchLabelKeys name.
func (pl *Plugin) keyLabels(pod *v1.Pod, c *v1.TopologySpreadConstraint) map[string]string {
	if !pl.matchLabelKeys || len(c.MatchLabelKeys) == 0 {
		return nil
	}
	found := map[string]string{}
	for _, key := range c.MatchLabelKeys {
		if value, has := pod.Labels[key]; has {
			found[key] = value
		}
	}
	return found
}

// narrow makes a selector ask for more labels; one that matches nothing stays as it is.
func narrow(selector labels.Selector, more map[string]string) labels.Selector {
	requirements, selectable := selector.Requirements()
	if len(more) == 0 || !selectable {
		return selector
	}
	return labels.SelectorFromSet(more).Add(requirements...)
}

// sign spells out all that the compiled constraints and the count of their pods depend on.
func (pl *Plugin) sign(s census.Signature, pod *v1.Pod, a asked) census.Signature {
	s = s.Text(string(a.when)).Text(pod.Namespace).Yes(a.fromOwners != nil)
	if a.fromOwners != nil {
		s = s.Map(a.owners.labels).Selector(a.owners.selector)
	}
	affinityMatters, taintsMatter := false, false
	for i := range a.list {
		c := &a.list[i]
		if c.WhenUnsatisfiable != a.when {
			continue
		}
		affinity, taints := pl.policies(c)
		s = s.Text(c.TopologyKey).Number(int64(c.MaxSkew)).Number(int64(ptr.Deref(c.MinDomains, 1))).
			Text(string(affinity)).Text(string(taints)).Selector(c.LabelSelector).Map(pl.keyLabels(pod, c))
		affinityMatters = affinityMatters || affinity == v1.NodeInclusionPolicyHonor
		taintsMatter = taintsMatter || taints == v1.NodeInclusionPolicyHonor
	}
	if affinityMatters {
		s = s.RequiredNodes(pod)
	}
	if taintsMatter {
		s = s.Tolerations(pod.Spec.Tolerations)
	}
	return s
}
