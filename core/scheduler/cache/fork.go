package cache

import (
	"maps"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// Fork returns an independent cache with the same content. Both share every NodeInfo, the tree, the images and the pods
// until one of them changes them. Different goroutines may use the two.
func (c *Cache) Fork() *Cache {
	c.nodeTreeShared = true
	fork := &Cache{
		accounting:     c.accounting,
		entries:        make(map[string]*entry, len(c.entries)),
		generation:     c.generation,
		nodeTree:       c.nodeTree,
		nodeTreeShared: true,
		images:         c.images.fork(),
		pods:           c.pods.fork(),
		assumed:        maps.Clone(c.assumed),
	}
	entries := make([]entry, len(c.entries)) // one allocation: a fork visits and drops them together
	var newer *entry
	for e, i := c.newest, 0; e != nil; e, i = e.older, i+1 {
		e.info.markShared()
		e.shared = true
		own := &entries[i]
		*own = *e
		own.newer, own.older = newer, nil
		if newer == nil {
			fork.newest = own
		} else {
			newer.older = own
		}
		newer = own
		fork.entries[own.name] = own
	}
	return fork
}

// Fork returns a snapshot with the same content, to be refreshed from a fork of the cache.
func (s *Snapshot) Fork() *Snapshot {
	fork := &Snapshot{
		slots:         make(map[string]*slot, len(s.slots)),
		pvcNodeCounts: maps.Clone(s.pvcNodeCounts),
		generation:    s.generation,
		treeVersion:   s.treeVersion,
		changed:       slices.Clone(s.changed),
		amounts:       slices.Clone(s.amounts),
		free:          slices.Clone(s.free),
	}
	slots := make([]slot, len(s.order))
	for i, o := range s.order {
		slots[i] = *o.slot
		fork.slots[slots[i].info.node.Name] = &slots[i]
		fork.place(i, o.arrival, &slots[i])
	}
	fork.refillSublists(0)
	fork.log.Reset()
	return fork
}

// imagesOfNode are the images of a node in a snapshot.
type imagesOfNode struct {
	node   string
	images map[string]*fwk.ImageStateSummary // immutable
}

// Freeze returns what CodeState writes of a snapshot. It costs less than a fork, and is of no other use.
func (s *Snapshot) Freeze() *Snapshot {
	frozen := &Snapshot{generation: s.generation, frozen: make([]imagesOfNode, len(s.order))}
	for i, o := range s.order {
		frozen.frozen[i] = imagesOfNode{o.slot.info.node.Name, o.slot.info.imageStates}
	}
	return frozen
}
