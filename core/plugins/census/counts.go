package census

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Counts is one axis as it stood when it was taken. It does not change afterwards.
type Counts struct {
	Key *Key
	// Hits is how many weights were added, whatever they sum to.
	Hits    int64
	kind    AxisKind
	blank   int32
	sums    []int64
	members []int32
}

// Counts takes the present state of an axis.
func (t *Tally) Counts(axis int) Counts {
	a := t.axes[axis]
	a.lent = true
	return Counts{Key: a.key, Hits: a.hits, kind: a.kind, blank: a.blank, sums: a.sums, members: a.members}
}

// Of is the sum in a domain; a domain that nothing counted in has 0.
func (c *Counts) Of(domain int32) int64 {
	if domain < 0 || int(domain) >= len(c.sums) {
		return 0
	}
	return c.sums[domain]
}

// Has reports whether some counted node is in the domain.
func (c *Counts) Has(domain int32) bool {
	return domain >= 0 && int(domain) < len(c.members) && c.members[domain] > 0
}

// Locate is the domain of a node by its key. The domain is negative for a value that the roster has not met, and
// has is false for a node without the key. A node that was found in the roster is looked up by its slot.
func (c *Counts) Locate(node *v1.Node, slot int32, found bool) (domain int32, has bool) {
	if found {
		return c.Key.At(slot)
	}
	value, has := node.Labels[c.Key.Name]
	if !has {
		return nowhere, false
	}
	return c.Find(value), true
}

// Reside is the domain that a node counts in. On lenient axes a node without the key resides with those whose value is "".
func (c *Counts) Reside(node *v1.Node, slot int32, found bool) int32 {
	domain, has := c.Locate(node, slot, found)
	if !has && c.kind == Lenient {
		return c.blank
	}
	return domain
}

// Find is the domain of a value, negative if the roster has not met it.
func (c *Counts) Find(value string) int32 {
	if domain, known := c.Key.ids[value]; known {
		return domain
	}
	return nowhere
}

// Extremes says where an axis is emptiest.
type Extremes struct {
	Domains int   // how many domains there are
	Least   int64 // the smallest sum of any domain
	Where   int32 // a domain that has it
	Second  int64 // the smallest sum of the other domains
}

// Extremes looks through all domains. With no domain at all, sums are as large as can be.
func (c *Counts) Extremes() Extremes {
	e := Extremes{Least: math.MaxInt32, Where: nowhere, Second: math.MaxInt32}
	for domain, members := range c.members {
		if members == 0 {
			continue
		}
		e.Domains++
		switch sum := c.sums[domain]; {
		case sum < e.Least:
			e.Second, e.Least, e.Where = e.Least, sum, int32(domain)
		case sum < e.Second:
			e.Second = sum
		}
	}
	return e
}

// LeastExcept is the smallest sum of the domains that are not among some.
func (c *Counts) LeastExcept(some []int32) int64 {
	least := int64(math.MaxInt32)
	for domain, members := range c.members {
		if members > 0 && c.sums[domain] < least && !slices.Contains(some, int32(domain)) {
			least = c.sums[domain]
		}
	}
	return least
}

// Change is a weight added in thought.
type Change struct {
	Axis   int
	Value  string // of the axis' key
	Amount int64
}

// Changes are weights added and taken away in thought, on top of Counts that many share. There are few at a time: those of
// the pods of one node.
type Changes []Change

// Add notes a weight; changes that cancel out stay, with an amount of zero.
func (c *Changes) Add(axis int, value string, amount int64) {
	for i := range *c {
		if d := &(*c)[i]; d.Axis == axis && d.Value == value {
			d.Amount += amount
			return
		}
	}
	*c = append(*c, Change{axis, value, amount})
}

// Of is what was added to a domain.
func (c Changes) Of(axis int, value string) int64 {
	for i := range c {
		if c[i].Axis == axis && c[i].Value == value {
			return c[i].Amount
		}
	}
	return 0
}

// Clone is a copy that can be changed on its own.
func (c Changes) Clone() Changes { return slices.Clone(c) }
