package reuse

import "unsafe"

// Stats count the use of tables.
type Stats struct {
	// Reused and Computed are cells that held and that did not. Evicted are tables that made room for others.
	Reused, Computed, Evicted uint64
	Tables, Bytes             int
}

// Plus is the sum of two counts.
func (s Stats) Plus(other Stats) Stats {
	return Stats{
		s.Reused + other.Reused, s.Computed + other.Computed, s.Evicted + other.Evicted, s.Tables + other.Tables, s.Bytes + other.Bytes,
	}
}

// maxSignatures keeps small values few.
//
//orrery:limit scheduler; kinds of pods with something kept for reuse, of a profile; those that were not used for the longest time go
const maxSignatures = 1024

// counted is an LRU that counts what is reused of its values. What they take is bytes.
type counted[T any] struct {
	LRU[T]
	reused, computed uint64
}

func newCounted[T any](bytes int) counted[T] {
	return counted[T]{LRU: NewLRU[T](maxSignatures, bytes, nil)}
}

// Stats returns the counts.
func (c *counted[T]) Stats() Stats {
	return Stats{Reused: c.reused, Computed: c.computed, Evicted: c.evicted, Tables: len(c.bySignature), Bytes: c.taken}
}

// Tables are the tables of all signatures of one profile.
type Tables struct {
	counted[*Table]
	seen [seenSignatures]uint64 // hashes of signatures without a table
}

// seenSignatures is how many signatures are remembered that came once.
//
//orrery:limit scheduler; kinds of pods that came once and are remembered; one is forgotten
const seenSignatures = 1024

// New makes tables that take about limit bytes together; the table in use may take more.
func New(limit int) *Tables { return &Tables{counted: newCounted[*Table](limit)} }

// Count adds to the counts of cells.
func (t *Tables) Count(reused, computed int) {
	t.reused += uint64(reused)
	t.computed += uint64(computed)
}

// Find returns the table of a signature, with room for nodes numbered below numbers and for scaled columns. It is nil the first time
// that a signature comes.
func (t *Tables) Find(s Signature, numbers, scaled int) *Table {
	found := t.Get(s)
	if found == nil {
		if !t.cameBefore(s) {
			return nil
		}
		found = t.Add(s, &Table{})
	}
	found.Value.grow(numbers, scaled)
	t.Resize(found, found.Value.bytes())
	return found.Value
}

// Look returns the table of a signature, or nil. It does not count as a use.
func (t *Tables) Look(s Signature) *Table {
	if found := t.bySignature[string(s)]; found != nil {
		return found.Value
	}
	return nil
}

// cameBefore remembers a signature by its hash. Two of one hash count as one, which makes a table too early at worst.
func (t *Tables) cameBefore(s Signature) bool {
	hash := uint64(14695981039346656037)
	for _, b := range s {
		hash = (hash ^ uint64(b)) * 1099511628211
	}
	at := &t.seen[hash%seenSignatures]
	if *at == hash {
		return true
	}
	*at = hash
	return false
}

// grow makes room for numbers and scaled scores.
func (table *Table) grow(numbers, scaled int) {
	if more := numbers - len(table.cells); more > 0 {
		table.cells = append(table.cells, make([]Cell, more)...)
	}
	for len(table.Scaled) < scaled {
		table.Scaled = append(table.Scaled, nil)
	}
	for i, column := range table.Scaled {
		if more := len(table.cells) - len(column); more > 0 {
			table.Scaled[i] = append(column, make([]int64, more)...)
		}
	}
}

func (table *Table) bytes() int {
	bytes := cap(table.cells) * int(unsafe.Sizeof(Cell{}))
	for _, column := range table.Scaled {
		bytes += 8 * cap(column)
	}
	return bytes + table.classes.bytes() + 8*cap(table.passing)
}
