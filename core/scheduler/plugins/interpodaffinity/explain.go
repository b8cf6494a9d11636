package interpodaffinity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = &InterPodAffinity{}

// The reason codes of InterPodAffinity.
const (
	Affinity             = "pod-affinity"
	AntiAffinity         = "pod-anti-affinity"
	ExistingAntiAffinity = "pod-anti-affinity-of-others"
)

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: Affinity, Means: "no pod that the podAffinity requires is in the domain of the nodes", Fields: []string{"wants", "rules", "meant"}},
	{Code: AntiAffinity, Means: "a pod that the podAntiAffinity excludes is in the domain of the nodes", Fields: []string{"rules", "objects"}},
	{Code: ExistingAntiAffinity, Means: "a pod whose podAntiAffinity excludes this one is in the domain of the nodes", Fields: []string{"rules", "objects"}},
}

// Explain returns the nodes by the kind of term that rejects them, with the pods on the other side of each term.
func (pl *InterPodAffinity) Explain(ctx context.Context, state fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	s, err := readPreFilterState(state)
	if err != nil {
		return nil
	}
	own, parsing, resolving := pl.ownTerms(pod)
	if parsing != nil || resolving != nil {
		return nil
	}
	rejected.All = slices.SortedFunc(slices.Values(rejected.All), func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	by := map[*fwk.Status]*framework.Rejection{}
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		status := pl.statusOn(ctx, s, pod, n)
		if by[status] == nil {
			by[status] = &framework.Rejection{All: rejected.All}
		}
		by[status].Nodes = append(by[status].Nodes, *n)
	}
	var list []framework.Evidence
	if r := by[affinityNotMatched]; r != nil {
		list = append(list, explainAffinity(pod, own.affinity, r, s.selfMatch && s.noMatches()))
	}
	if r := by[antiAffinityNotMatched]; r != nil {
		list = append(list, explainAntiAffinity(pod, own.antiAffinity, r))
	}
	if r := by[existingAntiAffinityNotMatched]; r != nil {
		list = append(list, s.explainExisting(pod, r))
	}
	return list
}

// statusOn is what Filter says of a node, with the pods that are nominated to it or, if they do not matter, without.
func (pl *InterPodAffinity) statusOn(ctx context.Context, s *preFilterState, pod *v1.Pod, n *framework.RejectedNode) *fwk.Status {
	for _, with := range []bool{true, false} {
		state := framework.NewCycleState()
		copied := s.Clone()
		state.Write(preFilterStateKey, copied)
		if with {
			for _, info := range n.Nominated {
				updatePod(state, info, n.Node(), 1)
			}
		}
		if status := pl.Filter(ctx, state, pod, n); !status.IsSuccess() {
			return status
		}
	}
	return nil
}

// explainAffinity is the evidence of nodes without a pod that an affinity term requires. A pod that may be the first of its group needs
// none: the nodes lack a topology key then.
func explainAffinity(pod *v1.Pod, own []fwk.AffinityTerm, r *framework.Rejection, first bool) framework.Evidence {
	written := fwk.GetPodAffinityTerms(pod.Spec.Affinity)
	e := newEvidence(Affinity, affinityNotMatched, r)
	for i := range own {
		rule := ruleOf("podAffinity", i, pod, &own[i], &written[i])
		fillDomains(&rule, pod, &own[i], r.All, nil)
		e.Rules = append(e.Rules, rule)
		e.Facts = append(e.Facts, ruleText(&rule, true))
		switch {
		case first:
			e.Wants, e.Predicate = "the label "+rule.Key+" by podAffinity", e.Verb("has", "have")+" no label "+rule.Key+", which its podAffinity needs"
			continue
		case len(rule.Domains) == 0 && e.Sentence == "":
			e.Sentence = "its podAffinity requires a pod " + rule.Text + " in the same " + rule.Key + ", and " + nobody(&rule)
			if there := matchingElsewhere(pod, &own[i], r.All); len(there) > 0 {
				e.Sentence += "; in other namespaces " + framework.Listed(there) + " would"
				e.Meant = there
			}
		case len(rule.Domains) > 0:
			if e.Wants != "" {
				e.Wants += ", "
			}
			e.Wants += where(&rule)
		}
	}
	if e.Wants == "" {
		e.Wants = "its podAffinity"
	}
	if e.Predicate == "" {
		e.Predicate = e.Verb("has", "have") + " no pod that its podAffinity requires"
	}
	return e
}

// where names the domains with pods that a term matches: "topology.kubernetes.io/zone=east by podAffinity to shop/cache-0".
func where(rule *framework.Rule) string {
	var values, pods []string
	for _, d := range rule.Domains {
		values, pods = append(values, d.Value), append(pods, d.Pods...)
	}
	return rule.Key + "=" + framework.Listed(values) + " by podAffinity to " + framework.Listed(pods)
}

// explainAntiAffinity is the evidence of nodes in whose domain there is a pod that an anti-affinity term excludes.
func explainAntiAffinity(pod *v1.Pod, own []fwk.AffinityTerm, r *framework.Rejection) framework.Evidence {
	written := fwk.GetPodAntiAffinityTerms(pod.Spec.Affinity)
	e := newEvidence(AntiAffinity, antiAffinityNotMatched, r)
	for i := range own {
		rule := ruleOf("podAntiAffinity", i, pod, &own[i], &written[i])
		fillDomains(&rule, pod, &own[i], r.All, r.Nodes)
		e.Rules = append(e.Rules, rule)
		e.Facts = append(e.Facts, ruleText(&rule, false))
		if pods := inDomainsOf(&rule, r.Nodes); len(pods) > 0 && e.Predicate == "" {
			e.Predicate = fmt.Sprintf("%s %s in the same %s, which its podAntiAffinity excludes (%s)", e.Verb("has", "have"), framework.Listed(pods), rule.Key, rule.Text)
			e.Objects = podObjects(pods)
		}
	}
	return e
}

// explainExisting is the evidence of nodes in whose domain there is a pod that excludes this one.
func (s *preFilterState) explainExisting(pod *v1.Pod, r *framework.Rejection) framework.Evidence {
	e := newEvidence(ExistingAntiAffinity, existingAntiAffinityNotMatched, r)
	nominated := map[string][]fwk.PodInfo{}
	excluded := map[string]map[string]bool{} // by key: the values of the nodes
	values := func(key string) map[string]bool {
		if excluded[key] == nil {
			excluded[key] = map[string]bool{}
			for i := range r.Nodes {
				if value, has := r.Nodes[i].Node().Labels[key]; has {
					excluded[key][value] = true
				}
			}
		}
		return excluded[key]
	}
	for i := range r.Nodes {
		nominated[r.Nodes[i].Name()] = r.Nodes[i].Nominated
	}
	var pods []string
	for _, info := range r.All {
		for _, other := range slices.Concat(info.GetPodsWithRequiredAntiAffinity(), nominated[info.Node().Name]) {
			for j, t := range other.GetRequiredAntiAffinityTerms() {
				value, has := info.Node().Labels[t.TopologyKey]
				if !has || !t.Matches(pod, s.set.namespace) || !values(t.TopologyKey)[value] {
					continue
				}
				name := framework.PodName(other.GetPod())
				if !slices.Contains(pods, name) {
					pods = append(pods, name)
				}
				e.Rules = append(e.Rules, framework.Rule{
					Field: fmt.Sprintf("podAntiAffinity.required…[%d]", j), Pod: name, Key: t.TopologyKey, Text: t.Selector.String(),
					Domains: []framework.Domain{{Value: value, Count: 1, Pods: []string{name}}},
				})
			}
		}
	}
	e.Objects, e.Facts = podObjects(pods), ownersText(e.Rules)
	if len(e.Rules) > 0 {
		e.Predicate = fmt.Sprintf("%s %s in the same %s, whose podAntiAffinity excludes it (%s)", e.Verb("has", "have"), framework.Listed(pods), e.Rules[0].Key, e.Rules[0].Text)
	}
	return e
}

func newEvidence(code string, status *fwk.Status, r *framework.Rejection) framework.Evidence {
	return framework.Evidence{Code: code, Message: status.Message(), Nodes: r.Names()}
}

func ruleOf(field string, i int, pod *v1.Pod, t *fwk.AffinityTerm, written *v1.PodAffinityTerm) framework.Rule {
	return framework.Rule{
		Field: fmt.Sprintf("%s.required…[%d]", field, i), Key: t.TopologyKey, Text: metav1.FormatLabelSelector(written.LabelSelector),
		Namespaces: sets.List(t.Namespaces), Self: t.Matches(pod, nil),
	}
}

// fillDomains adds the pods that a term matches, by domain; on the given nodes, nominated ones, too.
func fillDomains(rule *framework.Rule, pod *v1.Pod, t *fwk.AffinityTerm, all []fwk.NodeInfo, nodes []framework.RejectedNode) {
	nominated := map[string][]fwk.PodInfo{}
	for i := range nodes {
		nominated[nodes[i].Name()] = nodes[i].Nominated
	}
	index := map[string]int{}
	add := func(value, name string) {
		at, known := index[value]
		if !known {
			at, index[value] = len(rule.Domains), len(rule.Domains)
			rule.Domains = append(rule.Domains, framework.Domain{Value: value})
		}
		d := &rule.Domains[at]
		d.Count, d.Pods = d.Count+1, append(d.Pods, name)
	}
	for _, info := range all {
		value, has := info.Node().Labels[t.TopologyKey]
		if !has {
			continue
		}
		for _, other := range info.GetPods() {
			if other.GetPod().UID != pod.UID && t.Matches(other.GetPod(), nil) {
				add(value, framework.PodName(other.GetPod()))
			}
		}
		for _, other := range nominated[info.Node().Name] {
			if t.Matches(other.GetPod(), nil) {
				add(value, framework.PodName(other.GetPod())+", nominated to "+info.Node().Name)
			}
		}
	}
}

// matchingElsewhere are the pods that the term's selector matches in namespaces that the term leaves out.
func matchingElsewhere(pod *v1.Pod, t *fwk.AffinityTerm, all []fwk.NodeInfo) []string {
	var names []string
	anywhere := *t
	for _, info := range all {
		for _, other := range info.GetPods() {
			p := other.GetPod()
			if anywhere.Namespaces = sets.New(p.Namespace); p.UID != pod.UID && anywhere.Matches(p, nil) {
				names = append(names, framework.PodName(p))
			}
		}
	}
	return names
}

// inDomainsOf are the pods of a rule in the domains of the nodes.
func inDomainsOf(rule *framework.Rule, nodes []framework.RejectedNode) []string {
	values := map[string]bool{}
	for i := range nodes {
		if value, has := nodes[i].Node().Labels[rule.Key]; has {
			values[value] = true
		}
	}
	var pods []string
	for _, d := range rule.Domains {
		if values[d.Value] {
			pods = append(pods, d.Pods...)
		}
	}
	return pods
}

func podObjects(names []string) []framework.Object {
	objects := make([]framework.Object, len(names))
	for i, name := range names {
		objects[i] = framework.Object{Kind: "Pod", Name: name}
	}
	return objects
}
