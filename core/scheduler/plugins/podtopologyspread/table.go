package podtopologyspread

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// DomainTable is a hard constraint as Filter sees it.
type DomainTable struct {
	Key        string `json:"topologyKey"`
	MaxSkew    int64  `json:"maxSkew"`
	MinDomains int    `json:"minDomains"`
	// Least is the smallest count of any domain, or zero with fewer than MinDomains domains.
	Least int64 `json:"least"`
	// Self is 1 if the pod counts itself, and Limit how many pods a domain may have for the pod to be added.
	Self  int64 `json:"self"`
	Limit int64 `json:"limit"`
	// Domains have the counting nodes, the fewest pods first.
	Domains []Domain `json:"domains"`
}

// Domain is a value of the topology key and the number of matching pods there.
type Domain struct {
	Value string `json:"value"`
	Pods  int64  `json:"pods"`
}

// Tables returns the hard constraints of a pod's cycle; nil if the pod has none.
func Tables(state fwk.CycleState) []DomainTable {
	s, err := readPreFilterState(state)
	if err != nil {
		return nil
	}
	return s.tables()
}

// TablesWith returns the constraints as Filter sees them on a node with pods that are nominated to it.
func TablesWith(state fwk.CycleState, node *v1.Node, nominated []*v1.Pod) []DomainTable {
	s, err := readPreFilterState(state)
	if err != nil {
		return nil
	}
	s = s.Clone().(*preFilterState)
	for _, pod := range nominated {
		s.updatePod(pod, node, 1)
	}
	return s.tables()
}

func (s *preFilterState) tables() []DomainTable {
	tables := make([]DomainTable, len(s.views))
	for i := range s.views {
		c := &s.set.constraints[i]
		t := DomainTable{
			Key: c.key, MaxSkew: c.maxSkew, MinDomains: c.minDomains, Self: s.self[i], Limit: s.limits[i],
			Least: s.limits[i] + s.self[i] - c.maxSkew,
		}
		for value, pods := range s.views[i].DomainSums() {
			t.Domains = append(t.Domains, Domain{value, pods + s.changes.Of(i, value)})
		}
		slices.SortFunc(t.Domains, func(a, b Domain) int {
			return cmp.Or(cmp.Compare(a.Pods, b.Pods), cmp.Compare(a.Value, b.Value))
		})
		tables[i] = t
	}
	return tables
}
