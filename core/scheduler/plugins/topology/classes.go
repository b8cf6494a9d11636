package topology

import "orrery/core/scheduler/reuse"

import fwk "k8s.io/kube-scheduler/framework"

// classes numbers the classes of pods with equal descriptions. A number keeps its meaning until the next renumbering.
type classes struct {
	all       []class
	byText    map[string]int32
	empty     int
	numbering uint32 // counts renumberings
}

type class struct {
	description string
	sample      fwk.PodInfo // any pod of the class
	pods        int
	keys        []string // the label keys that the terms of the class select by
}

// add adds a pod to the class of its description, made if needed.
func (c *classes) add(text reuse.Signature, pod fwk.PodInfo) (id int32, isNew bool) {
	id, known := c.byText[string(text)]
	if !known {
		id = int32(len(c.all))
		c.all = append(c.all, class{description: string(text), sample: pod})
		c.byText[c.all[id].description] = id
		c.empty++
	}
	c.retain(id)
	return id, !known
}

// retain adds a pod of a known class.
func (c *classes) retain(id int32) {
	if c.all[id].pods++; c.all[id].pods == 1 {
		c.empty--
	}
}

// release removes a pod from its class. An empty class keeps its number: its next pod often follows soon.
func (c *classes) release(id int32) {
	if c.all[id].pods--; c.all[id].pods == 0 {
		c.empty++
	}
}

// mostlyEmpty reports whether most classes are empty.
func (c *classes) mostlyEmpty() bool {
	const spare = 1024
	return c.empty > len(c.all)/2+spare
}

// renumber drops the empty classes and returns the new numbers of the others, by the old.
func (c *classes) renumber() []int32 {
	renumbered := make([]int32, len(c.all))
	live := make([]class, 0, len(c.all)-c.empty)
	for id, class := range c.all {
		if class.pods == 0 {
			delete(c.byText, class.description)
			continue
		}
		renumbered[id] = int32(len(live))
		c.byText[class.description] = renumbered[id]
		live = append(live, class)
	}
	c.all, c.empty = live, 0
	c.numbering++
	return renumbered
}
