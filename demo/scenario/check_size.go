package scenario

import (
	v1 "k8s.io/api/core/v1"

	"orrery/demo/scenario/strict"
)

// made is what the parts checked so far will make of a cluster.
type made struct {
	nodes     map[string]bool // by name
	nodeParts int             // labels, taints, resources and drivers of all nodes
	podBytes  int             // of all pods, encoded
	compared  int             // nodes that were compared with a pattern or a label
	volumes   int             // those written, and the claims of pods
	devices   int             // of nodes and pools
	workloads map[string]*workload
}

// addNodes counts the nodes of a group.
func (m *made) addNodes(g *nodeGroup, n int) error {
	if n < 1 || n > maxNodes || len(m.nodes)+n > maxNodes {
		return g.Fail("count", "a cluster has between 1 and %d nodes", maxNodes)
	}
	if m.nodeParts += n * (len(g.Labels) + len(g.Taints) + len(g.Resources) + len(g.Drivers)); m.nodeParts > maxNodeParts {
		return g.Fail("labels", "all nodes together have more than %d labels, taints, resources and drivers", maxNodeParts)
	}
	return nil
}

// addPods counts pods of a workload.
func (m *made) addPods(w *workload, field string, n int) error {
	if w.podBytes == 0 {
		t := w.template()
		w.podBytes = t.Size()
	}
	if m.podBytes += n * w.podBytes; m.podBytes > maxPodBytes {
		return w.Fail(field, "all pods together take more than %d MiB, encoded: write fewer or smaller ones", maxPodBytes>>20)
	}
	return m.addVolumes(&w.Position, field, n*w.ownClaims())
}

// addVolumes counts volumes, or claims that may get one.
func (m *made) addVolumes(p *strict.Position, field string, n int) error {
	if m.volumes += n; m.volumes > maxVolumes {
		return p.Fail(field, "all volumes and the claims of all pods together are more than %d", maxVolumes)
	}
	return nil
}

// addDevices counts devices.
func (m *made) addDevices(p *strict.Position, field string, n int) error {
	if m.devices += n; n > maxDevices || m.devices > maxDevices {
		return p.Fail(field, "all nodes and pools together have more than %d devices", maxDevices)
	}
	return nil
}

// anyOf checks that every word selects a node.
func (m *made) anyOf(nodes map[string]*v1.Node, p *strict.Position, field string, words []string) error {
	for _, word := range words {
		if nodes[word] != nil {
			continue
		}
		found := false
		for _, node := range nodes {
			m.compared++
			if found = matchesNode(word, node); found {
				break
			}
		}
		if m.compared > maxCompared {
			return p.Fail(field, "nodes are selected by too many patterns and labels: write fewer of them, or names of nodes")
		}
		if !found {
			return p.Fail(field, "there is no node %q: write a name, a pattern such as web-*, or a label such as zone=east; %s", word, strict.Suggest(word, sortedKeys(nodes)))
		}
	}
	return nil
}
