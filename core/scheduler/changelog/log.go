package changelog

import "slices"

// Log has the latest changes, oldest first. The zero value is an empty log.
type Log[T any] struct {
	changes   []T
	forgotten uint64 // how many changes and resets came before
}

// Add adds a change. A log that already has the limit forgets its older half first.
func (l *Log[T]) Add(change T, limit int) {
	if n := len(l.changes); n >= limit {
		older := n - limit/2
		l.changes = slices.Delete(l.changes, 0, older)
		l.forgotten += uint64(older)
	}
	l.changes = append(l.changes, change)
}

// Reset forgets all changes. No earlier mark is known afterwards.
func (l *Log[T]) Reset() {
	l.forgotten += uint64(len(l.changes)) + 1
	clear(l.changes)
	l.changes = l.changes[:0]
}

// Len is how many changes the log has.
func (l *Log[T]) Len() int { return len(l.changes) }

// Since returns the changes since an earlier call returned mark, valid until the next change, and the mark for the next call.
// They are not known if the log no longer has all of them, nor for a mark that it never gave, such as 0.
func (l *Log[T]) Since(mark uint64) (changes []T, now uint64, known bool) {
	first := l.forgotten + 1
	now = first + uint64(len(l.changes))
	if mark < first || mark > now {
		return nil, now, false
	}
	return l.changes[mark-first:], now, true
}
