package tui

import (
	"slices"

	"orrery/views/collect"
	"orrery/views/filter"
)

// narrowing is how a list is shown: which rows of it, and in what order.
type narrowing struct {
	filter  *filter.Filter
	sort    string
	reverse bool
}

func (n narrowing) on() bool { return n.filter != nil }

func (n narrowing) into(look *collect.Look) {
	look.Filter, look.Sort, look.Reverse = n.filter, n.sort, n.reverse
}

// narrowTo shows the list on the screen in another way, with the cursor on the row it was on if that is still there.
func (s *Screen) narrowTo(n narrowing) {
	t := s.top()
	if t.narrow.filter != n.filter {
		t.cursor.First = 0
		if t.key == "" {
			t.cursor.Selected = 0
		}
	}
	t.narrow = n
	s.dirty = true
}

// filterTo narrows the list by what was typed. What cannot be understood changes nothing, and is said.
func (s *Screen) filterTo(text string) error {
	f, err := filter.Parse(text)
	if err != nil {
		return err
	}
	n := s.top().narrow
	n.filter = f
	s.narrowTo(n)
	return nil
}

// sortNext sorts by the next of the orders that the pane's list has, the list's own among them.
func (s *Screen) sortNext() {
	orders := append([]string{""}, collect.Sorts(s.top().pane)...)
	n := s.top().narrow
	n.sort = orders[(slices.Index(orders, n.sort)+1)%len(orders)]
	s.narrowTo(n)
}

func (s *Screen) reverse() {
	n := s.top().narrow
	n.reverse = !n.reverse
	s.narrowTo(n)
}
