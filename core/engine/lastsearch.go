package engine

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// Found is what a search made of a node.
type Found uint8

// What a search makes of a node. Passed nodes were not looked at.
const (
	Passed Found = iota
	Feasible
	Rejected
	Chosen
)

// lookedAt is what the last search that looked at any node left behind, for whoever asks about it. Filling it in costs a
// cycle nothing; what it says of each node is found out when somebody asks.
type lookedAt struct {
	decision uint64 // the number of the decision it was made for
	feasible []fwk.NodeInfo
	chosen   string
	found    []Found // made for that decision, if it is as long as the list of nodes
	names    []string
}

// LastSearch tells what the last decision's search made of every node, in the order of the snapshot, and the number of
// the decision. It is nil if that decision was made without looking at any. The list is the engine's own, good until the
// next Step.
func (e *Engine) LastSearch() (decision uint64, found []Found) {
	s := &e.searched
	if s.decision == 0 || s.decision != e.lastSeq {
		return 0, nil
	}
	if len(s.found) == 0 {
		nodes, _ := e.snapshot.NodeInfos().List()
		s.found = append(s.found, make([]Found, len(nodes))...)
		s.names = s.names[:0]
		for name := range e.statuses.All() {
			s.names = append(s.names, name)
		}
		if len(s.names) > 0 { // the first may have been looked at out of turn
			lay(s.found, nodes, s.names[:1], Rejected)
			lay(s.found, nodes, s.names[1:], Rejected)
		}
		s.names = s.names[:0]
		for _, node := range s.feasible {
			s.names = append(s.names, node.Node().Name)
		}
		lay(s.found, nodes, s.names, Feasible)
		if s.chosen != "" {
			lay(s.found, nodes, []string{s.chosen}, Chosen)
		}
	}
	return s.decision, s.found
}

// lay notes what was found of nodes that were come by in the order of the list, begun somewhere and gone round: once the
// first is found, one walk comes by the others.
func lay(found []Found, nodes []fwk.NodeInfo, names []string, as Found) {
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

// sought notes what a decision's search came to. What it rejected is in e.statuses until the next.
func (e *Engine) sought(a *attempt) {
	s := &e.searched
	s.decision, s.feasible, s.chosen, s.found = 0, a.feasible, a.decision.Node, s.found[:0]
	if a.decision.Examined > 0 {
		s.decision = a.decision.Seq
	}
}

// forkSearched is what a fork knows of the last search: the list is made now, as only this engine has what it is made of.
func (e *Engine) forkSearched() lookedAt {
	decision, found := e.LastSearch()
	return lookedAt{decision: decision, found: slices.Clone(found)}
}
