package podtopologyspread

import (
	"context"
	"fmt"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/saturating"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = &PodTopologySpread{}

// The reason codes of PodTopologySpread.
const (
	SpreadSkew  = "spread-skew"
	SpreadLabel = "spread-label-missing"
)

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: SpreadSkew, Means: "one more pod there would be more than maxSkew allows", Fields: []string{"wants", "rules"}},
	{Code: SpreadLabel, Means: "the nodes lack a topology key", Fields: []string{"wants", "rules"}},
}

// Explain returns the nodes without a topology key, and those whose domain has too many pods, with the counts of every domain.
func (pl *PodTopologySpread) Explain(ctx context.Context, state fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	s, err := readPreFilterState(state)
	if err != nil || len(s.views) == 0 {
		return nil
	}
	unlabeled, skewed := rejected, rejected
	unlabeled.Nodes, skewed.Nodes = nil, nil
	for i := range rejected.Nodes {
		if n := &rejected.Nodes[i]; pl.Filter(ctx, state, pod, n) == missingLabel {
			unlabeled.Nodes = append(unlabeled.Nodes, *n)
		} else {
			skewed.Nodes = append(skewed.Nodes, *n)
		}
	}
	rules := s.rules(rejected.All)
	var list []framework.Evidence
	if len(unlabeled.Nodes) > 0 {
		list = append(list, missingLabels(rules, unlabeled))
	}
	if len(skewed.Nodes) > 0 {
		list = append(list, s.skew(rules, skewed))
		list[0].Wants = list[len(list)-1].Wants // a domain is of nodes with the label
	}
	return list
}

// rules are the constraints with the counts of all domains that count for them.
func (s *preFilterState) rules(all []fwk.NodeInfo) []framework.Rule {
	tables := s.tables()
	rules := make([]framework.Rule, len(tables))
	for i := range tables {
		t, c := &tables[i], &s.set.constraints[i]
		r := framework.Rule{
			Field: "spec.topologySpreadConstraints", Key: t.Key, Text: c.selector.String(), Self: t.Self > 0,
			Spread: &framework.SpreadLimit{MaxSkew: t.MaxSkew, MinDomains: t.MinDomains, Least: t.Least, Most: max(saturating.Add(t.Limit, t.Self), 0), Own: t.Self},
		}
		counts := map[string]bool{}
		for _, d := range t.Domains {
			r.Domains = append(r.Domains, framework.Domain{Value: d.Value, Count: d.Pods})
			counts[d.Value] = true
		}
		for _, info := range all {
			switch value, has := info.Node().Labels[t.Key]; {
			case !has:
				r.Unlabeled = append(r.Unlabeled, info.Node().Name)
			case !counts[value]:
				r.LeftOut, counts[value] = append(r.LeftOut, value), true
			}
		}
		slices.Sort(r.Unlabeled)
		slices.Sort(r.LeftOut)
		rules[i] = r
	}
	return rules
}

// missingLabels is the evidence of nodes without a topology key.
func missingLabels(rules []framework.Rule, rejected framework.Rejection) framework.Evidence {
	e := framework.Evidence{Code: SpreadLabel, Message: ErrReasonNodeLabelNotMatch, Nodes: rejected.Names(), Rules: rules}
	var keys []string
	for i := range rejected.Nodes {
		for _, r := range rules {
			if _, has := rejected.Nodes[i].Node().Labels[r.Key]; !has && !slices.Contains(keys, r.Key) {
				keys = append(keys, r.Key)
			}
		}
	}
	e.Wants = "the label " + framework.Listed(keys) + " by spread"
	e.Predicate = e.Verb("has", "have") + " no label " + framework.Listed(keys) + ", over which it must spread"
	for _, r := range e.Rules {
		switch {
		case len(r.Unlabeled) == len(rejected.All):
			e.Sentence = "it must spread over " + r.Key + ", and no node has that label"
			fallthrough
		case len(r.Unlabeled) > 0:
			e.Facts = append(e.Facts, plural.Count(len(r.Unlabeled), "node")+" without the label "+r.Key+": "+framework.Listed(r.Unlabeled))
		}
	}
	if alone := len(rejected.Alone()); alone > 0 {
		e.Hint = "would fit on " + plural.Count(alone, "node") + " with the label " + framework.Listed(keys) + ", or ScheduleAnyway"
	}
	return e
}

// skew is the evidence of nodes whose domain has too many pods.
func (s *preFilterState) skew(rules []framework.Rule, rejected framework.Rejection) framework.Evidence {
	e := framework.Evidence{Code: SpreadSkew, Message: ErrReasonConstraintsNotMatch, Nodes: rejected.Names(), Rules: rules}
	for i := range e.Rules {
		c := &e.Rules[i]
		fact := domainsText(c)
		e.Facts, e.Charted = append(e.Facts, fact), append(e.Charted, fact)
		if c.Spread.MinDomains > len(c.Domains) {
			e.Facts = append(e.Facts, fmt.Sprintf("minDomains is %d and there are %d, so the least counts as 0", c.Spread.MinDomains, len(c.Domains)))
		}
		if i == 0 {
			e.Facts = append(e.Facts, nominatedFacts(rejected.Nodes)...)
		}
		if len(c.LeftOut) > 0 {
			e.Facts = append(e.Facts, "left out by its node affinity or tolerations: "+framework.Listed(c.LeftOut))
		}
		if tainted := s.tainted(i, c, rejected.All); len(tainted) > 0 {
			e.Facts = append(e.Facts, "all nodes of "+framework.Listed(tainted)+" have taints that it does not tolerate, and count all the same: nodeTaintsPolicy Honor would leave them out")
		}
	}
	e.Wants, e.Predicate = s.allowed(e.Rules), s.over(&e, rejected.Nodes)
	s.hint(&e, rejected.Alone())
	return e
}

// maxAllowed bounds the domains that are named as those where the pod may go.
//
//orrery:limit answers; domains where a pod may go by its spread and that are named; of more, the label is
const maxAllowed = 2

// allowed says which domains may have one more pod: "zone=east by spread with maxSkew 1".
func (s *preFilterState) allowed(rules []framework.Rule) string {
	text := ""
	for i := range rules {
		c := &rules[i]
		var values []string
		for _, d := range c.Domains {
			if d.Count+c.Spread.Own <= c.Spread.Most {
				values = append(values, d.Value)
			}
		}
		if len(values) == len(c.Domains) {
			continue
		}
		if text != "" {
			text += ", "
		}
		switch n := len(values); {
		case n == 0 || n > maxAllowed:
			text += fmt.Sprintf("room for one more by spread over %s with maxSkew %d", c.Key, c.Spread.MaxSkew)
		case n == 1:
			text += fmt.Sprintf("%s=%s by spread with maxSkew %d", c.Key, values[0], c.Spread.MaxSkew)
		default:
			text += fmt.Sprintf("%s=%s or %s by spread with maxSkew %d", c.Key, values[0], values[1], c.Spread.MaxSkew)
		}
	}
	if text == "" { // only beside nominated pods
		return "room by spread beside nominated pods"
	}
	return text
}

// over says that the nodes' domains have as many pods as they may.
func (s *preFilterState) over(e *framework.Evidence, nodes []framework.RejectedNode) string {
	for i := range e.Rules {
		c := &e.Rules[i]
		full := map[string]bool{}
		for _, d := range c.Domains {
			full[d.Value] = d.Count+c.Spread.Own > c.Spread.Most
		}
		var values []string
		for j := range nodes {
			if value := nodes[j].Node().Labels[c.Key]; full[value] {
				values, full[value] = append(values, value), false
			}
		}
		if len(values) > 0 {
			return fmt.Sprintf("%s in %s %s, which %s as many of its pods as maxSkew %d allows",
				e.Verb("is", "are"), c.Key, framework.Listed(values), oneOr(len(values), "has", "have"), c.Spread.MaxSkew)
		}
	}
	return e.Verb("has", "have") + " too many of its pods, with those nominated there"
}

func oneOr(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// tainted are the domains that may have one more pod and whose nodes all have taints that the pod does not tolerate, although they count.
func (s *preFilterState) tainted(i int, r *framework.Rule, all []fwk.NodeInfo) []string {
	c := s.set.constraints[i]
	if c.honorTaints {
		return nil
	}
	c.honorTaints = true
	var values []string
	for _, d := range r.Domains {
		if d.Count+r.Spread.Own > r.Spread.Most {
			continue
		}
		open := slices.ContainsFunc(all, func(info fwk.NodeInfo) bool {
			return info.Node().Labels[r.Key] == d.Value && s.set.eligible(&c, info.Node())
		})
		if !open {
			values = append(values, d.Value)
		}
	}
	return values
}

// maxDomains bounds the domains in a sentence.
//
//orrery:limit answers; domains in a sentence; the others are counted
const maxDomains = 6

// domainsText is the counts of a constraint in a sentence.
func domainsText(r *framework.Rule) string {
	text := ""
	for i, d := range r.Domains[:min(len(r.Domains), maxDomains)] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %d", d.Value, d.Count)
	}
	if more := len(r.Domains) - maxDomains; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return fmt.Sprintf("over %s: matching pods by domain %s; maxSkew %d over the least, %d, allows %d with this pod",
		r.Key, text, r.Spread.MaxSkew, r.Spread.Least, r.Spread.Most)
}

// nominatedFacts names the pods that are nominated to the nodes, if there are any: they count there besides.
func nominatedFacts(nodes []framework.RejectedNode) []string {
	var names []string
	for i := range nodes {
		for _, info := range nodes[i].Nominated {
			names = append(names, framework.PodName(info.GetPod())+" to "+nodes[i].Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"nominated pods count on their nodes besides: " + framework.Listed(names)}
}

// hint finds the smallest maxSkew of the constraints that allows one of the nodes on which nothing else is in the way, and how many nodes
// it allows.
func (s *preFilterState) hint(e *framework.Evidence, alone []framework.RejectedNode) {
	skews := make([][]int64, len(alone)) // by node and constraint: the skew with the pod there
	best, least := -1, int64(math.MaxInt64)
	plain := skewsOf(s.tables())
	for n := range alone {
		node := alone[n].Node()
		with := plain
		if len(alone[n].Nominated) > 0 {
			with = skewsOf(s.beside(node, alone[n].Nominated))
		}
		var sum int64
		for i := range plain {
			value := node.Labels[e.Rules[i].Key]
			skew := max(plain[i].of(value), with[i].of(value)) // Filter runs with them and without
			skews[n], sum = append(skews[n], skew), saturating.Add(sum, skew)
		}
		if sum < least {
			best, least = n, sum
		}
	}
	if best < 0 {
		return
	}
	allowed := 0
	for n := range skews {
		within := true
		for i, skew := range skews[n] {
			within = within && skew <= max(skews[best][i], e.Rules[i].Spread.MaxSkew)
		}
		if within {
			allowed++
		}
	}
	words := ""
	for i := range e.Rules {
		if needed := skews[best][i]; needed > e.Rules[i].Spread.MaxSkew {
			if words != "" {
				words += " and "
			}
			words += fmt.Sprintf("maxSkew %d over %s", needed, e.Rules[i].Key)
		}
	}
	if words != "" {
		e.Hint = "would fit on " + plural.Count(allowed, "node") + " with " + words + ", or ScheduleAnyway"
	}
}

// skews are, by domain, the skew of a constraint with the pod there.
type skews struct {
	byValue map[string]int64
	own     int64 // of a domain without pods
}

func skewsOf(tables []domainTable) []skews {
	all := make([]skews, len(tables))
	for i := range tables {
		t := &tables[i]
		all[i] = skews{map[string]int64{}, t.Self}
		for _, d := range t.Domains {
			all[i].byValue[d.Value] = saturating.Sub(saturating.Add(d.Pods, t.Self), t.Least)
		}
	}
	return all
}

func (s *skews) of(value string) int64 {
	if skew, counts := s.byValue[value]; counts {
		return skew
	}
	return s.own
}
