package change

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"orrery/core/safe/printable"
)

// parseLabel reads KEY=VALUE, both as the API takes them of a label.
func parseLabel(text string) (key, value string, err error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return "", "", fmt.Errorf("%q is not KEY=VALUE", text)
	}
	if errs := validation.IsQualifiedName(key); len(errs) > 0 {
		return "", "", fmt.Errorf("%q is not the key of a label: %s", key, errs[0])
	}
	if errs := validation.IsValidLabelValue(value); len(errs) > 0 {
		return "", "", fmt.Errorf("%q is not the value of a label: %s", value, errs[0])
	}
	return key, value, nil
}

// parseSelect reads "POD KEY=VALUE", and perhaps "replacing KEY".
func (c *Change) parseSelect(words []string) error {
	if len(words) == 4 && words[2] == "replacing" {
		c.Of, words = words[3], words[:2]
	}
	if err := parseExactly(words, &c.Name, &c.Value); err != nil {
		return err
	}
	_, _, err := parseLabel(c.Value)
	return err
}

// AlterLabels sets a label of a node, which must be the caller's own copy.
func (c Change) AlterLabels(node *v1.Node) error {
	key, value, err := parseLabel(c.Value)
	if err != nil {
		return err
	}
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[key] = value
	return nil
}

// selectNodes has a pod select nodes by a label: in the requirement of its node affinity that names the key, or the one that is replaced,
// and else in its node selector.
func (c Change) selectNodes(pod *v1.Pod) error {
	key, value, err := parseLabel(c.Value)
	if err != nil {
		return err
	}
	replaced := c.Of
	if replaced == "" {
		replaced = key
	}
	_, found := pod.Spec.NodeSelector[replaced]
	requirements := requirementsOn(pod, replaced)
	if c.Of != "" && !found && len(requirements) == 0 {
		return fmt.Errorf("pod %q does not select nodes by %q", nameOf(pod), printable.Line(c.Of, 80))
	}
	for _, r := range requirements {
		r.Key, r.Operator, r.Values = key, v1.NodeSelectorOpIn, []string{value}
	}
	if len(requirements) > 0 && !found {
		return nil
	}
	delete(pod.Spec.NodeSelector, replaced)
	if pod.Spec.NodeSelector == nil {
		pod.Spec.NodeSelector = map[string]string{}
	}
	pod.Spec.NodeSelector[key] = value
	return nil
}

// requirementsOn returns the requirements of a pod's required node affinity on a label.
func requirementsOn(pod *v1.Pod, key string) []*v1.NodeSelectorRequirement {
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	var list []*v1.NodeSelectorRequirement
	terms := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for i := range terms {
		for j := range terms[i].MatchExpressions {
			if r := &terms[i].MatchExpressions[j]; r.Key == key {
				list = append(list, r)
			}
		}
	}
	return list
}

// unselect removes a key from a pod's node selector and required node affinity.
func unselect(pod *v1.Pod, key string) error {
	_, found := pod.Spec.NodeSelector[key]
	delete(pod.Spec.NodeSelector, key)
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		if required := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil && dropKey(required, key) {
			found = true
			if slices.ContainsFunc(required.NodeSelectorTerms, isEmpty) {
				a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil // a term without requirements would match no node
			}
		}
	}
	if !found {
		return fmt.Errorf("pod %q does not select nodes by %q", nameOf(pod), printable.Line(key, 80))
	}
	return nil
}

func dropKey(required *v1.NodeSelector, key string) (found bool) {
	for i := range required.NodeSelectorTerms {
		term := &required.NodeSelectorTerms[i]
		had := len(term.MatchExpressions)
		term.MatchExpressions = slices.DeleteFunc(term.MatchExpressions, func(r v1.NodeSelectorRequirement) bool { return r.Key == key })
		found = found || len(term.MatchExpressions) < had
	}
	return found
}

func isEmpty(t v1.NodeSelectorTerm) bool { return len(t.MatchExpressions)+len(t.MatchFields) == 0 }

// parseSpread reads "POD KEY FIELD=VALUE".
func (c *Change) parseSpread(words []string) error {
	if err := parseExactly(words, &c.Name, &c.Of, &c.Value); err != nil {
		return err
	}
	return setSpread(&v1.TopologySpreadConstraint{}, c.Value)
}

// SpreadFields are what a spread constraint can be given, for who types one.
var SpreadFields = []string{"maxSkew=2", "nodeAffinityPolicy=Ignore", "nodeTaintsPolicy=Honor", "whenUnsatisfiable=ScheduleAnyway"}

// setSpread sets a field of a spread constraint, by its name in the API.
func setSpread(constraint *v1.TopologySpreadConstraint, text string) error {
	field, value, _ := strings.Cut(text, "=")
	switch field {
	case "maxSkew":
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a skew: it is a number from 1 on", value)
		}
		constraint.MaxSkew = int32(n)
		return nil
	case "whenUnsatisfiable":
		return oneOf(value, &constraint.WhenUnsatisfiable, v1.DoNotSchedule, v1.ScheduleAnyway)
	case "nodeTaintsPolicy":
		constraint.NodeTaintsPolicy = new(v1.NodeInclusionPolicy)
		return oneOf(value, constraint.NodeTaintsPolicy, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore)
	case "nodeAffinityPolicy":
		constraint.NodeAffinityPolicy = new(v1.NodeInclusionPolicy)
		return oneOf(value, constraint.NodeAffinityPolicy, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore)
	}
	return errors.New("a field of the constraint should follow: " + strings.Join(SpreadFields, ", "))
}

func oneOf[T ~string](word string, into *T, allowed ...T) error {
	if *into = T(word); slices.Contains(allowed, *into) {
		return nil
	}
	return fmt.Errorf("%q is neither %s nor %s", word, allowed[0], allowed[1])
}

// spread changes the constraints on a topology by which a pod may not be scheduled.
func (c Change) spread(pod *v1.Pod) error {
	found := false
	for i := range pod.Spec.TopologySpreadConstraints {
		constraint := &pod.Spec.TopologySpreadConstraints[i]
		if constraint.TopologyKey != c.Of || constraint.WhenUnsatisfiable == v1.ScheduleAnyway {
			continue
		}
		found = true
		if err := setSpread(constraint, c.Value); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("pod %q has no spread constraint over %q that keeps it from nodes", nameOf(pod), printable.Line(c.Of, 80))
	}
	return nil
}
