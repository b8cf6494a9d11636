package pool

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/capacity"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Kinds of Karpenter that tell of pools. An API server serves them or not.
const (
	NodePools  world.Kind = "nodepools.v1.karpenter.sh"
	NodeClaims world.Kind = "nodeclaims.v1.karpenter.sh"
)

// Known returns the pools that are known: those of files, of objects of Karpenter, and of the nodes of an engine, in the order in which an
// autoscaler takes them. A pool of a file stands before others of its name, and completes a NodePool by the sizes that it gives. The notes say
// what could not be read.
func Known(e *engine.Engine, files []*Pool, objects []world.Object) (pools []*Pool, notes []string) {
	var nodes []*v1.Node
	for info := range capacity.Nodes(e) {
		nodes = append(nodes, info.Node())
	}
	declared, launching := mergeFiles(files), 0
	for _, o := range objects {
		custom, is := o.(*world.Custom)
		if !is || custom.Whole == nil {
			continue
		}
		text, err := json.Marshal(custom.Whole.Object)
		if err == nil {
			switch custom.Resource {
			case NodePools:
				var p *Pool
				if p, err = KarpenterPool(text); err == nil {
					declared = merge(declared, p)
				}
			case NodeClaims:
				node, joined, failed := ClaimedNode(text)
				if err = failed; node != nil && !joined {
					nodes = append(nodes, node)
				}
				if err == nil && !joined {
					launching++
				}
			}
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s is left out: %s", printable.Line(custom.Name, 100), printable.Line(err.Error(), 200)))
		}
	}
	if launching > 0 {
		notes = append(notes, fmt.Sprintf("NodeClaims of Karpenter that are no nodes yet are not counted: %d", launching))
	}
	return Observe(declared, nodes), notes
}

// mergeFiles merges pools of the same name.
func mergeFiles(files []*Pool) (all []*Pool) {
	for _, p := range files {
		all = merge(all, p)
	}
	return all
}

// merge adds a pool. Of two of a name the one that a NodePool declares stays, with the sizes, the maximum and the weight that the other has.
func merge(all []*Pool, p *Pool) []*Pool {
	for i, had := range all {
		if had.Name != p.Name {
			continue
		}
		if had.Origin != karpenter && p.Origin == karpenter {
			had, p = p, had
		}
		merged := *had
		merged.Shapes = append(merged.Shapes[:len(merged.Shapes):len(merged.Shapes)], p.Shapes...)
		if p.Max > 0 {
			merged.Max = p.Max
		}
		if merged.Weight == 0 {
			merged.Weight = p.Weight
		}
		all[i] = &merged
		return all
	}
	return append(all, p)
}
