package figures

import "time"

// other stands for all keys without a place of their own. No object can have the name.
const other = "(other)"

// idleAfter is how long nothing happens to a key until another may take its place.
//
//orrery:limit scheduler; how long nothing happens to a series of orrery_pod_* or orrery_owner_* until another key may take its place; the series ends
const idleAfter = time.Hour

// slots has a value for each of some keys, and one for all others.
type slots[K comparable, V any] struct {
	most   int
	by     map[K]*slot[V]
	others V
	any    bool // something was counted in others
}

type slot[V any] struct {
	value V
	last  time.Time
}

func newSlots[K comparable, V any](most int) slots[K, V] {
	return slots[K, V]{most: most, by: map[K]*slot[V]{}}
}

// of returns the value to count in for a key.
func (s *slots[K, V]) of(key K, now time.Time) *V {
	if at := s.by[key]; at != nil {
		at.last = now
		return &at.value
	}
	if len(s.by) >= s.most && !s.retire(now) {
		s.any = true
		return &s.others
	}
	at := &slot[V]{last: now}
	s.by[key] = at
	return &at.value
}

// retire takes the place of the key that was idle for the longest, if that is long enough.
func (s *slots[K, V]) retire(now time.Time) bool {
	var oldest K
	var since time.Time
	found := false
	for key, at := range s.by {
		if now.Sub(at.last) >= idleAfter && (!found || at.last.Before(since)) {
			oldest, since, found = key, at.last, true
		}
	}
	if found {
		delete(s.by, oldest)
	}
	return found
}

// each calls do for every key, and for otherKey if something was counted for others.
func (s *slots[K, V]) each(otherKey K, do func(K, *V)) {
	for key, at := range s.by {
		do(key, &at.value)
	}
	if s.any {
		do(otherKey, &s.others)
	}
}
