package cache

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
)

// tree keeps node names by zone and lists them round robin over the zones, so that looking at the first few nodes of
// the list means looking into every zone:
//
//	zone A: A1 A2
//	zone B: B1 B2 B3     →  A1 B1 C1 A2 B2 B3
//	zone C: C1
//
// Zones stand in the order in which they were first seen, nodes in the order in which they came. A zone that loses
// its last node is forgotten, and stands last if it comes back.
type tree struct {
	zones []*zone
	byKey map[string]*zone
	where map[string]place

	arrivals uint64 // numbers the arrivals, so that a node is found in its zone by binary search
	version  uint64 // moves on with every change
}

type zone struct {
	key   string
	nodes []member
}

type member struct {
	name    string
	arrival uint64
}

type place struct {
	zone    *zone
	arrival uint64
}

func newTree() *tree { return &tree{byKey: map[string]*zone{}, where: map[string]place{}} }

// zoneKey is the zone a node is in: its region and zone together, because zone names repeat between regions. Nodes
// with neither share the empty key.
func zoneKey(node *v1.Node) string { return topology.GetZoneKey(node) }

// zoneKeySeparator stands between region and zone in a key.
const zoneKeySeparator = ":\x00:"

func (t *tree) len() int { return len(t.where) }

// put adds the node, or moves it to the end of another zone, or leaves it where it is.
func (t *tree) put(name, key string) {
	if at, known := t.where[name]; known {
		if at.zone.key == key {
			return
		}
		t.take(name, at)
	}
	z := t.byKey[key]
	if z == nil {
		z = &zone{key: key}
		t.zones = append(t.zones, z)
		t.byKey[key] = z
	}
	t.arrivals++
	t.version++
	z.nodes = append(z.nodes, member{name, t.arrivals})
	t.where[name] = place{z, t.arrivals}
}

// remove forgets the node. The key only names the zone in the error.
func (t *tree) remove(name, key string) error {
	at, known := t.where[name]
	if !known {
		return fmt.Errorf("node %q in group %q was not found", name, key)
	}
	t.take(name, at)
	return nil
}

func (t *tree) take(name string, at place) {
	z := at.zone
	i := sort.Search(len(z.nodes), func(i int) bool { return z.nodes[i].arrival >= at.arrival })
	z.nodes = slices.Delete(z.nodes, i, i+1)
	if len(z.nodes) == 0 {
		t.zones = slices.DeleteFunc(t.zones, func(other *zone) bool { return other == z })
		delete(t.byKey, z.key)
	}
	delete(t.where, name)
	t.version++
}

// list is every node name, round robin over the zones. The error means that the tree lost count of its nodes, and
// comes with the names that there are.
func (t *tree) list() ([]string, error) {
	if len(t.zones) == 0 {
		return nil, nil
	}
	names := make([]string, 0, t.len())
	open := slices.Clone(t.zones)
	for i := 0; len(open) > 0; i++ {
		open = slices.DeleteFunc(open, func(z *zone) bool { return i >= len(z.nodes) })
		for _, z := range open {
			names = append(names, z.nodes[i].name)
		}
	}
	if len(names) < t.len() {
		return names, errors.New("all zones exhausted before reaching count of nodes expected")
	}
	return names, nil
}

func (t *tree) clone() *tree {
	copied := newTree()
	copied.arrivals, copied.version = t.arrivals, t.version
	copied.where = make(map[string]place, len(t.where))
	for _, z := range t.zones {
		own := &zone{key: z.key, nodes: slices.Clone(z.nodes)}
		copied.zones = append(copied.zones, own)
		copied.byKey[z.key] = own
		for _, m := range z.nodes {
			copied.where[m.name] = place{own, m.arrival}
		}
	}
	return copied
}
