package cache

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// AddNode adds a node. It immediately has the pods that came before it or stayed after its deletion. The result is a
// copy for the caller.
func (c *Cache) AddNode(node *v1.Node) *NodeInfo { return c.putNode(node) }

// UpdateNode applies a newer version of a node, or adds an unknown one. The result is a copy for the caller.
func (c *Cache) UpdateNode(node *v1.Node) *NodeInfo { return c.putNode(node) }

func (c *Cache) putNode(node *v1.Node) *NodeInfo {
	e := c.entry(node.Name)
	c.writableNodeTree().put(node.Name, zoneKey(node))
	e.imageNames = c.images.replace(e.imageNames, node.Status.Images)
	c.writableInfo(e).setNode(node, c.nextGeneration())
	c.moveToFront(e)
	return c.withImageStates(e).Copy()
}

// RemoveNode removes a node. Deletions of its pods arrive separately and perhaps later, so while it has pods its entry
// remains as an imaginary node, which no snapshot contains.
func (c *Cache) RemoveNode(node *v1.Node) error {
	e := c.entries[node.Name]
	if e == nil {
		return fmt.Errorf("node %s is not found", printableName(node.Name))
	}
	e.imageNames = c.images.replace(e.imageNames, nil)
	c.writableInfo(e).clearNode(c.nextGeneration())
	c.moveToFrontOrDrop(e)
	return c.writableNodeTree().remove(node.Name, zoneKey(node))
}

func (c *Cache) writableNodeTree() *nodeTree {
	if c.nodeTreeShared {
		c.nodeTree, c.nodeTreeShared = c.nodeTree.clone(), false
	}
	return c.nodeTree
}
