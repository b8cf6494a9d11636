package topology

import (
	"maps"
	"slices"
)

// ForkFrom copies what another index has read. It is of a snapshot that has the same nodes, and of the same classifier. Neither sees what
// the other reads later. An index may be forked several times at once, but not while it reads.
func (r *PodIndex) ForkFrom(old *PodIndex) {
	forks := old.forks.Add(1)
	r.listed, r.slots, r.free = slices.Clone(old.listed), slices.Clone(old.slots), slices.Clone(old.free)
	r.slotOf = maps.Clone(old.slotOf)
	r.labelClasses, r.termClasses = old.labelClasses.fork(), old.termClasses.fork()
	r.keyUses, r.byLabel = maps.Clone(old.keyUses), maps.Clone(old.byLabel)
	for label, list := range r.byLabel {
		r.byLabel[label] = slices.Clip(list)
	}
	r.revision = old.revision
	r.forks.Store(forks)
}

func (c *classes) fork() classes {
	return classes{all: slices.Clone(c.all), byText: maps.Clone(c.byText), empty: c.empty, numbering: c.numbering}
}
