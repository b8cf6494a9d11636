package interpodaffinity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orrery/core/scheduler/framework"
)

// maxDomains bounds the domains in a sentence, and the pods whose terms are told.
//
//orrery:limit answers; domains of an affinity term in a sentence; the others are counted
const maxDomains = 6

// ruleText says which pods a term of the pod matches.
func ruleText(rule *framework.Rule, affinity bool) string {
	text := fmt.Sprintf("%s (%s per %s): ", rule.Field, rule.Text, rule.Key)
	if len(rule.Domains) == 0 {
		text += nobody(rule)
		if affinity && rule.Self {
			text += "; a pod that matches all its own terms may be the first, on a node with every topology key"
		}
		return text
	}
	domains := make([]string, 0, maxDomains)
	for _, d := range rule.Domains[:min(len(rule.Domains), maxDomains)] {
		domains = append(domains, d.Value+": "+framework.Listed(d.Pods))
	}
	if more := len(rule.Domains) - maxDomains; more > 0 {
		domains = append(domains, fmt.Sprintf("and %d more domains", more))
	}
	return text + "matched in " + strings.Join(domains, "; ")
}

// nobody says that no pod matches a term, and where it was looked for.
func nobody(rule *framework.Rule) string {
	text := "no pod"
	if len(rule.Namespaces) > 0 {
		text += " in namespace " + framework.Listed(rule.Namespaces)
	}
	return text + " matches"
}

// ownersText groups the pods whose terms exclude the pod by what the terms have in common, the most first.
func ownersText(rules []framework.Rule) []string {
	owners := map[string][]string{}
	for i := range rules {
		r := &rules[i]
		kind := fmt.Sprintf("%s=%s: pods that are not to be with %s there", r.Key, r.Domains[0].Value, r.Text)
		owners[kind] = append(owners[kind], r.Pod)
	}
	var facts []string
	for _, kind := range slices.SortedFunc(maps.Keys(owners), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(owners[b]), len(owners[a])), cmp.Compare(a, b))
	}) {
		facts = append(facts, kind+": "+framework.Listed(owners[kind]))
	}
	if more := len(facts) - maxDomains; more > 0 {
		facts = append(facts[:maxDomains:maxDomains], fmt.Sprintf("and %d more", more))
	}
	return facts
}
