package trace

import (
	"encoding/binary"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/codec"
	"orrery/core/world"
)

// The first byte of an extender's answer.
const (
	noAnswer        = 0
	answerOfNames   = 1
	answerOfObjects = 2
)

// answer appends an extender's answer to the outcome of its call.
func (e *encoder) answer(a *world.ExtenderAnswer) error {
	switch {
	case a == nil:
		e.entry = append(e.entry, noAnswer)
		return nil
	case a.AsObjects:
		e.entry = append(e.entry, answerOfObjects)
	default:
		e.entry = append(e.entry, answerOfNames)
	}
	e.entry = codec.AppendText(e.entry, a.Error)
	e.count(len(a.Nodes))
	for _, name := range a.Nodes {
		e.entry = codec.AppendText(e.entry, name)
	}
	e.count(len(a.Changed))
	for _, node := range a.Changed {
		if err := e.nested(node); err != nil {
			return err
		}
	}
	e.count(len(a.Failed))
	for _, failed := range a.Failed {
		var unresolvable byte
		if failed.Unresolvable {
			unresolvable = 1
		}
		e.entry = append(codec.AppendText(codec.AppendText(e.entry, failed.Node), failed.Reason), unresolvable)
	}
	e.count(len(a.Scores))
	for _, score := range a.Scores {
		e.entry = binary.AppendVarint(codec.AppendText(e.entry, score.Host), score.Score)
	}
	e.count(len(a.Victims))
	for _, on := range a.Victims {
		e.entry = binary.AppendVarint(codec.AppendText(e.entry, on.Node), on.PDBViolations)
		e.count(len(on.Pods))
		for _, uid := range on.Pods {
			e.entry = codec.AppendText(e.entry, uid)
		}
	}
	if len(e.entry) > maxObjectBytes {
		return fmt.Errorf("recording an extender's answer: it takes %d bytes, and at most %d are allowed", len(e.entry), maxObjectBytes)
	}
	return nil
}

// count appends the length of a list of names.
func (e *encoder) count(n int) {
	e.entry = binary.AppendUvarint(e.entry, uint64(n))
	e.memory += nameMemory * int64(n)
}

// nested appends an object and its length.
func (e *encoder) nested(o world.Object) error {
	before := e.entry
	e.entry = nil
	err := e.object(o)
	e.entry = codec.AppendText(before, string(e.entry))
	return err
}

func (c *entryReader) answer() *world.ExtenderAnswer {
	first := c.byte()
	switch first {
	case noAnswer:
		return nil
	case answerOfNames, answerOfObjects:
	default:
		c.Fail(fmt.Errorf("an extender's answer is of no known kind (%d)", first))
		return nil
	}
	a := &world.ExtenderAnswer{AsObjects: first == answerOfObjects, Error: c.text()}
	c.list(func() { a.Nodes = append(a.Nodes, c.text()) })
	c.list(func() { a.Changed = append(a.Changed, c.node()) })
	c.list(func() {
		a.Failed = append(a.Failed, world.FailedNode{Node: c.text(), Reason: c.text(), Unresolvable: c.byte() != 0})
	})
	c.list(func() { a.Scores = append(a.Scores, world.HostScore{Host: c.text(), Score: c.Varint()}) })
	c.list(func() {
		on := world.AnsweredVictims{Node: c.text(), PDBViolations: c.Varint()}
		c.list(func() { on.Pods = append(on.Pods, types.UID(c.text())) })
		a.Victims = append(a.Victims, on)
	})
	return a
}

// list reads a count and so many items.
func (c *entryReader) list(item func()) {
	for range c.Uvarint() {
		if err := c.memory.spend(nameMemory); err != nil {
			c.Fail(err)
		}
		if c.Err != nil {
			return
		}
		item()
	}
}

// node reads a node and its length.
func (c *entryReader) node() *v1.Node {
	inner := entryReader{Reader: readerOf(c.Bytes()), memory: c.memory, pods: c.pods}
	node, ok := inner.object().(*v1.Node)
	switch {
	case inner.Err != nil:
		c.Fail(inner.Err)
	case !ok:
		c.Fail(fmt.Errorf("a node in an extender's answer is of another kind"))
	}
	return node
}
