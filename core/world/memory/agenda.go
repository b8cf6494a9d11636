package memory

import "time"

// happening is something that is going to happen. It is plain data, never changed once it is on the agenda, so that a
// fork can share it; whatever it needs beyond its own fields it looks up in the cluster that it happens to.
type happening interface{ happen(c *Cluster) }

// entry is one line of the agenda.
type entry struct {
	at   time.Time
	seq  uint64
	what happening
}

func (e entry) before(o entry) bool {
	if e.at.Equal(o.at) {
		return e.seq < o.seq
	}
	return e.at.Before(o.at)
}

// agenda is a binary heap of what is going to happen: by time, and at the same time in the order of being put there.
type agenda []entry

func (a *agenda) push(e entry) {
	h := append(*a, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
	*a = h
}

func (a *agenda) pop() entry {
	h := *a
	first := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h[last] = entry{}
	h = h[:last]
	i := 0
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].before(h[least]) {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	*a = h
	return first
}

// schedule puts something on the agenda, never earlier than now.
func (c *Cluster) schedule(at time.Time, what happening) {
	if at.Before(c.now) {
		at = c.now
	}
	c.seq++
	c.agenda.push(entry{at: at, seq: c.seq, what: what})
}
