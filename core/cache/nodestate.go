package cache

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// AddNode takes in a node. Pods that came before their node, or stayed after it, are on it at once. The result is a
// copy for the caller.
func (c *Cache) AddNode(node *v1.Node) *NodeInfo { return c.putNode(node) }

// UpdateNode takes in a newer version of a node; a node that is not known is added. The result is a copy for the caller.
func (c *Cache) UpdateNode(node *v1.Node) *NodeInfo { return c.putNode(node) }

func (c *Cache) putNode(node *v1.Node) *NodeInfo {
	e := c.entry(node.Name)
	c.ownTree().put(node.Name, zoneKey(node))
	e.imageNames = c.images.replace(e.imageNames, node.Status.Images)
	c.own(e).setNode(node, c.nextGeneration())
	c.moveToFront(e)
	return c.current(e).Copy()
}

// RemoveNode forgets a node. Deletions of its pods arrive separately and perhaps later, so while it has pods its entry
// stays as a ghost, which no snapshot shows.
func (c *Cache) RemoveNode(node *v1.Node) error {
	e := c.entries[node.Name]
	if e == nil {
		return fmt.Errorf("node %s is not found", shown(node.Name))
	}
	e.imageNames = c.images.replace(e.imageNames, nil)
	c.own(e).clearNode(c.nextGeneration())
	c.settle(e)
	return c.ownTree().remove(node.Name, zoneKey(node))
}

func (c *Cache) ownTree() *tree {
	if c.treeShared {
		c.tree, c.treeShared = c.tree.clone(), false
	}
	return c.tree
}
