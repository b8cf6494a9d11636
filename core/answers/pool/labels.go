package pool

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/printable"
)

// capacityType is Karpenter's label for spot or on-demand.
const capacityType = "karpenter.sh/capacity-type"

// wellKnown are labels that every node gets, with whatever value its machine has.
var wellKnown = []string{
	v1.LabelTopologyZone, v1.LabelTopologyRegion, v1.LabelArchStable, v1.LabelOSStable, v1.LabelInstanceTypeStable, v1.LabelHostname, capacityType,
}

// isWellKnown reports whether a machine has the label whatever the pool says: the domains are those of Karpenter's providers.
func isWellKnown(key string) bool {
	return slices.Contains(wellKnown, key) || strings.HasPrefix(key, "karpenter.k8s.") || strings.HasPrefix(key, "karpenter.azure.com/")
}

// domain is which values a label of a new node may have.
type domain struct {
	// set says that the pool has the label. With any, every value but those of not may come; else only those of values.
	set, any    bool
	values, not []string
	bounds      []v1.NodeSelectorRequirement // Gt and Lt
}

// domainOf returns the values of a label that the pool allows.
func (p *Pool) domainOf(key string) domain {
	d := domain{any: true, set: isWellKnown(key)}
	narrow := func(values []string) {
		if d.any {
			d.any, d.values = false, slices.Clone(values)
		} else {
			d.values = slices.DeleteFunc(d.values, func(v string) bool { return !slices.Contains(values, v) })
		}
		d.set = true
	}
	if value, is := p.Labels[key]; is {
		narrow([]string{value})
	}
	if key == p.Label && key != "" {
		narrow([]string{p.Name})
	}
	for _, r := range p.Requirements {
		if r.Key != key {
			continue
		}
		switch r.Operator {
		case v1.NodeSelectorOpIn:
			narrow(r.Values)
		case v1.NodeSelectorOpNotIn:
			d.not = append(d.not, r.Values...)
		case v1.NodeSelectorOpExists:
			d.set = true
		case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
			d.set, d.bounds = true, append(d.bounds, r)
		}
	}
	return d
}

// allows reports whether the label may have a value.
func (d *domain) allows(value string) bool {
	return d.set && (d.any || slices.Contains(d.values, value)) && !slices.Contains(d.not, value) &&
		!slices.ContainsFunc(d.bounds, func(r v1.NodeSelectorRequirement) bool { return !within(value, r) })
}

// within reports whether a value is greater or less than a requirement says.
func within(value string, r v1.NodeSelectorRequirement) bool {
	if len(r.Values) != 1 {
		return false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	bound, errBound := strconv.ParseInt(r.Values[0], 10, 64)
	if err != nil || errBound != nil {
		return false
	}
	return r.Operator == v1.NodeSelectorOpGt && n > bound || r.Operator == v1.NodeSelectorOpLt && n < bound
}

// meets reports whether a label of the domain may have a value that meets a requirement of a pod.
func (d *domain) meets(r v1.NodeSelectorRequirement) bool {
	some := func(good func(string) bool) bool {
		return d.any || slices.ContainsFunc(d.values, func(v string) bool { return d.allows(v) && good(v) })
	}
	switch r.Operator {
	case v1.NodeSelectorOpIn:
		return slices.ContainsFunc(r.Values, d.allows)
	case v1.NodeSelectorOpNotIn:
		return !d.set || some(func(v string) bool { return !slices.Contains(r.Values, v) })
	case v1.NodeSelectorOpExists:
		return d.set
	case v1.NodeSelectorOpDoesNotExist:
		return !d.set
	case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
		return d.set && some(func(v string) bool { return within(v, r) })
	}
	return false
}

// choose returns a value of the domain that meets all requirements of a key; false if none is known.
func (d *domain) choose(wanted []v1.NodeSelectorRequirement) (string, bool) {
	candidates := slices.Clone(d.values)
	for _, r := range wanted {
		if r.Operator == v1.NodeSelectorOpIn && d.any {
			candidates = append(candidates, r.Values...)
		}
	}
	slices.Sort(candidates)
	for _, value := range candidates {
		one := domain{set: true, values: []string{value}}
		if d.allows(value) && !slices.ContainsFunc(wanted, func(r v1.NodeSelectorRequirement) bool { return !one.meets(r) }) {
			return value, true
		}
	}
	return "", false
}

// alternatives are the requirements of a pod on labels of nodes: those of one of them have to be met. There is always one.
func alternatives(pod *v1.Pod) [][]v1.NodeSelectorRequirement {
	var always []v1.NodeSelectorRequirement
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		always = append(always, v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOpIn, Values: []string{pod.Spec.NodeSelector[key]}})
	}
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return [][]v1.NodeSelectorRequirement{always}
	}
	var all [][]v1.NodeSelectorRequirement
	for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if len(term.MatchFields) == 0 && len(term.MatchExpressions) > 0 { // a term of a name selects no new node, and an empty one none at all
			all = append(all, slices.Concat(always, term.MatchExpressions))
		}
	}
	return all
}

// contradictingLabel is the first requirement of the pod that no label of the pool meets, of the alternative that comes furthest.
func (p *Pool) contradictingLabel(pod *v1.Pod) string {
	why, furthest := "the pod's node affinity selects no node that does not exist yet", -1
	for _, wanted := range alternatives(pod) {
		failed := slices.IndexFunc(wanted, func(r v1.NodeSelectorRequirement) bool { d := p.domainOf(r.Key); return !d.meets(r) })
		if failed < 0 {
			return ""
		}
		if failed > furthest {
			furthest, why = failed, p.contradicts(wanted[failed])
		}
	}
	return why
}

func (p *Pool) contradicts(r v1.NodeSelectorRequirement) string {
	d, has := p.domainOf(r.Key), ""
	switch {
	case !d.set:
		has = "its nodes have no such label"
	case !d.any:
		has = "its nodes have " + strings.Join(d.values, " or ")
	case len(d.not) > 0:
		has = "its nodes have none of " + strings.Join(d.not, ", ")
	default:
		has = "its nodes have one"
	}
	wants := strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Key, r.Operator, strings.Join(r.Values, ", ")))
	return fmt.Sprintf("the pod requires %s, and %s", printable.Line(wants, 200), printable.Line(has, 200))
}
