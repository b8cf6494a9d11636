package cache

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
)

// nodeTree groups node names by zone and lists them round robin over the zones, so that the first nodes of the list are
// from different zones:
//
//	zone A: A1 A2
//	zone B: B1 B2 B3     →  A1 B1 C1 A2 B2 B3
//	zone C: C1
//
// Zones are in the order of first appearance, nodes in the order of arrival. A zone without nodes is removed, and is
// last if it returns.
type nodeTree struct {
	zones     []*zone
	byKey     map[string]*zone
	positions map[string]treePosition

	arrivals uint64 // numbers the arrivals, so that binary search finds a node in its zone
	version  uint64 // increments with every change
}

type zone struct {
	key   string
	nodes []zoneNode
}

type zoneNode struct {
	name    string
	arrival uint64
}

type treePosition struct {
	zone    *zone
	arrival uint64
}

func newNodeTree() *nodeTree {
	return &nodeTree{byKey: map[string]*zone{}, positions: map[string]treePosition{}}
}

// zoneKey returns a node's region and zone together, because zone names repeat between regions. Nodes without either
// have the empty key.
func zoneKey(node *v1.Node) string { return topology.GetZoneKey(node) }

// zoneKeySeparator separates region and zone in a key.
const zoneKeySeparator = ":\x00:"

func (t *nodeTree) len() int { return len(t.positions) }

// put adds the node, moves it to the end of another zone, or leaves it unchanged.
func (t *nodeTree) put(name, key string) {
	if at, known := t.positions[name]; known {
		if at.zone.key == key {
			return
		}
		t.removeAt(name, at)
	}
	z := t.byKey[key]
	if z == nil {
		z = &zone{key: key}
		t.zones = append(t.zones, z)
		t.byKey[key] = z
	}
	t.arrivals++
	t.version++
	z.nodes = append(z.nodes, zoneNode{name, t.arrivals})
	t.positions[name] = treePosition{z, t.arrivals}
}

// remove removes the node. The key is only for the error.
func (t *nodeTree) remove(name, key string) error {
	at, known := t.positions[name]
	if !known {
		return fmt.Errorf("node %q in group %q was not found", name, key)
	}
	t.removeAt(name, at)
	return nil
}

func (t *nodeTree) removeAt(name string, at treePosition) {
	z := at.zone
	i := sort.Search(len(z.nodes), func(i int) bool { return z.nodes[i].arrival >= at.arrival })
	z.nodes = slices.Delete(z.nodes, i, i+1)
	if len(z.nodes) == 0 {
		t.zones = slices.DeleteFunc(t.zones, func(other *zone) bool { return other == z })
		delete(t.byKey, z.key)
	}
	delete(t.positions, name)
	t.version++
}

// list returns every node name, round robin over the zones. The error reports that the tree's count is wrong; the names
// are returned anyway.
func (t *nodeTree) list() ([]string, error) {
	if len(t.zones) == 0 {
		return nil, nil
	}
	names := make([]string, 0, t.len())
	for node := range t.all() {
		names = append(names, node.name)
	}
	if len(names) < t.len() {
		return names, errors.New("all zones exhausted before reaching count of nodes expected")
	}
	return names, nil
}

// all goes through every node, round robin over the zones.
func (t *nodeTree) all() iter.Seq[zoneNode] {
	return func(yield func(zoneNode) bool) {
		open := slices.Clone(t.zones)
		for i := 0; len(open) > 0; {
			open = slices.DeleteFunc(open, func(z *zone) bool { return i >= len(z.nodes) })
			for end := shortest(open); i < end; i++ {
				for _, z := range open {
					if !yield(z.nodes[i]) {
						return
					}
				}
			}
		}
	}
}

// shortest is how many nodes the smallest of some zones has.
func shortest(zones []*zone) int {
	n := 0
	for i, z := range zones {
		if i == 0 || len(z.nodes) < n {
			n = len(z.nodes)
		}
	}
	return n
}

func (t *nodeTree) clone() *nodeTree {
	copied := newNodeTree()
	copied.arrivals, copied.version = t.arrivals, t.version
	copied.positions = make(map[string]treePosition, len(t.positions))
	for _, z := range t.zones {
		own := &zone{key: z.key, nodes: slices.Clone(z.nodes)}
		copied.zones = append(copied.zones, own)
		copied.byKey[z.key] = own
		for _, m := range z.nodes {
			copied.positions[m.name] = treePosition{own, m.arrival}
		}
	}
	return copied
}
