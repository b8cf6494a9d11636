package collect

import (
	"orrery/core/queue"
	"orrery/views"
	"orrery/views/filter"
)

// narrowing is a list that is being filtered or put in another order, bit by bit: no call looks at more than a part of a
// long one. What was found by a walk through all of it is shown until the next walk is through; the first shows what it
// has found so far.
type narrowing[T any] struct {
	filter  *filter.Filter
	sort    string
	reverse bool

	walking bool
	list    []T // of the list as the walk began
	at      int // how many were looked at
	stamp   uint64
	found   leftovers[T]

	known   bool
	kept    leftovers[T] // what the last whole walk found
	keptFor uint64       // the stamp of the list at the time
}

// leftovers are rows that a filter leaves.
type leftovers[T any] struct {
	all []T // in no order
	// best are the first of them in order, as many as anybody scrolls through by hand.
	best []T
	of   int
}

const (
	// partMost is how many rows are looked at in one call. A row costs half a microsecond at most.
	partMost = 8192
	bestMost = 1024
)

// list is how a narrowing reaches the rows of a list.
type list[T any] struct {
	// stamp tells whether the list is still the same.
	stamp uint64
	// all appends every row, in any order.
	all func([]T) []T
	// subject fills in what a filter looks at.
	subject func(*filter.Subject, *T)
	// compare is the order that was asked for; it tells all rows apart.
	compare func(a, b T) int
}

// rows are those of the look's window that are left, and how many are. They are good until the next call.
func (n *narrowing[T]) rows(look Look, l list[T]) (rows []T, first int, left *views.Narrowed) {
	if n.filter != look.Filter || n.sort != look.Sort || n.reverse != look.Reverse {
		n.filter, n.sort, n.reverse, n.walking, n.known = look.Filter, look.Sort, look.Reverse, false, false
	}
	if inOrder := l.compare; look.Reverse {
		l.compare = func(a, b T) int { return inOrder(b, a) }
	}
	n.walk(l)
	shown := &n.kept
	if !n.known {
		shown = &n.found
	}
	first, end := look.window(len(shown.all))
	left = &views.Narrowed{Matches: len(shown.all), Of: shown.of, Partial: n.walking}
	if end <= len(shown.best) {
		return shown.best[first:end], first, left
	}
	queue.Select(shown.all, first, end-first, l.compare)
	return shown.all[first:end], first, left
}

// walk looks at the next rows, or begins anew if the list has changed since the last walk began.
func (n *narrowing[T]) walk(l list[T]) {
	if !n.walking {
		if n.known && n.keptFor == l.stamp {
			return
		}
		n.list, n.at = l.all(n.list[:0]), 0
		n.walking, n.stamp = true, l.stamp
		n.found = leftovers[T]{all: n.found.all[:0], best: n.found.best[:0], of: len(n.list)}
	}
	part := n.list[n.at:min(n.at+partMost, len(n.list))]
	n.at += len(part)
	before := len(n.found.all)
	var s filter.Subject
	for i := range part {
		if n.filter != nil {
			s = filter.Subject{}
			if l.subject(&s, &part[i]); !n.filter.Match(&s) {
				continue
			}
		}
		n.found.all = append(n.found.all, part[i])
	}
	n.found.take(before, l.compare)
	if n.at == len(n.list) {
		n.kept, n.found = n.found, n.kept
		n.keptFor, n.known, n.walking = n.stamp, true, false
	}
}

// take brings the best up to date with what was found from a place on.
func (l *leftovers[T]) take(from int, compare func(a, b T) int) {
	l.best = append(l.best, l.all[from:]...)
	queue.Select(l.best, 0, bestMost, compare)
	l.best = l.best[:min(len(l.best), bestMost)]
}
