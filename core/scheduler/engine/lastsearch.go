package engine

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// NodeResult is a search's result for one node.
type NodeResult uint8

const (
	NotVisited NodeResult = iota
	Feasible
	Rejected
	Chosen
)

// lastSearch keeps what LastSearch needs to derive each node's result. Recording it costs a cycle nothing; the results
// are derived on first use.
type lastSearch struct {
	decision uint64 // the decision's Seq
	feasible []fwk.NodeInfo
	found    *reuse.Found // nil if all that it rejected is in e.statuses
	chosen   string
	results  []NodeResult // derived on first use; empty before
	names    []string
}

// LastSearch returns the last decision's result for every node, in snapshot order, and the decision's Seq. It returns
// nil if that decision visited no node, and while a search waits for extenders. The slice is the engine's own, valid until the next Step.
func (e *Engine) LastSearch() (decision uint64, found []NodeResult) {
	s := &e.lastSearch
	if s.decision == 0 || s.decision != e.lastSeq || e.suspended != nil {
		return 0, nil
	}
	if len(s.results) == 0 {
		nodes, _ := e.snapshot.NodeInfos().List()
		s.results = append(s.results, make([]NodeResult, len(nodes))...)
		if s.found != nil {
			s.markFound()
		} else {
			e.markVisited(nodes)
		}
		if s.chosen != "" {
			markNodes(s.results, nodes, []string{s.chosen}, Chosen)
		}
	}
	return s.decision, s.results
}

// markFound sets the results of a search that listed nothing.
func (s *lastSearch) markFound() {
	for position, feasible := range s.found.Visits() {
		s.results[position] = Rejected
		if feasible {
			s.results[position] = Feasible
		}
	}
}

// markVisited sets the results of the nodes that the search visited.
func (e *Engine) markVisited(nodes []fwk.NodeInfo) {
	s := &e.lastSearch
	s.names = s.names[:0]
	for name := range e.statuses.All() {
		s.names = append(s.names, name)
	}
	e.mark(nodes, Rejected)
	s.names = s.names[:0]
	for _, node := range s.feasible {
		s.names = append(s.names, node.Node().Name)
	}
	e.mark(nodes, Feasible)
}

// mark sets the result of the nodes in names. Extenders return nodes in their own order.
func (e *Engine) mark(nodes []fwk.NodeInfo, as NodeResult) {
	s := &e.lastSearch
	if len(e.extenders) > 0 {
		named := sets.New(s.names...)
		for i, node := range nodes {
			if named.Has(node.Node().Name) {
				s.results[i] = as
			}
		}
		return
	}
	if as == Rejected && len(s.names) > 0 { // evaluateNode may have visited the first one out of order
		markNodes(s.results, nodes, s.names[:1], as)
		markNodes(s.results, nodes, s.names[1:], as)
		return
	}
	markNodes(s.results, nodes, s.names, as)
}

// markNodes sets the result of the named nodes. names is in snapshot order, starting anywhere and wrapping, so one pass
// from the first match marks all.
func markNodes(found []NodeResult, nodes []fwk.NodeInfo, names []string, as NodeResult) {
	if len(names) == 0 {
		return
	}
	first := slices.IndexFunc(nodes, func(n fwk.NodeInfo) bool { return n.Node().Name == names[0] })
	for i := 0; first >= 0 && i < len(nodes) && len(names) > 0; i++ {
		at := (first + i) % len(nodes)
		if nodes[at].Node().Name == names[0] {
			found[at], names = as, names[1:]
		}
	}
}

// recordSearch keeps a decision's search. Its rejections are in e.statuses until the next search.
func (e *Engine) recordSearch(a *attempt) {
	s := &e.lastSearch
	s.decision, s.feasible, s.found, s.chosen, s.results = 0, a.feasible.list, a.feasible.found(), a.decision.Node, s.results[:0]
	if a.decision.Examined > 0 {
		s.decision = a.decision.Seq
	}
}

// forkLastSearch derives the results now, as only this engine has what they are derived from.
func (e *Engine) forkLastSearch() lastSearch {
	decision, found := e.LastSearch()
	return lastSearch{decision: decision, results: slices.Clone(found)}
}
