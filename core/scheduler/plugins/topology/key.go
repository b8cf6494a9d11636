package topology

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// noDomain is the domain of a node without the key.
const noDomain int32 = -1

// TopologyKey is one topology key: a small number for each value that some node has.
type TopologyKey struct {
	Name string

	domains map[string]int32
	nodes   []int32 // by number: how many nodes have the value
	free    []int32
	bySlot  []int32 // by slot: the number of the node's value, or nowhere
	values  []string
	crowded int // how many values more than one node has
	kept    int // how many axes keep the value ""
	refs    int
}

// acquireKey returns a key, made if needed, with one more reference.
func (r *PodIndex) acquireKey(name string) *TopologyKey {
	i := slices.IndexFunc(r.keys, func(k *TopologyKey) bool { return k.Name == name })
	if i < 0 {
		k := &TopologyKey{Name: name, domains: map[string]int32{}}
		for at := range r.slots {
			k.setNode(int32(at), r.slots[at].node)
		}
		r.keys = append(r.keys, k)
		i = len(r.keys) - 1
	}
	r.keys[i].refs++
	return r.keys[i]
}

// releaseKey drops a reference to a key, and the key with the last one.
func (r *PodIndex) releaseKey(k *TopologyKey) {
	if k.refs--; k.refs == 0 {
		r.keys = slices.DeleteFunc(r.keys, func(other *TopologyKey) bool { return other == k })
	}
}

// setNode records the value of the slot's node; nil has none.
func (k *TopologyKey) setNode(slot int32, node *v1.Node) {
	for int(slot) >= len(k.bySlot) {
		k.bySlot = append(k.bySlot, noDomain)
	}
	before, now := k.bySlot[slot], noDomain
	if node != nil {
		if value, has := node.Labels[k.Name]; has {
			now = k.number(value)
			k.addNode(now)
		}
	}
	if before != noDomain {
		k.removeNode(before)
	}
	k.bySlot[slot] = now
}

// keepEmpty gives "" a number although no node may have it.
func (k *TopologyKey) keepEmpty() int32 {
	k.kept++
	return k.number("")
}

// releaseEmpty undoes keepEmpty.
func (k *TopologyKey) releaseEmpty(id int32) {
	k.kept--
	k.freeUnused(id)
}

// number is the number of a value, which gets one if it is new.
func (k *TopologyKey) number(value string) int32 {
	id, known := k.domains[value]
	if known {
		return id
	}
	if last := len(k.free) - 1; last >= 0 {
		id = k.free[last]
		k.free = k.free[:last]
		k.values[id] = value
	} else {
		id = int32(len(k.nodes))
		k.nodes, k.values = append(k.nodes, 0), append(k.values, value)
	}
	k.domains[value] = id
	return id
}

func (k *TopologyKey) addNode(id int32) {
	if k.nodes[id]++; k.nodes[id] == 2 {
		k.crowded++
	}
}

func (k *TopologyKey) removeNode(id int32) {
	if k.nodes[id]--; k.nodes[id] == 1 {
		k.crowded--
	}
	k.freeUnused(id)
}

// freeUnused frees the number of a value that no node has. It may be given away at once: DomainCounts subtract from the domain
// that they added to, so after replaying the log nothing of the old value is left under the number.
func (k *TopologyKey) freeUnused(id int32) {
	if k.nodes[id] == 0 && (k.values[id] != "" || k.kept == 0) {
		delete(k.domains, k.values[id])
		k.free = append(k.free, id)
	}
}

// DomainOf is the domain of a slot's node; ok is false if the node does not have the key.
func (k *TopologyKey) DomainOf(slot int32) (domain int32, ok bool) {
	domain = k.bySlot[slot]
	return domain, domain != noDomain
}
