package drive

import (
	"math"
	"runtime/metrics"
	"time"
)

// Memory is what the process uses of its limit, GOMEMLIMIT.
type Memory struct {
	// Used cannot be freed now: what the last garbage collection found in use, and what the runtime takes besides the heap.
	Used int64
	// Limit is math.MaxInt64 if there is none.
	Limit int64
	// Collections counts the garbage collections so far. Between two, Used does not tell what was freed.
	Collections uint64
}

// Shrinker has something that is optional, such as a history. An observer may be one.
type Shrinker interface {
	// Shrink leaves it a share of its bound: all for 0, a half for 1, a quarter for 2, and so on.
	Shrink(halvings int)
}

const (
	memoryInterval = time.Second
	// maxHalvings leaves a sixty-fourth of what is optional, which is next to nothing.
	//
	//orrery:limit scheduler; how often what is optional is halved under GOMEMLIMIT; it stays so
	maxHalvings = 6
	// Memory is short above three quarters of the limit: from there on the garbage collector takes more and more of the processors. It is
	// enough below a half, as what is optional may grow again by half of what it has.
	shortAbove, enoughBelow = 0.75, 0.5
	// enoughFor is how long it has to be enough before what is optional may take more again.
	enoughFor = time.Minute
)

// memoryWatch decides how much of what is optional is kept.
type memoryWatch struct {
	read        func() Memory
	next        time.Time // of the next reading
	halvings    int
	collections uint64    // at the last change
	enoughSince time.Time // zero if it is not
}

// check reads the memory if it is time, and reports whether the share changes.
func (w *memoryWatch) check(now time.Time) (m Memory, changed bool) {
	if now.Before(w.next) {
		return m, false
	}
	w.next = now.Add(memoryInterval)
	m = w.read()
	if m.Limit == math.MaxInt64 && w.halvings == 0 {
		return m, false
	}
	switch used := float64(m.Used) / float64(max(m.Limit, 1)); {
	case used > shortAbove:
		w.enoughSince = time.Time{}
		if w.halvings == maxHalvings || m.Collections == w.collections {
			return m, false
		}
		w.halvings++
	case used > enoughBelow || w.halvings == 0:
		w.enoughSince = time.Time{}
		return m, false
	case w.enoughSince.IsZero():
		w.enoughSince = now
		return m, false
	case now.Sub(w.enoughSince) < enoughFor:
		return m, false
	default:
		w.enoughSince = now
		w.halvings--
	}
	w.collections = m.Collections
	return m, true
}

// ReadMemory reads the memory of this process.
func ReadMemory() Memory {
	const total, released, objects, free, unused, live, limit, collections = 0, 1, 2, 3, 4, 5, 6, 7
	s := [...]metrics.Sample{
		total:       {Name: "/memory/classes/total:bytes"},
		released:    {Name: "/memory/classes/heap/released:bytes"},
		objects:     {Name: "/memory/classes/heap/objects:bytes"},
		free:        {Name: "/memory/classes/heap/free:bytes"},
		unused:      {Name: "/memory/classes/heap/unused:bytes"},
		live:        {Name: "/gc/heap/live:bytes"},
		limit:       {Name: "/gc/gomemlimit:bytes"},
		collections: {Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(s[:])
	value := func(i int) int64 { return int64(min(s[i].Value.Uint64(), math.MaxInt64)) }
	beside := value(total) - value(released) - value(objects) - value(free) - value(unused)
	return Memory{Used: value(live) + beside, Limit: value(limit), Collections: s[collections].Value.Uint64()}
}
