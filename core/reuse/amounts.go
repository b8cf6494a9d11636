package reuse

// Amounts are a node's resources and how much of them its pods take. Most pods are filtered and scored by no more than that, so it
// lies side by side for all nodes.
type Amounts struct {
	Allocatable, Requested Quantities
	// NonZeroMilliCPU and NonZeroMemory are requested, if containers without requests count with the defaults for scores.
	NonZeroMilliCPU, NonZeroMemory int64
	Pods, AllowedPods              int64
}

// Quantities are amounts of the resources that every node has.
type Quantities struct{ MilliCPU, Memory, EphemeralStorage int64 }

// AmountClasses number the different amounts that nodes have, as a cluster is made of like nodes. A class keeps its number while a
// node has it.
type AmountClasses struct {
	seen    uint64 // of the changes of the list
	of      []int32
	all     []amountClass
	numbers map[Amounts]int32
	free    []int32
}

type amountClass struct {
	amounts Amounts
	nodes   int32
}

// noClass is the class of a number that no node had yet.
const noClass = -1

// Follow brings the classes up to date with a list of nodes, and the amounts by the numbers of their places.
func (c *AmountClasses) Follow(places []Place, amounts []Amounts, changes Changes) {
	if c.numbers == nil {
		c.numbers = map[Amounts]int32{}
	}
	for len(c.of) < len(amounts) {
		c.of = append(c.of, noClass)
	}
	changed, now, known := changes.ChangesSince(c.seen)
	c.seen = now
	if !known {
		for _, place := range places {
			c.set(place.Number, &amounts[place.Number])
		}
		return
	}
	for _, position := range changed {
		if int(position) < len(places) {
			number := places[position].Number
			c.set(number, &amounts[number])
		}
	}
}

// Len is the number that all classes are below.
func (c *AmountClasses) Len() int { return len(c.all) }

// Of is the class of a node by the number of its place.
func (c *AmountClasses) Of(number int32) int32 { return c.of[number] }

// Amounts are those of a class.
func (c *AmountClasses) Amounts(class int32) *Amounts { return &c.all[class].amounts }

// set gives a node the class of its amounts.
func (c *AmountClasses) set(number int32, amounts *Amounts) {
	before := c.of[number]
	if before != noClass {
		if c.all[before].amounts == *amounts {
			return
		}
		c.release(before)
	}
	class, known := c.numbers[*amounts]
	if !known {
		class = c.newClass()
		c.all[class].amounts = *amounts
		c.numbers[*amounts] = class
	}
	c.all[class].nodes++
	c.of[number] = class
}

func (c *AmountClasses) release(class int32) {
	k := &c.all[class]
	if k.nodes--; k.nodes == 0 {
		delete(c.numbers, k.amounts)
		c.free = append(c.free, class)
	}
}

func (c *AmountClasses) newClass() int32 {
	if last := len(c.free) - 1; last >= 0 {
		class := c.free[last]
		c.free = c.free[:last]
		return class
	}
	c.all = append(c.all, amountClass{})
	return int32(len(c.all) - 1)
}
