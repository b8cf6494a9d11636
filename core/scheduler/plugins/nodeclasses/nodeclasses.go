// Package nodeclasses divides the nodes of a snapshot into classes that a Filter plugin does not tell apart, by what it reads of each
// node, so that it evaluates each class once (framework.ClassFilter).
//
//	snapshot: which positions changed ─┐
//	Forget: a node's objects changed   ├─► Follow ─► describe ─► class of a node, and what its nodes have in common
//	                                   │
//	Evaluate ◄── what the plugin says of each class ◄───────────────┘
//
// Package topology does the same for plugins that go by the pods of other nodes, too.
package nodeclasses

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

// Describe says what a plugin reads of a node: in the signature for nodes that are alike, and in common for one of them. It is called
// again when the node has changed, or was forgotten.
type Describe[T any] func(node fwk.NodeInfo, to reuse.Signature) (common T, description reuse.Signature)

// Classes divide the nodes of a snapshot.
type Classes[T any] struct {
	reuse.Classes
	snapshot  reuse.ChangedNodes
	describe  Describe[T]
	common    []T              // by class
	names     []string         // by position
	at        map[string]int32 // the position of each name
	forgotten []string
	since     uint64
	key       reuse.Signature

	verdicts   []uint8
	rejections []*fwk.Status
}

// New returns the classes of the nodes of a plugin's snapshot; nil if that does not say which of them change.
func New[T any](h fwk.Handle, describe Describe[T]) *Classes[T] {
	shared := h.SnapshotSharedLister()
	if shared == nil {
		return nil
	}
	snapshot, ok := shared.NodeInfos().(reuse.ChangedNodes)
	if !ok {
		return nil
	}
	return &Classes[T]{snapshot: snapshot, describe: describe}
}

// Forget has a node described again, although the snapshot has it as before.
func (c *Classes[T]) Forget(node string) {
	switch {
	case c.since == 0: // all are described again
	case len(c.forgotten) >= len(c.names):
		c.ForgetAll()
	default:
		c.forgotten = append(c.forgotten, node)
	}
}

// ForgetAll has all nodes described again.
func (c *Classes[T]) ForgetAll() { c.since, c.forgotten = 0, c.forgotten[:0] }

// Common is what the nodes of a class have in common.
func (c *Classes[T]) Common(class int32) T { return c.common[class] }

// Node is a node of a class that has some.
func (c *Classes[T]) Node(class int32) fwk.NodeInfo {
	nodes, err := c.snapshot.List()
	if at := c.Nodes(class).Any(); err == nil && at >= 0 && int(at) < len(nodes) {
		return nodes[at]
	}
	return nil
}

// Follow brings the classes up to the snapshot. It returns false if that has no list.
func (c *Classes[T]) Follow() bool {
	nodes, err := c.snapshot.List()
	if err != nil {
		return false
	}
	positions, now, known := c.snapshot.ChangesSince(c.since)
	c.since = 0 // until all are described, as that may panic
	if known {
		c.followChanges(nodes, positions)
	} else {
		c.describeAll(nodes)
	}
	c.since, c.forgotten = now, c.forgotten[:0]
	return true
}

func (c *Classes[T]) describeAll(nodes []fwk.NodeInfo) {
	c.Reset(len(nodes))
	c.names, c.at = make([]string, len(nodes)), make(map[string]int32, len(nodes))
	for position := range nodes {
		c.put(int32(position), nodes)
	}
}

func (c *Classes[T]) followChanges(nodes []fwk.NodeInfo, positions []int32) {
	for position := len(nodes); position < len(c.names); position++ {
		c.unname(int32(position))
	}
	c.Resize(len(nodes))
	c.names = append(c.names[:min(len(c.names), len(nodes))], make([]string, max(0, len(nodes)-len(c.names)))...)
	for _, position := range positions {
		if int(position) < len(nodes) {
			c.put(position, nodes)
		}
	}
	for _, name := range c.forgotten {
		if position, listed := c.at[name]; listed {
			c.put(position, nodes)
		}
	}
}

// put puts the node at a position into its class.
func (c *Classes[T]) put(position int32, nodes []fwk.NodeInfo) {
	node := nodes[position]
	if name := node.Node().Name; c.names[position] != name {
		c.unname(position)
		c.names[position], c.at[name] = name, position
	}
	common, key := c.describe(node, c.key[:0])
	c.key = key
	class, isNew := c.Put(position, key)
	if !isNew {
		return
	}
	if more := int(class) + 1 - len(c.common); more > 0 {
		c.common = append(c.common, make([]T, more)...)
	}
	c.common[class] = common
}

// unname takes the name from a position, unless the node is in another one by now.
func (c *Classes[T]) unname(position int32) {
	if name := c.names[position]; c.at[name] == position {
		delete(c.at, name)
	}
}

// maxRejections is how many rejections a verdict can tell apart.
//
//orrery:limit scheduler; different rejections by a plugin that evaluates classes of nodes; it is asked node by node
const maxRejections = 255

// Evaluate has each class evaluated by what its nodes have in common. It returns false if one can be evaluated only node by node, as with an
// error, or if there are too many different rejections. The verdicts are read until the next call.
func (c *Classes[T]) Evaluate(evaluate func(T) (status *fwk.Status, ok bool)) (framework.ClassVerdicts, bool) {
	return c.EvaluateEach(func(class int32) (*fwk.Status, bool) { return evaluate(c.common[class]) })
}

// EvaluateEach is Evaluate by the class, for what Common and Node say of it.
func (c *Classes[T]) EvaluateEach(evaluate func(class int32) (status *fwk.Status, ok bool)) (framework.ClassVerdicts, bool) {
	all := true
	c.rejections = c.rejections[:0]
	c.verdicts = c.Verdicts(c.verdicts[:0], func(class int32) uint8 {
		if !all {
			return 0
		}
		status, ok := evaluate(class)
		all = ok && (status.IsSuccess() || status.IsRejected()) && len(c.rejections) < maxRejections
		return c.numberOf(status)
	})
	if !all {
		return framework.ClassVerdicts{}, false
	}
	return framework.ClassVerdicts{Classes: &c.Classes, Verdicts: c.verdicts, Rejections: c.rejections}, true
}

// numberOf is the number of a rejection among those of a call of Evaluate; 0 for none.
func (c *Classes[T]) numberOf(status *fwk.Status) uint8 {
	if status.IsSuccess() {
		return 0
	}
	at := slices.Index(c.rejections, status)
	if at < 0 {
		at = len(c.rejections)
		c.rejections = append(c.rejections, status)
	}
	return uint8(at + 1)
}
