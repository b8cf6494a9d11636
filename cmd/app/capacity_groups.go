package app

import (
	"cmp"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/answers/pool"
	"orrery/core/objects/requests"
)

// shortGroups are short names of what nodes are grouped by.
var shortGroups = map[string]func(*v1.Node) string{
	"zone": func(node *v1.Node) string { return node.Labels[v1.LabelTopologyZone] },
	"type": func(node *v1.Node) string { return node.Labels[v1.LabelInstanceTypeStable] },
	"pool": pool.NameOf,
}

// grouping reads what nodes are grouped by; nil if by nothing.
func grouping(by string) (func(*v1.Node) string, error) {
	if by == "" {
		return nil, nil
	}
	var parts []func(*v1.Node) string
	for word := range strings.SplitSeq(by, ",") {
		if short := shortGroups[word]; short != nil {
			parts = append(parts, short)
			continue
		}
		if err := checkLabelKey("--by", word); err != nil {
			return nil, err
		}
		parts = append(parts, func(node *v1.Node) string { return node.Labels[word] })
	}
	return func(node *v1.Node) string {
		var names []string
		known := false
		for _, part := range parts {
			name := part(node)
			known = known || name != ""
			names = append(names, cmp.Or(name, "none"))
		}
		if !known {
			return ""
		}
		return strings.Join(names, ", ")
	}, nil
}

// human writes an amount of a document for people.
func human(name, amount string) string {
	q, err := resource.ParseQuantity(amount)
	if err != nil {
		return amount
	}
	return requests.Human(v1.ResourceName(name), requests.Amount(v1.ResourceName(name), q))
}
