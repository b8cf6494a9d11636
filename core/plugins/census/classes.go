package census

import fwk "k8s.io/kube-scheduler/framework"

// classes numbers the classes of one aspect of pods. A number is not given to another class before the next renumbering, so
// that what a tally knows by number stays true until then.
type classes struct {
	all       []class
	byText    map[string]int32
	empty     int
	numbering uint32 // counts renumberings
}

type class struct {
	text   string
	sample fwk.PodInfo // any pod of the class
	pods   int
	keys   []string // the labels that the class asks about
}

// join adds a pod to the class of its description.
func (c *classes) join(text Signature, pod fwk.PodInfo) (id int32, isNew bool) {
	id, known := c.byText[string(text)]
	if !known {
		id = int32(len(c.all))
		c.all = append(c.all, class{text: string(text), sample: pod})
		c.byText[c.all[id].text] = id
		c.empty++
	}
	c.stay(id)
	return id, !known
}

// stay adds a pod that is known to be of the class.
func (c *classes) stay(id int32) {
	if c.all[id].pods++; c.all[id].pods == 1 {
		c.empty--
	}
}

// leave takes a pod out of its class. An empty class keeps its number: its next pod is often on its way.
func (c *classes) leave(id int32) {
	if c.all[id].pods--; c.all[id].pods == 0 {
		c.empty++
	}
}

// crowded reports whether most classes are empty.
func (c *classes) crowded() bool {
	const spare = 1024
	return c.empty > len(c.all)/2+spare
}

// renumber drops the empty classes and returns the new numbers of the others, by the old.
func (c *classes) renumber() []int32 {
	renumbered := make([]int32, len(c.all))
	live := make([]class, 0, len(c.all)-c.empty)
	for id, class := range c.all {
		if class.pods == 0 {
			delete(c.byText, class.text)
			continue
		}
		renumbered[id] = int32(len(live))
		c.byText[class.text] = renumbered[id]
		live = append(live, class)
	}
	c.all, c.empty = live, 0
	c.numbering++
	return renumbered
}
