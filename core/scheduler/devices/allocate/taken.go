package allocate

import (
	"maps"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Taken is what claims have of all devices, as an allocation sees it.
type Taken struct {
	// Devices are those that one claim has for itself.
	Devices map[DeviceID]struct{}
	// Shared are those of which claims have parts.
	Shared map[DeviceID]struct{}
	// Capacity is what claims consume of the devices that they share.
	Capacity Parts
}

// Has reports whether a claim has a device for itself.
func (t *Taken) Has(id DeviceID) bool {
	_, has := t.Devices[id]
	return has
}

// InUse reports whether a claim has a device, or a part of it.
func (t *Taken) InUse(id DeviceID) bool {
	_, shared := t.Shared[id]
	_, consumed := t.Capacity[id]
	return shared || consumed || t.Has(id)
}

// Consumed are amounts of a device's capacity, by name.
type Consumed map[resourcev1.QualifiedName]resource.Quantity

// Clone returns a copy.
func (c Consumed) Clone() Consumed {
	clone := make(Consumed, len(c))
	for name, amount := range c {
		clone[name] = amount.DeepCopy()
	}
	return clone
}

// add adds amounts; a name that was not there begins at zero.
func (c Consumed) add(more Consumed) {
	for name, amount := range more {
		sum, known := c[name]
		if !known {
			c[name] = amount.DeepCopy()
			continue
		}
		c[name] = plus(sum, amount)
	}
}

// subtract takes amounts away from the names that are there, and reports whether nothing is left.
func (c Consumed) subtract(less Consumed) (empty bool) {
	empty = true
	for name, amount := range c {
		if taken, is := less[name]; is {
			amount = minus(amount, taken)
			c[name] = amount
		}
		empty = empty && amount.IsZero()
	}
	return empty
}

// plus and minus leave their operands alone: a quantity beyond 64 bits is a pointer inside, which Add would change.
func plus(a, b resource.Quantity) resource.Quantity {
	a = a.DeepCopy()
	a.Add(b)
	return a
}

func minus(a, b resource.Quantity) resource.Quantity {
	a = a.DeepCopy()
	a.Sub(b)
	return a
}

// Parts are amounts by device.
type Parts map[DeviceID]Consumed

// Insert adds what one claim consumes of a device.
func (p Parts) Insert(id DeviceID, amounts Consumed) {
	if known := p[id]; known != nil {
		known.add(amounts)
		return
	}
	p[id] = amounts.Clone()
}

// Remove takes it away. A device of which nothing is consumed is forgotten.
func (p Parts) Remove(id DeviceID, amounts Consumed) {
	if known := p[id]; known != nil && known.subtract(amounts) {
		delete(p, id)
	}
}

// Clone returns a copy.
func (p Parts) Clone() Parts {
	clone := make(Parts, len(p))
	for id, amounts := range p {
		clone[id] = amounts.Clone()
	}
	return clone
}

// Clone returns a copy.
func (t *Taken) Clone() Taken {
	return Taken{maps.Clone(t.Devices), maps.Clone(t.Shared), t.Capacity.Clone()}
}
