package podtopologyspread

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/reuse"
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

// podConstraints are a pod's hard or soft constraints before they are compiled.
type podConstraints struct {
	list []v1.TopologySpreadConstraint
	when v1.UnsatisfiableConstraintAction
	// ownerSelector, unless nil, replaces the selectors of all constraints.
	ownerSelector labels.Selector
	owners        selection
}

// constraintsFor finds the hard or soft constraints of a pod: its own, or the defaults if it has none at all.
func (pl *PodTopologySpread) constraintsFor(pod *v1.Pod, when v1.UnsatisfiableConstraintAction) (a podConstraints, found bool) {
	a = podConstraints{list: pod.Spec.TopologySpreadConstraints, when: when}
	own := len(a.list) > 0
	if !own {
		a.list = pl.defaults
	}
	for i := range a.list {
		found = found || a.list[i].WhenUnsatisfiable == when
	}
	if own || !found {
		return a, found
	}
	a.owners = pl.owners.selectionFor(pod)
	if a.owners.empty() {
		return a, false
	}
	a.ownerSelector = a.owners.compile()
	return a, !a.ownerSelector.Empty()
}

// compileAll compiles the constraints.
func (pl *PodTopologySpread) compileAll(pod *v1.Pod, a podConstraints) ([]constraint, error) {
	var list []constraint
	for i := range a.list {
		if a.list[i].WhenUnsatisfiable != a.when {
			continue
		}
		c, err := pl.compile(pod, &a.list[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.errorPrefix(), err)
		}
		if a.ownerSelector != nil {
			c.selector = a.ownerSelector
		}
		list = append(list, c)
	}
	return list, nil
}

func (a podConstraints) errorPrefix() string {
	switch {
	case a.ownerSelector == nil && a.when == v1.DoNotSchedule:
		return "obtaining pod's hard topology spread constraints"
	case a.ownerSelector == nil:
		return "obtaining pod's soft topology spread constraints"
	case a.when == v1.DoNotSchedule:
		return "setting default hard topology spread constraints"
	default:
		return "setting default soft topology spread constraints"
	}
}

func (pl *PodTopologySpread) compile(pod *v1.Pod, from *v1.TopologySpreadConstraint) (constraint, error) {
	selector, err := metav1.LabelSelectorAsSelector(from.LabelSelector)
	if err != nil {
		return constraint{}, err
	}
	affinity, taints := pl.policies(from)
	return constraint{
		key:           from.TopologyKey,
		maxSkew:       int64(from.MaxSkew),
		minDomains:    int(ptr.Deref(from.MinDomains, 1)),
		selector:      addRequirements(selector, pl.matchLabelKeysLabels(pod, from)),
		honorAffinity: affinity == v1.NodeInclusionPolicyHonor,
		honorTaints:   taints == v1.NodeInclusionPolicyHonor,
	}, nil
}

func (pl *PodTopologySpread) policies(c *v1.TopologySpreadConstraint) (affinity, taints v1.NodeInclusionPolicy) {
	affinity, taints = v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore
	// Taints are ignored by default, so that a domain of tainted nodes counts although no pod of these may go there (KEP-3094).
	if pl.inclusionPolicies {
		affinity = ptr.Deref(c.NodeAffinityPolicy, affinity)
		taints = ptr.Deref(c.NodeTaintsPolicy, taints)
	}
	return affinity, taints
}

// matchLabelKeysLabels are the pod's labels under the constraint's matchLabelKeys.
func (pl *PodTopologySpread) matchLabelKeysLabels(pod *v1.Pod, c *v1.TopologySpreadConstraint) map[string]string {
	if !pl.matchLabelKeys || len(c.MatchLabelKeys) == 0 {
		return nil
	}
	found := map[string]string{}
	// A key that the pod has no label of is left out, as in KEP-3243, and does not make the selector match nothing.
	for _, key := range c.MatchLabelKeys {
		if value, has := pod.Labels[key]; has {
			found[key] = value
		}
	}
	return found
}

// addRequirements adds labels to a selector. A selector that matches nothing is returned unchanged.
func addRequirements(selector labels.Selector, more map[string]string) labels.Selector {
	requirements, selectable := selector.Requirements()
	if len(more) == 0 || !selectable {
		return selector
	}
	return labels.SelectorFromSet(more).Add(requirements...)
}

// sign describes everything that the compiled constraints and their counts depend on.
func (pl *PodTopologySpread) sign(s reuse.Signature, pod *v1.Pod, a podConstraints) reuse.Signature {
	s = s.Text(string(a.when)).Text(pod.Namespace).Flag(a.ownerSelector != nil)
	if a.ownerSelector != nil {
		s = s.Pairs(a.owners.labels).Selector(a.owners.selector)
	}
	affinityMatters, taintsMatter := false, false
	for i := range a.list {
		c := &a.list[i]
		if c.WhenUnsatisfiable != a.when {
			continue
		}
		affinity, taints := pl.policies(c)
		s = s.Text(c.TopologyKey).Number(int64(c.MaxSkew)).Number(int64(ptr.Deref(c.MinDomains, 1))).
			Text(string(affinity)).Text(string(taints)).Selector(c.LabelSelector).Pairs(pl.matchLabelKeysLabels(pod, c))
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
