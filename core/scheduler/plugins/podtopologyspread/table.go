package podtopologyspread

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// domainTable is a hard constraint as Filter sees it.
type domainTable struct {
	Key        string
	MaxSkew    int64
	MinDomains int
	// Least is the smallest count of any domain, or zero with fewer than MinDomains domains.
	Least int64
	// Self is 1 if the pod counts itself, and Limit how many pods a domain may have for the pod to be added.
	Self  int64
	Limit int64
	// Domains have the counting nodes, the fewest pods first.
	Domains []domainCount
}

// domainCount is a value of the topology key and the number of matching pods there.
type domainCount struct {
	Value string
	Pods  int64
}

// beside returns the constraints as Filter sees them on a node with pods that are nominated to it.
func (s *preFilterState) beside(node *v1.Node, nominated []fwk.PodInfo) []domainTable {
	with := s.Clone().(*preFilterState)
	for _, info := range nominated {
		with.updatePod(info.GetPod(), node, 1)
	}
	return with.tables()
}

func (s *preFilterState) tables() []domainTable {
	tables := make([]domainTable, len(s.views))
	for i := range s.views {
		c := &s.set.constraints[i]
		t := domainTable{
			Key: c.key, MaxSkew: c.maxSkew, MinDomains: c.minDomains, Self: s.self[i], Limit: s.limits[i],
			Least: s.limits[i] + s.self[i] - c.maxSkew,
		}
		for value, pods := range s.views[i].DomainSums() {
			t.Domains = append(t.Domains, domainCount{value, pods + s.changes.Of(i, value)})
		}
		slices.SortFunc(t.Domains, func(a, b domainCount) int {
			return cmp.Or(cmp.Compare(a.Pods, b.Pods), cmp.Compare(a.Value, b.Value))
		})
		tables[i] = t
	}
	return tables
}
