package topology

import (
	"iter"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// AxisView is one axis at the time of View. It does not change afterwards.
type AxisView struct {
	Key *TopologyKey
	// Hits is how many weights were added, regardless of their sum.
	Hits       int64
	axis       int
	kind       AxisKind
	emptyValue int32
	pieces     []*piece
}

// View returns the current state of an axis.
func (t *DomainCounts) View(axis int) AxisView {
	a := t.axes[axis]
	return AxisView{Key: a.key, Hits: a.hits, axis: axis, kind: a.kind, emptyValue: a.emptyValue, pieces: a.domains.view()}
}

// Sum is the sum in a domain; it is 0 for an unknown domain.
func (c *AxisView) Sum(domain int32) int64 {
	if p := c.piece(domain); p != nil {
		return p.sums[domain%pieceSize]
	}
	return 0
}

// HasNodes reports whether some counted node is in the domain.
func (c *AxisView) HasNodes(domain int32) bool {
	p := c.piece(domain)
	return p != nil && p.members[domain%pieceSize] > 0
}

func (c *AxisView) piece(domain int32) *piece {
	if i := int(domain) / pieceSize; domain >= 0 && i < len(c.pieces) {
		return c.pieces[i]
	}
	return nil
}

// DomainSums iterates over the values whose domains have counted nodes, with their sums.
func (c *AxisView) DomainSums() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for domain := range int32(len(c.pieces) * pieceSize) {
			if c.HasNodes(domain) && !yield(c.Key.values[domain], c.Sum(domain)) {
				return
			}
		}
	}
}

// DomainOf is the domain of a node by its key. The domain is negative for a value that the index has not read, and has is
// false for a node without the key. A node with a slot needs no lookup by value.
func (c *AxisView) DomainOf(node *v1.Node, slot int32) (domain int32, has bool) {
	if slot != NoSlot {
		return c.Key.DomainOf(slot)
	}
	value, has := node.Labels[c.Key.Name]
	if !has {
		return noDomain, false
	}
	return c.DomainOfValue(value), true
}

// CountingDomain is the domain in which a node's pods count: on PerValueOrEmpty axes a node without the key is in the
// domain of "".
func (c *AxisView) CountingDomain(node *v1.Node, slot int32) int32 {
	domain, has := c.DomainOf(node, slot)
	if !has && c.kind == PerValueOrEmpty {
		return c.emptyValue
	}
	return domain
}

// DomainOfValue is the domain of a value, negative if the index has not read it.
func (c *AxisView) DomainOfValue(value string) int32 {
	if domain, known := c.Key.domains[value]; known {
		return domain
	}
	return noDomain
}

// Extremes are the smallest sums of all domains. Without any, they are the largest possible.
func (c *AxisView) Extremes() Extremes {
	e := noExtremes
	for _, p := range c.pieces {
		e.Domains += p.extremes.Domains
		e.consider(p.extremes.LeastDomain, p.extremes.Least)
		e.SecondLeast = min(e.SecondLeast, p.extremes.SecondLeast)
	}
	return e
}

// LeastExcept is the smallest sum of all domains but some.
func (c *AxisView) LeastExcept(some []int32) int64 {
	least := int64(math.MaxInt32)
	for i, p := range c.pieces {
		least = min(least, p.leastExcept(int32(i*pieceSize), some))
	}
	return least
}

// Change is a weight added hypothetically.
type Change struct {
	Axis   int
	Value  string // of the axis' key
	Amount int64
}

// Changes are hypothetical weights on top of shared counts. They are few: those of the pods of one node.
type Changes []Change

// Add adds a weight. A change that cancels out stays, with an amount of zero.
func (c *Changes) Add(axis int, value string, amount int64) {
	for i := range *c {
		if d := &(*c)[i]; d.Axis == axis && d.Value == value {
			d.Amount += amount
			return
		}
	}
	*c = append(*c, Change{axis, value, amount})
}

// Of is the sum of the changes in a domain.
func (c Changes) Of(axis int, value string) int64 {
	for i := range c {
		if c[i].Axis == axis && c[i].Value == value {
			return c[i].Amount
		}
	}
	return 0
}

// Clone is an independent copy.
func (c Changes) Clone() Changes { return slices.Clone(c) }
