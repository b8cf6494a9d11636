package reuse

// Classes divide a list of nodes into classes that something does not tell apart. Each is known by what the nodes have in common,
// in any form that two nodes share only if they are alike. A class keeps its number while a node has it.
type Classes struct {
	of    []int32 // by position; noClass
	none  Bitmap  // the positions without a class
	sets  []Positions
	keys  []string
	byKey map[string]int32
	free  []int32 // numbers of empty classes

	bitmaps int // how many of the sets are bitmaps
}

// noClass is the class of a position without any.
const noClass = -1

// Reset begins anew with a number of nodes, none of which has a class.
func (c *Classes) Reset(nodes int) {
	*c = Classes{of: c.of[:0], none: c.none[:0], byKey: map[string]int32{}}
	c.Resize(nodes)
}

// Resize cuts the list, or adds nodes without a class.
func (c *Classes) Resize(nodes int) {
	for len(c.of) > nodes {
		last := int32(len(c.of) - 1)
		c.Drop(last)
		c.none.clear(last)
		c.of = c.of[:last]
	}
	if words := wordsFor(nodes); words > len(c.none) {
		c.none = append(c.none, make(Bitmap, words-len(c.none))...)
		for i := range c.sets {
			c.sets[i].grow(words)
		}
	}
	for len(c.of) < nodes {
		c.none.Set(int32(len(c.of)))
		c.of = append(c.of, noClass)
	}
}

// Put puts a position into the class of a key, and reports whether that is a new class.
func (c *Classes) Put(position int32, key []byte) (class int32, isNew bool) {
	before := c.of[position]
	if before != noClass && c.keys[before] == string(key) {
		return before, false
	}
	c.Drop(position)
	class, known := c.byKey[string(key)]
	if !known {
		class = c.newClass(string(key))
	}
	c.none.clear(position)
	c.of[position] = class
	set := &c.sets[class]
	c.bitmaps -= set.bitmaps()
	set.add(position, len(c.none))
	c.bitmaps += set.bitmaps()
	return class, !known
}

// Drop takes a position out of its class.
func (c *Classes) Drop(position int32) {
	class := c.of[position]
	if class == noClass {
		return
	}
	c.of[position] = noClass
	c.none.Set(position)
	set := &c.sets[class]
	c.bitmaps -= set.bitmaps()
	set.remove(position)
	c.bitmaps += set.bitmaps()
	if set.count == 0 {
		delete(c.byKey, c.keys[class])
		c.free = append(c.free, class)
	}
}

func (c *Classes) newClass(key string) (class int32) {
	if last := len(c.free) - 1; last >= 0 {
		class = c.free[last]
		c.free = c.free[:last]
	} else {
		class = int32(len(c.sets))
		c.sets, c.keys = append(c.sets, Positions{}), append(c.keys, "")
	}
	c.keys[class] = key
	c.byKey[key] = class
	return class
}

// Len is the number that all classes are below.
func (c *Classes) Len() int { return len(c.sets) }

// Of is the class of the node at a position.
func (c *Classes) Of(position int) int32 { return c.of[position] }

// Nodes are the positions of a class.
func (c *Classes) Nodes(class int32) *Positions { return &c.sets[class] }

// Verdicts appends the verdict on each class to verdicts. The verdict on a class without nodes is zero.
func (c *Classes) Verdicts(verdicts []uint8, evaluate func(class int32) uint8) []uint8 {
	for class := range int32(c.Len()) {
		verdict := uint8(0)
		if c.Nodes(class).Len() > 0 {
			verdict = evaluate(class)
		}
		verdicts = append(verdicts, verdict)
	}
	return verdicts
}

// classBytes is about what a class takes besides its positions.
const classBytes = 200

// bytes is about what the classes take.
func (c *Classes) bytes() int {
	const perNode = 4 + 4 // its class, and its position if that is in a list
	return perNode*cap(c.of) + 8*len(c.none)*(1+c.bitmaps) + classBytes*len(c.sets)
}
