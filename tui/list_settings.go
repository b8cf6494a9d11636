package tui

import (
	"slices"

	"orrery/views"
	"orrery/views/collect"
	"orrery/views/filter"
)

// listSettings holds a list's filter and sort order.
type listSettings struct {
	filter  *filter.Filter
	sort    string
	reverse bool
}

func (n listSettings) on() bool { return n.filter != nil }

func (n listSettings) applyTo(query *collect.Query) {
	query.Filter, query.Sort, query.Reverse = n.filter, n.sort, n.reverse
}

// setList changes the list's filter or sort order; the cursor stays on its row if the row is still listed.
func (s *Screen) setList(n listSettings) {
	t := s.top()
	if t.list.filter != n.filter {
		t.cursor.First = 0
		if t.rowKey == "" {
			t.cursor.Selected = 0
		}
	}
	t.list, t.onNodes = n, t.pane == views.ExplainPane
	s.dirty = true
}

// setFilter filters the list by what was typed. A filter that does not parse changes nothing and returns its error.
func (s *Screen) setFilter(text string) error {
	f, err := filter.Parse(text)
	if err != nil {
		return err
	}
	n := s.top().list
	n.filter = f
	s.setList(n)
	return nil
}

// sortNext switches to the next of the pane's sort orders; the list's own order is one of them.
func (s *Screen) sortNext() {
	orders := append([]string{""}, pane(s.top().pane).Sorts()...)
	n := s.top().list
	n.sort = orders[(slices.Index(orders, n.sort)+1)%len(orders)]
	s.setList(n)
}

func (s *Screen) reverseSort() {
	n := s.top().list
	n.reverse = !n.reverse
	s.setList(n)
}
