package cache

// entry is a node in the list of nodes from the most to the least recently changed. Every change sets the next
// generation and moves the node to the front, so the list is also ordered by generation, newest first, and a reader
// with an older generation finds later changes by walking from the front.
type entry struct {
	name   string
	info   *NodeInfo
	shared bool // a fork reads the same NodeInfo: copy it before writing

	imageNames []string // from the node's last status, each name once
	imagesAsOf uint64   // the imageTable version of info.imageStates

	newer, older *entry
}

// moveToFront makes the entry the most recently changed. It also inserts a new entry.
func (c *Cache) moveToFront(e *entry) {
	if e == c.newest {
		return
	}
	c.unlink(e)
	e.older = c.newest
	if c.newest != nil {
		c.newest.newer = e
	}
	c.newest = e
}

func (c *Cache) unlink(e *entry) {
	if e.newer != nil {
		e.newer.older = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	}
	if e == c.newest {
		c.newest = e.older
	}
	e.newer, e.older = nil, nil
}

// entry returns the node's entry. A new one has no node object and joins the list at its first change.
func (c *Cache) entry(name string) *entry {
	e := c.entries[name]
	if e == nil {
		e = &entry{name: name, info: &NodeInfo{}}
		c.entries[name] = e
	}
	return e
}

func (c *Cache) drop(e *entry) {
	c.unlink(e)
	delete(c.entries, e.name)
}

// writableInfo returns the entry's NodeInfo for writing.
func (c *Cache) writableInfo(e *entry) *NodeInfo {
	if e.shared {
		e.info, e.shared = e.info.Copy(), false
	}
	return e.info
}

// withImageStates returns the entry's NodeInfo with current image states.
func (c *Cache) withImageStates(e *entry) *NodeInfo {
	if e.imagesAsOf != c.images.version {
		if view, fresh := c.images.view(e.imageNames, e.info.imageStates); fresh {
			c.writableInfo(e).imageStates = view
		}
		e.imagesAsOf = c.images.version
	}
	return e.info
}

// nextGeneration returns the next generation. Zero is not used, so every change is newer than an empty snapshot. Nor does one come
// twice: a node that is deleted and added again under its name has to be newer than the copy of the old one (kubernetes issue 63262).
func (c *Cache) nextGeneration() int64 {
	c.generation++
	return c.generation
}
