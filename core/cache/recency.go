package cache

// entry is one node's place in the list of nodes from the most to the least recently changed. Every change stamps the
// next generation and moves the node to the front, so the list is also ordered by generation, newest first, and
// whoever remembers a generation finds what changed since by walking from the front.
type entry struct {
	name     string
	info     *NodeInfo
	borrowed bool // a fork reads the same NodeInfo: copy it before writing

	imageNames []string // what the node last reported, each name once
	imagesAsOf uint64   // the version of the image table that info.images was checked against

	newer, older *entry
}

// moveToFront makes the entry the most recently changed. A new entry joins the list here.
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

// entry is the node's entry. One that did not exist has no node object and joins the list at its first change.
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

// own is the entry's NodeInfo for writing.
func (c *Cache) own(e *entry) *NodeInfo {
	if e.borrowed {
		e.info, e.borrowed = e.info.Copy(), false
	}
	return e.info
}

// current is the entry's NodeInfo for copying: its images say on how many nodes they are now.
func (c *Cache) current(e *entry) *NodeInfo {
	if e.imagesAsOf != c.images.version {
		if view, fresh := c.images.view(e.imageNames, e.info.images); fresh {
			c.own(e).images = view
		}
		e.imagesAsOf = c.images.version
	}
	return e.info
}

// nextGeneration is the stamp of one change. Zero is never given out, so a snapshot that starts at zero has seen nothing.
func (c *Cache) nextGeneration() int64 {
	c.generation++
	return c.generation
}
