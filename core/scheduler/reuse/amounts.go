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

// AmountClasses divide the nodes by their amounts, as a cluster is made of like nodes.
type AmountClasses struct {
	Classes
	seen    uint64 // of the changes of the list
	amounts []Amounts
	key     Signature
}

// Follow brings the classes up to date with a list of nodes, and the amounts by the numbers of their places.
func (c *AmountClasses) Follow(places []Place, amounts []Amounts, changes Changes) {
	changed, now, known := changes.ChangesSince(c.seen)
	c.seen = now
	if !known {
		c.Reset(len(places))
		for position := range places {
			c.put(int32(position), &amounts[places[position].Number])
		}
		return
	}
	c.Resize(len(places))
	for _, position := range changed {
		if int(position) < len(places) {
			c.put(position, &amounts[places[position].Number])
		}
	}
}

// Amounts are those of the nodes of a class.
func (c *AmountClasses) Amounts(class int32) *Amounts { return &c.amounts[class] }

func (c *AmountClasses) put(position int32, amounts *Amounts) {
	c.key = amounts.sign(c.key[:0])
	class, isNew := c.Put(position, c.key)
	if !isNew {
		return
	}
	for int(class) >= len(c.amounts) {
		c.amounts = append(c.amounts, Amounts{})
	}
	c.amounts[class] = *amounts
}

func (a *Amounts) sign(to Signature) Signature {
	for _, q := range [...]*Quantities{&a.Allocatable, &a.Requested} {
		to = to.Number(q.MilliCPU).Number(q.Memory).Number(q.EphemeralStorage)
	}
	return to.Number(a.NonZeroMilliCPU).Number(a.NonZeroMemory).Number(a.Pods).Number(a.AllowedPods)
}
