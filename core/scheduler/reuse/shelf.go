package reuse

// shelf keeps values by signature. If they take too many bytes or are too many, those go first that were not used for the longest
// time.
type shelf[T any] struct {
	limit       int // bytes
	bySignature map[string]*item[T]
	uses        uint64
	stats       Stats
}

type item[T any] struct {
	value   T
	key     string
	bytes   int
	lastUse uint64 // the number of the use, of all items
}

// maxItems keeps small values few, so that the oldest is found by looking at all.
//
//orrery:limit scheduler; kinds of pods with something kept for reuse, of a profile; those that were not used for the longest time go
const maxItems = 1024

func newShelf[T any](limit int) shelf[T] {
	return shelf[T]{limit: limit, bySignature: map[string]*item[T]{}}
}

// Stats returns the counts.
func (s *shelf[T]) Stats() Stats { return s.stats }

// use returns the item of a signature; nil if there is none.
func (s *shelf[T]) use(signature Signature) *item[T] {
	i := s.bySignature[string(signature)]
	if i != nil {
		s.uses++
		i.lastUse = s.uses
	}
	return i
}

// add adds an empty item for a signature that has none.
func (s *shelf[T]) add(signature Signature) *item[T] {
	s.uses++
	i := &item[T]{key: string(signature), lastUse: s.uses}
	s.bySignature[i.key] = i
	s.stats.Tables++
	return i
}

func (s *shelf[T]) has(i *item[T]) bool { return s.bySignature[i.key] == i }

// resize counts the bytes that an item takes now, and makes room for it.
func (s *shelf[T]) resize(i *item[T], bytes int) {
	s.stats.Bytes += bytes - i.bytes
	i.bytes = bytes
	s.makeRoom(i)
}

// Limit changes how many bytes the values may take, between two cycles.
func (s *shelf[T]) Limit(bytes int) {
	s.limit = bytes
	s.makeRoom(nil)
}

// makeRoom drops the oldest items until the others fit, but none that is not older than the one in use.
func (s *shelf[T]) makeRoom(inUse *item[T]) {
	for s.stats.Bytes > s.limit || s.stats.Tables > maxItems {
		oldest := s.oldest()
		if oldest == nil || oldest == inUse {
			return
		}
		delete(s.bySignature, oldest.key)
		s.stats.Bytes -= oldest.bytes
		s.stats.Tables--
		s.stats.Evicted++
	}
}

func (s *shelf[T]) oldest() (oldest *item[T]) {
	for _, i := range s.bySignature {
		if oldest == nil || i.lastUse < oldest.lastUse {
			oldest = i
		}
	}
	return oldest
}
