package views

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"orrery/views/draw"
	"orrery/views/filter"
)

// ListPane defines a pane with a list: its rows, how they are opened, drawn, filtered and sorted, and what a row opens.
type ListPane[R any] struct {
	Pane

	// Columns are the table's columns, Row draws a row, and Empty is the text without rows. They may be nil for a pane
	// that draws its own table. Absent is the text while the model has no list.
	Columns       []draw.Column
	Row           func(row draw.Area, r *R, slots *draw.Slots, s *drawCtx)
	Empty, Absent string
	// Without returns the indexes of columns that a model has nothing for; nil for none.
	Without func(*Model) []int
	// Head draws what is above the list and beside it, and returns the area left for the list; nil if there is nothing.
	Head func(draw.Area, *drawCtx) draw.Area
	// Detail returns the selected row in full: a title and a text. Nil if the columns show everything.
	Detail func(r *R) (title, text string)

	// Rows returns the rows' source; nil if the collector fills them in. In returns the model's field for the visible
	// rows; nil if they go to Model.List.
	Rows func(Source) Rows[R]
	In   func(*Model) *List[R]
	// Match fills in what a filter matches; nil for a list without a filter. Sorts are the orders beside the list's
	// own.
	Match func(*filter.Row, *R)
	Sorts []Sort[R]

	// Key identifies a row; Pod and Node return the objects that a row is about. Object is the key of the one to describe, if
	// not Key, and Scope a filter for the rows of the pane that the row opens. They may be nil.
	Key, Pod, Node, Object, Scope func(*R) string
	// Cells is how many cells of a row the cursor can be on, CellPod the pod of one, and CellObject the kind and the key of what it
	// is about. All are nil for a list without cells.
	Cells      func(*R) int
	CellPod    func(r *R, cell int) string
	CellObject func(r *R, cell int) (kind, key string)
}

// Sort is an order of a list. Rows that compare equal keep the list's own order; with nil all do.
type Sort[R any] struct {
	Name    string
	Compare func(a, b *R) int
}

// by makes an ascending order.
func by[R any, V cmp.Ordered](name string, of func(*R) V) Sort[R] {
	return Sort[R]{name, func(a, b *R) int { return cmp.Compare(of(a), of(b)) }}
}

// byMost makes a descending order.
func byMost[R any, V cmp.Ordered](name string, of func(*R) V) Sort[R] {
	return Sort[R]{name, func(a, b *R) int { return cmp.Compare(of(b), of(a)) }}
}

// in returns a list of a part of the model, which may not have the part.
func in[P, R any](part func(*Model) *P, list func(*P) *List[R]) func(*Model) *List[R] {
	return func(m *Model) *List[R] {
		if p := part(m); p != nil {
			return list(p)
		}
		return nil
	}
}

// pane returns the definition without the type of its rows.
func (l *ListPane[R]) pane() *Pane {
	l.list = l
	if l.body == nil {
		l.body = func(a draw.Area, s *drawCtx) { l.draw(a, s) }
	}
	return &l.Pane
}

// found returns the list in a model; nil if the model has none.
func (l *ListPane[R]) found(m *Model) *List[R] {
	if l.In != nil {
		return l.In(m)
	}
	list, _ := m.List.(*List[R])
	return list
}

// draw draws the head, the list, and below it the selected row in full.
func (l *ListPane[R]) draw(a draw.Area, s *drawCtx) {
	if l.found(s.Model) == nil {
		drawAbsent(a, cmp.Or(l.Absent, l.Empty))
		return
	}
	if l.Head != nil {
		a = l.Head(a, s)
	}
	l.table(l.detail(a, s), s)
}

// detail draws the selected row in full at the bottom of an area, and returns the rest of the area.
func (l *ListPane[R]) detail(a draw.Area, s *drawCtx) draw.Area {
	if l.Detail == nil {
		return a
	}
	r := selected(s, l.found(s.Model))
	if r == nil {
		return a
	}
	title, text := l.Detail(r)
	return s.detail(a, title, text)
}

// table draws the list.
func (l *ListPane[R]) table(a draw.Area, s *drawCtx) {
	columns := l.Columns
	if l.Without != nil {
		columns = slices.Clone(columns)
		for _, i := range l.Without(s.Model) {
			columns[i].ShowFrom = math.MaxInt
		}
	}
	table(a, s, columns, l.found(s.Model), l.Empty, l.Row)
}

// rows returns the list as a RowSet.
func (l *ListPane[R]) rows(m *Model) RowSet {
	list := l.found(m)
	if list == nil {
		return RowSet{}
	}
	at := func(f func(*R) string) func(int) string {
		if f == nil {
			return nil
		}
		return func(i int) string {
			if r := list.At(i); r != nil {
				return f(r)
			}
			return ""
		}
	}
	set := RowSet{Opens: l.Opens, First: list.First, Count: len(list.Rows), Total: list.Total, Key: at(l.Key), Pod: at(l.Pod), Node: at(l.Node), Object: at(l.Object), Scope: at(l.Scope), Text: l.text(m, list)}
	if l.Cells == nil {
		return set
	}
	set.Cell = func(i, cell int) (c Cell) {
		if r := list.At(i); r != nil {
			c.Of, c.Pod = l.Cells(r), l.CellPod(r, cell)
			c.Kind, c.Key = l.CellObject(r, cell)
		}
		return c
	}
	return set
}

// textWidth is how wide a row is drawn to be searched: no column is left out or cut that a screen shows.
const textWidth = 1000

// text returns the text of a row: as the table draws it, what its columns cut, and the objects that it is about.
func (l *ListPane[R]) text(m *Model, list *List[R]) func(i int) string {
	var c *draw.Canvas
	var slots draw.Slots
	return func(i int) string {
		r := list.At(i)
		if r == nil {
			return ""
		}
		var parts []string
		if l.Row != nil {
			if c == nil {
				c, slots = draw.New(textWidth, 1), draw.Arrange(l.Columns, textWidth)
			}
			c.Reset(textWidth, 1)
			l.Row(c.All(draw.Braille), r, &slots, &drawCtx{Model: m, ui: &State{}, pane: &l.Pane})
			parts = append(parts, strings.TrimRight(c.Plain(), " "))
		}
		for _, of := range [...]func(*R) string{l.Pod, l.Node} {
			if of != nil {
				parts = append(parts, of(r))
			}
		}
		if l.Detail != nil {
			title, text := l.Detail(r)
			parts = append(parts, title, text)
		}
		return strings.Join(parts, " ")
	}
}

func (l *ListPane[R]) sorts() []string {
	names := make([]string, len(l.Sorts))
	for i, s := range l.Sorts {
		names[i] = s.Name
	}
	return names
}

func (l *ListPane[R]) columns() []string {
	var names []string
	for _, c := range l.Columns {
		if c.Long != "" {
			names = append(names, c.Long)
		}
	}
	return names
}

func (l *ListPane[R]) matches() bool { return l.Match != nil }

func (l *ListPane[R]) ofPods() bool { return l.Pod != nil || l.CellPod != nil }

func (l *ListPane[R]) ofNodes() bool { return l.Node != nil }

func (l *ListPane[R]) cells() bool { return l.Cells != nil }

// collect fills in the visible rows.
func (l *ListPane[R]) collect(m *Model, src Source, q filter.Query, pickers map[PaneID]any) {
	if l.Rows == nil {
		return
	}
	into := l.found(m)
	if l.In == nil {
		into = &List[R]{}
		m.List = into
	}
	if into == nil {
		return // the model has no list to fill
	}
	rows := l.Rows(src)
	if q.Plain() {
		first, end := q.Window(rows.Total)
		*into = List[R]{First: first, Total: rows.Total, Rows: rows.Window(first, end-first)}
		return
	}
	list, result := List[R]{}, filter.Result{}
	if lazy := rows.Lazy; lazy != nil {
		var of []any
		of, list.First, result = pick(pickers, l.ID, q, l.lazily(rows.Stamp, lazy, q.Sort))
		for _, o := range of {
			list.Rows = append(list.Rows, lazy.Whole(o))
		}
	} else {
		list.Rows, list.First, result = pick(pickers, l.ID, q, filter.List[R]{Stamp: rows.Stamp, All: rows.All, Match: l.Match, Compare: l.order(q.Sort)})
	}
	list.Total = result.Matches
	*into, m.Filtered = list, &result
}

// pick picks rows with the pane's own picker.
func pick[T any](pickers map[PaneID]any, id PaneID, q filter.Query, l filter.List[T]) ([]T, int, filter.Result) {
	picker, ok := pickers[id].(*filter.Picker[T])
	if !ok {
		picker = &filter.Picker[T]{}
		pickers[id] = picker
	}
	return picker.Pick(q, l)
}

// lazily returns a list of the objects that rows are made from.
func (l *ListPane[R]) lazily(stamp uint64, lazy *LazyRows[R], sort string) filter.List[any] {
	list := filter.List[any]{Stamp: stamp, All: lazy.All, Compare: func(a, b *any) int { return lazy.Compare(*a, *b) }}
	var x, y R // scratch, reused: there are many rows
	list.Match = func(f *filter.Row, of *any) {
		x = lazy.Brief(*of)
		l.Match(f, &x)
	}
	if order := l.order(sort); order != nil {
		list.Compare = func(a, b *any) int {
			x, y = lazy.Brief(*a), lazy.Brief(*b)
			return cmp.Or(order(&x, &y), lazy.Compare(*a, *b))
		}
	}
	return list
}

// order returns a named order; nil is the list's own.
func (l *ListPane[R]) order(name string) func(a, b *R) int {
	for _, s := range l.Sorts {
		if s.Name == name {
			return s.Compare
		}
	}
	return nil
}

// list is a ListPane of any row type.
type list interface {
	draw(draw.Area, *drawCtx)
	detail(draw.Area, *drawCtx) draw.Area
	table(draw.Area, *drawCtx)
	rows(*Model) RowSet
	sorts() []string
	columns() []string
	matches() bool
	ofPods() bool
	ofNodes() bool
	cells() bool
	collect(*Model, Source, filter.Query, map[PaneID]any)
}

// RowSet describes a list without its row type: the rows' range and count, their keys, and the objects they are about. See
// [ListPane] for the functions, which may be nil.
type RowSet struct {
	// Opens is the pane that enter opens on a row; empty for none.
	Opens                         PaneID
	First, Count, Total           int
	Key, Pod, Node, Object, Scope func(i int) string
	// Text is the whole text of a row, for a search.
	Text func(i int) string
	// Cell describes a cell of a row; nil for a list without cells.
	Cell func(i, cell int) Cell
}

// Cell is one of the Of cells of a row, with its pod, and the kind and the key of what it is about.
type Cell struct {
	Of             int
	Pod, Kind, Key string
}
