package filter

import "orrery/core/scheduler/queue"

// Query selects what a list shows: the window, the filter and the order.
type Query struct {
	// First is the first row of the window, Rows its maximum length.
	First, Rows int
	// Filter drops rows unless it is nil. Sort names one of the list's orders, empty for its own; Reverse reverses it.
	Filter  *Filter
	Sort    string
	Reverse bool
}

// Plain reports whether the list is neither filtered nor sorted.
func (q Query) Plain() bool { return q.Filter == nil && q.Sort == "" && !q.Reverse }

// Window returns the range of the window in a list of total rows.
func (q Query) Window(total int) (first, end int) {
	first = min(max(q.First, 0), total)
	return first, min(first+max(q.Rows, 0), total)
}

// Result is how many rows of how many match. While it is Partial, the next one has more.
type Result struct {
	Matches, Of int
	Partial     bool
}

// List is the input of a Picker.
type List[T any] struct {
	// Stamp changes whenever the list may have changed.
	Stamp uint64
	// All appends every row.
	All func([]T) []T
	// Match fills in what a filter matches.
	Match func(*Row, *T)
	// Compare is the chosen order; rows that compare equal stay in the order of All.
	Compare func(a, b *T) int
}

// Picker filters and sorts a list over several calls: each call examines only a part of a long list. It returns the
// result of the last whole pass until the next pass is complete; the first pass returns what it has found so far.
type Picker[T any] struct {
	query Query

	running bool
	rows    []T // of the list when its stamp was stamp
	stamp   uint64
	at      int // how many of them were examined
	found   picked

	// last is the result of the last whole pass, in lastRows. It is complete until another query starts.
	complete  bool
	last      picked
	lastRows  []T
	lastStamp uint64
	spare     []T // reused by the next pass
}

// picked holds the indexes of rows that match.
type picked struct {
	all []int32 // in no order
	// best are the first of them in order, as many as a person scrolls through.
	best []int32
	of   int
}

const (
	// maxPart is how many rows one call examines. A row costs half a microsecond at most.
	//
	//orrery:limit screen; rows that are examined at once; the others are examined after the next frame
	maxPart = 8192
	//orrery:limit screen; rows of a filtered list that are kept in order; the others are examined again
	maxBest = 1024
)

// Pick returns the matching rows of the query's window, and how many rows match. The rows are valid until the next
// call.
func (p *Picker[T]) Pick(q Query, l List[T]) (rows []T, first int, result Result) {
	if p.query.Filter != q.Filter || p.query.Sort != q.Sort || p.query.Reverse != q.Reverse {
		p.running, p.complete = false, false
	}
	p.query = q
	p.pass(l)
	shown, all := &p.last, p.lastRows
	if !p.complete {
		shown, all = &p.found, p.rows
	}
	result = Result{Matches: len(shown.all), Of: shown.of, Partial: p.running}
	first, end := q.Window(len(shown.all))
	places := shown.best
	if end > len(places) {
		places = shown.all
		queue.SortWindow(places, first, end-first, p.order(l, all))
	}
	for _, at := range places[first:end] {
		rows = append(rows, all[at])
	}
	return rows, first, result
}

// order returns a comparison of row indexes.
func (p *Picker[T]) order(l List[T], rows []T) func(a, b int32) int {
	return func(a, b int32) int {
		if p.query.Reverse {
			a, b = b, a
		}
		if l.Compare != nil {
			if c := l.Compare(&rows[a], &rows[b]); c != 0 {
				return c
			}
		}
		return int(a - b)
	}
}

// pass examines the next rows, or starts again if the list has changed since the last pass started.
func (p *Picker[T]) pass(l List[T]) {
	if !p.running {
		if p.complete && p.lastStamp == l.Stamp {
			return
		}
		if p.rows == nil || p.stamp != l.Stamp {
			p.rows, p.spare = l.All(p.spare[:0]), nil
		}
		p.at, p.running, p.stamp = 0, true, l.Stamp
		p.found = picked{all: p.found.all[:0], best: p.found.best[:0], of: len(p.rows)}
	}
	end := min(p.at+maxPart, len(p.rows))
	before := len(p.found.all)
	var row Row
	for ; p.at < end; p.at++ {
		if p.query.Filter != nil {
			row = Row{}
			if l.Match(&row, &p.rows[p.at]); !p.query.Filter.Match(&row) {
				continue
			}
		}
		p.found.all = append(p.found.all, int32(p.at))
	}
	p.found.best = append(p.found.best, p.found.all[before:]...)
	queue.SortWindow(p.found.best, 0, maxBest, p.order(l, p.rows))
	p.found.best = p.found.best[:min(len(p.found.best), maxBest)]
	if p.at == len(p.rows) {
		p.last, p.found = p.found, p.last
		if p.lastStamp != p.stamp {
			p.spare = p.lastRows
		}
		p.lastRows, p.lastStamp, p.complete, p.running = p.rows, p.stamp, true, false
	}
}
