package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// nodeChurn adds and changes nodes in turn.
type nodeChurn struct {
	every int // bindings
	all   []*v1.Node
	turns int
}

// changeNode adds a node, cordons one, uncordons it or changes a label.
func (s *apiserver) changeNode() change {
	n := &s.nodes
	at := n.turns / 4 % len(n.all)
	old := n.all[at]
	changed := old.DeepCopy()
	s.version++
	changed.ResourceVersion = fmt.Sprint(s.version)
	defer func() { n.turns++ }()
	switch n.turns % 4 {
	case 0:
		changed.Name, changed.UID = fmt.Sprintf("new%d", n.turns), ""
		changed.Labels[v1.LabelHostname] = changed.Name
		return change{new: changed}
	case 1:
		changed.Spec.Unschedulable = true
	case 2:
		changed.Spec.Unschedulable = false
	case 3:
		changed.Labels["rack"] = fmt.Sprint(n.turns)
	}
	n.all[at] = changed
	return change{old: old, new: changed}
}
