package engine

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

// feasibleNodes are the nodes that passed Filter and the extenders. With what earlier cycles found out, few of them are looked at, so
// that they are listed only when somebody asks.
type feasibleNodes struct {
	form feasibleForm
	// reuse is what is known of the nodes for pods like this one; nil if nothing is.
	reuse *framework.Reuse
	list  []fwk.NodeInfo
	// positions are those of the listed nodes in the snapshot, unless the form is ownList.
	positions []int32
}

// feasibleForm says where the feasible and the rejected nodes are. A search with reuse goes from foundOnly on, one step after the
// other, as far as it has to.
type feasibleForm uint8

const (
	// ownList is a list without positions: of nodes that were visited one by one, or that an extender put there. The rejected nodes
	// are in the diagnosis.
	ownList feasibleForm = iota
	// foundOnly is nothing but what reuse found.
	foundOnly
	// feasibleListed has the list. The rejected nodes are in what reuse found.
	feasibleListed
	// allListed has the list, and the rejected nodes are in the diagnosis.
	allListed
)

// put replaces the nodes by others, whose positions are not known.
func (f *feasibleNodes) put(nodes []fwk.NodeInfo) {
	f.form, f.list, f.positions = ownList, nodes, nil
}

// keep keeps the nodes at some indices of the list, in their order.
func (f *feasibleNodes) keep(indices func(yield func(int) bool)) {
	kept := 0
	for i := range indices {
		f.list[kept] = f.list[i]
		if f.form != ownList {
			f.positions[kept] = f.positions[i]
		}
		kept++
	}
	f.list = f.list[:kept]
	if f.form != ownList {
		f.positions = f.positions[:kept]
	}
}

// count is how many there are.
func (f *feasibleNodes) count() int {
	if f.form == foundOnly {
		return f.reuse.Found().Feasible
	}
	return len(f.list)
}

// found is the search, if it has not listed what it rejected.
func (f *feasibleNodes) found() *reuse.Found {
	if f.form == foundOnly || f.form == feasibleListed {
		return f.reuse.Found()
	}
	return nil
}

// ListFeasible lists the feasible nodes, if they are not. See framework.FeasibleNodes.
func (s *search) ListFeasible() []fwk.NodeInfo {
	f := &s.feasible
	if f.form != foundOnly {
		return f.list
	}
	e := s.engine
	nodes, _ := e.snapshot.NodeInfos().List()
	feasible, positions := e.feasible[:0], e.positions[:0]
	for position, isFeasible := range f.reuse.Found().Visits() {
		if isFeasible {
			feasible, positions = append(feasible, nodes[position]), append(positions, int32(position))
		}
	}
	// The lists are the engine's, and the next search overwrites them: what lasts longer copies them.
	e.feasible, e.positions = feasible, positions
	f.form, f.list, f.positions = feasibleListed, feasible, positions
	return feasible
}

// listAll lists the feasible nodes, and adds the reasons of the rejected ones to the diagnosis.
func (s *search) listAll() {
	s.ListFeasible()
	for node, status := range s.feasible.reuse.Rejections() {
		s.fit.Diagnosis.Reject(node, status)
	}
	s.feasible.form = allListed
}

// numExamined is how many nodes were filtered.
func (s *search) numExamined() int {
	if found := s.feasible.found(); found != nil {
		return found.Visited
	}
	return len(s.feasible.list) + s.fit.Diagnosis.NodeToStatus.Len()
}
