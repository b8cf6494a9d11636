package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/interpodaffinity"
	"orrery/core/world"
)

// PodTerms are the inter-pod affinity terms behind a rejection.
type PodTerms struct {
	Terms []PodTerm `json:"terms"`
}

// PodTerm is one required term and the pods on its other side.
type PodTerm struct {
	// Field is the path in the pod that has the term; Owner is that pod if it is not the pending one.
	Field string `json:"field"`
	Owner string `json:"owner,omitempty"`
	// Selector and Key are the term's label selector and topology key.
	Selector string `json:"selector"`
	Key      string `json:"topologyKey"`
	// Namespaces are those of the pods that it may match.
	Namespaces []string `json:"namespaces,omitempty"`
	// Domains have the pods that the term of the pending pod matches, or the owner of a term that matches the pending pod.
	Domains []PodDomain `json:"domains,omitempty"`
	// Self says that the pending pod matches its own term.
	Self bool `json:"self,omitempty"`

	affinity bool
}

// PodDomain is a value of a topology key and pods in it.
type PodDomain struct {
	Value string   `json:"value"`
	Pods  []string `json:"pods"` // namespace/name, and whether it is only nominated
}

// podAffinityEvidence looks at the terms of the kind that the message names.
func (p *pendingPod) podAffinityEvidence(message string, nodes []string) Evidence {
	e := &PodTerms{}
	switch message {
	case interpodaffinity.ErrReasonExistingAntiAffinityRulesNotMatch:
		e.Terms = p.existingTerms(nodes)
	case interpodaffinity.ErrReasonAntiAffinityRulesNotMatch:
		e.Terms = p.ownTerms("podAntiAffinity", fwk.GetPodAntiAffinityTerms(p.pod.Spec.Affinity), nodes)
	default:
		e.Terms = p.ownTerms("podAffinity", fwk.GetPodAffinityTerms(p.pod.Spec.Affinity), nil)
	}
	if len(e.Terms) == 0 {
		return nil
	}
	return e
}

// ownTerms finds the pods that the pod's terms match, by domain; on the nodes that are given, nominated ones, too.
func (p *pendingPod) ownTerms(field string, list []v1.PodAffinityTerm, withNominated []string) []PodTerm {
	terms, err := fwk.GetAffinityTerms(p.pod, list)
	if err != nil {
		return nil
	}
	var found []PodTerm
	for i := range terms {
		t := &terms[i]
		term := PodTerm{
			Field: fmt.Sprintf("%s.required…[%d]", field, i), Selector: metav1.FormatLabelSelector(list[i].LabelSelector), Key: t.TopologyKey, Namespaces: sets.List(t.Namespaces),
			Self: t.Matches(p.pod, p.namespaceLabels(p.pod.Namespace)), affinity: field == "podAffinity",
		}
		for _, name := range slices.Sorted(maps.Keys(p.nodes)) {
			value, has := p.nodes[name].Node().Labels[t.TopologyKey]
			if !has {
				continue
			}
			for _, other := range p.nodes[name].GetPods() {
				if pod := other.GetPod(); pod.UID != p.pod.UID && t.Matches(pod, p.namespaceLabels(pod.Namespace)) {
					term.add(value, fullName(pod))
				}
			}
			for _, pod := range p.nominated(name) {
				if slices.Contains(withNominated, name) && t.Matches(pod, p.namespaceLabels(pod.Namespace)) {
					term.add(value, fullName(pod)+", nominated to "+name)
				}
			}
		}
		found = append(found, term)
	}
	return found
}

// existingTerms finds the anti-affinity terms of other pods that match the pod and exclude one of the nodes.
func (p *pendingPod) existingTerms(nodes []string) []PodTerm {
	var found []PodTerm
	own := p.namespaceLabels(p.pod.Namespace)
	excluded := func(key, value string) bool {
		return slices.ContainsFunc(nodes, func(name string) bool {
			got, has := p.nodes[name].Node().Labels[key]
			return has && got == value
		})
	}
	for _, name := range slices.Sorted(maps.Keys(p.nodes)) {
		there := p.nodes[name].GetPodsWithRequiredAntiAffinity()
		if slices.Contains(nodes, name) {
			there = append(slices.Clip(there), p.nominatedInfos(name)...)
		}
		for _, other := range there {
			for i, t := range other.GetRequiredAntiAffinityTerms() {
				value, has := p.nodes[name].Node().Labels[t.TopologyKey]
				if !has || !t.Matches(p.pod, own) || !excluded(t.TopologyKey, value) {
					continue
				}
				pod := other.GetPod()
				term := PodTerm{Field: fmt.Sprintf("podAntiAffinity.required…[%d]", i), Owner: fullName(pod), Selector: t.Selector.String(), Key: t.TopologyKey}
				term.add(value, fullName(pod))
				found = append(found, term)
			}
		}
	}
	return found
}

func (t *PodTerm) add(value, pod string) {
	i := slices.IndexFunc(t.Domains, func(d PodDomain) bool { return d.Value == value })
	if i < 0 {
		i = len(t.Domains)
		t.Domains = append(t.Domains, PodDomain{Value: value})
	}
	t.Domains[i].Pods = append(t.Domains[i].Pods, pod)
}

func (p *pendingPod) namespaceLabels(name string) labels.Set {
	if o := p.engine.Store().Object(world.Namespace, "", name); o != nil {
		return o.GetLabels()
	}
	return nil
}

// Facts implements Evidence.
func (e *PodTerms) Facts() []string {
	var facts []string
	owners := map[string][]string{} // by what they have in common
	for i := range e.Terms {
		t := &e.Terms[i]
		if t.Owner == "" {
			facts = append(facts, t.ownText())
			continue
		}
		kind := fmt.Sprintf("%s=%s: pods that are not to be with %s there", t.Key, t.Domains[0].Value, t.Selector)
		owners[kind] = append(owners[kind], t.Owner)
	}
	for _, kind := range slices.SortedFunc(maps.Keys(owners), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(owners[b]), len(owners[a])), cmp.Compare(a, b))
	}) {
		facts = append(facts, kind+": "+listed(owners[kind]))
	}
	if more := len(facts) - maxDomains; more > 0 {
		facts = append(facts[:maxDomains:maxDomains], fmt.Sprintf("and %d more", more))
	}
	return facts
}

func (t *PodTerm) ownText() string {
	field := fmt.Sprintf("%s (%s per %s): ", t.Field, t.Selector, t.Key)
	if len(t.Domains) == 0 {
		field += "no pod"
		if len(t.Namespaces) > 0 {
			field += " in namespace " + listed(t.Namespaces)
		}
		field += " matches"
		if t.affinity && t.Self {
			field += "; a pod that matches all its own terms may be the first, on a node with every topology key"
		}
		return field
	}
	domains := make([]string, 0, maxDomains)
	for _, d := range t.Domains[:min(len(t.Domains), maxDomains)] {
		domains = append(domains, d.Value+": "+listed(d.Pods))
	}
	if more := len(t.Domains) - maxDomains; more > 0 {
		domains = append(domains, fmt.Sprintf("and %d more domains", more))
	}
	return field + "matched in " + strings.Join(domains, "; ")
}

// Hint implements Evidence.
func (e *PodTerms) Hint() string { return "" }
