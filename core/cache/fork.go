package cache

import (
	"maps"
	"slices"
)

// Fork is a second cache with the same content. Both go their own way from here: they share every NodeInfo, the tree,
// the images and the pods until one of them changes one. The two may be used by different goroutines.
func (c *Cache) Fork() *Cache {
	c.treeShared = true
	fork := &Cache{
		accounting: c.accounting,
		entries:    make(map[string]*entry, len(c.entries)),
		generation: c.generation,
		tree:       c.tree,
		treeShared: true,
		images:     c.images.fork(),
		pods:       c.pods.fork(),
		assumed:    maps.Clone(c.assumed),
	}
	entries := make([]entry, len(c.entries)) // in one piece: a fork walks and drops them together
	var newer *entry
	for e, i := c.newest, 0; e != nil; e, i = e.older, i+1 {
		e.info.freeze()
		e.borrowed = true
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

// Fork is a second snapshot with the same content, to be refreshed from a fork of the cache.
func (s *Snapshot) Fork() *Snapshot {
	fork := &Snapshot{
		slots:       make(map[string]*slot, len(s.slots)),
		claims:      maps.Clone(s.claims),
		generation:  s.generation,
		treeVersion: s.treeVersion,
		changes:     slices.Clone(s.changes),
	}
	names := make([]string, len(s.list))
	slots := make([]slot, len(s.list))
	for i := range s.list {
		names[i] = s.list[i].Node().Name
		slots[i] = *s.slots[names[i]]
		fork.slots[names[i]] = &slots[i]
	}
	fork.order(names)
	return fork
}
