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
	kind       AxisKind
	emptyValue int32
	sums       []int64
	members    []int32
}

// View returns the current state of an axis.
func (t *DomainCounts) View(axis int) AxisView {
	a := t.axes[axis]
	a.shared = true
	return AxisView{Key: a.key, Hits: a.hits, kind: a.kind, emptyValue: a.emptyValue, sums: a.sums, members: a.members}
}

// Sum is the sum in a domain; it is 0 for an unknown domain.
func (c *AxisView) Sum(domain int32) int64 {
	if domain < 0 || int(domain) >= len(c.sums) {
		return 0
	}
	return c.sums[domain]
}

// HasNodes reports whether some counted node is in the domain.
func (c *AxisView) HasNodes(domain int32) bool {
	return domain >= 0 && int(domain) < len(c.members) && c.members[domain] > 0
}

// DomainSums iterates over the values whose domains have counted nodes, with their sums.
func (c *AxisView) DomainSums() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for domain := range c.members {
			if c.HasNodes(int32(domain)) && !yield(c.Key.values[domain], c.Sum(int32(domain))) {
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

// Extremes are the smallest sums of an axis.
type Extremes struct {
	Domains     int   // how many domains there are
	Least       int64 // the smallest sum of any domain
	LeastDomain int32 // a domain that has it
	SecondLeast int64 // the smallest sum of the other domains
}

// Extremes goes through all domains. Without any, the sums are the largest possible.
func (c *AxisView) Extremes() Extremes {
	e := Extremes{Least: math.MaxInt32, LeastDomain: noDomain, SecondLeast: math.MaxInt32}
	for domain, members := range c.members {
		if members == 0 {
			continue
		}
		e.Domains++
		switch sum := c.sums[domain]; {
		case sum < e.Least:
			e.SecondLeast, e.Least, e.LeastDomain = e.Least, sum, int32(domain)
		case sum < e.SecondLeast:
			e.SecondLeast = sum
		}
	}
	return e
}

// LeastExcept is the smallest sum of all domains but some.
func (c *AxisView) LeastExcept(some []int32) int64 {
	least := int64(math.MaxInt32)
	for domain, members := range c.members {
		if members > 0 && c.sums[domain] < least && !slices.Contains(some, int32(domain)) {
			least = c.sums[domain]
		}
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
