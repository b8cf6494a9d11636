package journey

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
)

// Node is what is known of a node.
type Node struct {
	// Object is its last known state.
	Object *v1.Node
	// Came is when the recording first knew of it, Left when it was removed; zero if it is there at the end.
	Came, Left time.Time
	// Bound counts the pods that were bound to it in the recording, Pods those on it at the end and Most at one time.
	Bound, Pods, Most int
}

// add counts a pod that came to the node.
func (n *Node) add(bound bool) {
	if n.Pods++; n.Pods > n.Most {
		n.Most = n.Pods
	}
	if bound {
		n.Bound++
	}
}

// node returns what is known of a node. Its object may come later than its pods, or never.
func (t *Tracker) node(name string) *Node {
	n := t.nodes[name]
	if n == nil {
		n = &Node{}
		t.nodes[name] = n
	}
	return n
}

func (t *Tracker) nodeChanged(at time.Time, node *v1.Node, deleted bool) {
	n := t.node(node.Name)
	if n.Object == nil {
		n.Came = at
	}
	n.Object = node
	if deleted {
		n.Left = at
		t.sink.Node(n)
		delete(t.nodes, node.Name)
	}
}

// sortedNodes are the nodes whose objects are known, by name.
func (t *Tracker) sortedNodes() []*Node {
	var all []*Node
	for _, n := range t.nodes {
		if n.Object != nil {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b *Node) int { return cmp.Compare(a.Object.Name, b.Object.Name) })
	return all
}
