package census

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// nowhere is the domain of a node without the key.
const nowhere int32 = -1

// Key is one topology key: a small number for each value that some node has.
type Key struct {
	Name string

	ids    map[string]int32
	nodes  []int32 // by number: how many nodes have the value
	free   []int32
	of     []int32 // by slot: the number of the node's value, or nowhere
	values []string
	users  int
}

// key finds or makes a key, for one more user.
func (r *Roster) key(name string) *Key {
	i := slices.IndexFunc(r.keys, func(k *Key) bool { return k.Name == name })
	if i < 0 {
		k := &Key{Name: name, ids: map[string]int32{}}
		for at := range r.slots {
			k.place(int32(at), r.slots[at].node)
		}
		r.keys = append(r.keys, k)
		i = len(r.keys) - 1
	}
	r.keys[i].users++
	return r.keys[i]
}

// release gives a key back; one that nobody uses is forgotten.
func (r *Roster) release(k *Key) {
	if k.users--; k.users == 0 {
		r.keys = slices.DeleteFunc(r.keys, func(other *Key) bool { return other == k })
	}
}

// place notes which value the slot's node has; no node has none.
func (k *Key) place(slot int32, node *v1.Node) {
	for int(slot) >= len(k.of) {
		k.of = append(k.of, nowhere)
	}
	before, now := k.of[slot], nowhere
	if node != nil {
		if value, has := node.Labels[k.Name]; has {
			now = k.take(value)
		}
	}
	if before != nowhere {
		k.leave(before)
	}
	k.of[slot] = now
}

// take counts one more node for a value, numbering the value if it is new.
func (k *Key) take(value string) int32 {
	id, known := k.ids[value]
	if !known {
		if last := len(k.free) - 1; last >= 0 {
			id = k.free[last]
			k.free = k.free[:last]
			k.values[id] = value
		} else {
			id = int32(len(k.nodes))
			k.nodes, k.values = append(k.nodes, 0), append(k.values, value)
		}
		k.ids[value] = id
	}
	k.nodes[id]++
	return id
}

// leave counts one node less. A number that falls free may be used again at once: a tally takes sums out from where it
// put them, so when it has replayed the log nothing of the old value is left under the number.
func (k *Key) leave(id int32) {
	if k.nodes[id]--; k.nodes[id] == 0 {
		delete(k.ids, k.values[id])
		k.free = append(k.free, id)
	}
}

// At is the domain of a slot's node; ok is false when it does not have the key.
func (k *Key) At(slot int32) (domain int32, ok bool) {
	domain = k.of[slot]
	return domain, domain != nowhere
}
