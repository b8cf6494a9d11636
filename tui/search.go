package tui

import (
	"slices"
	"strings"

	"orrery/views"
)

// search is a search in the text of an open entry, in whatever case.
type search struct {
	text string
	// found are the rows that have the text, and more means that there are rows that were not looked at.
	found []int
	more  bool
	// at is the index of the match that the cursor went to last, and wentTo where that left the cursor: the help goes no further
	// than its last page.
	at, wentTo int
	// frame is the one whose rows were looked at; looked means that one was.
	frame  *Frame
	looked bool
}

// searchedRows returns the rows of the open entry that a search looks at, and how many there are in all.
func (s *Screen) searchedRows() (first, end, total int, text func(int) string) {
	t := s.top()
	switch {
	case t.page != nil:
		return 0, len(t.page.lines), len(t.page.lines), func(i int) string { return t.page.lines[i] }
	case s.searchesDrawn():
		return 0, len(s.hits.Lines), len(s.hits.Lines), func(i int) string { return s.hits.Lines[i] }
	case !s.frameMatches():
		return 0, 0, 0, nil
	}
	l := s.list()
	return l.First, l.First + l.Count, l.Total, l.Text
}

// searchesDrawn reports whether a search looks at the rows as they were drawn: of the help, and of an explanation's text.
func (s *Screen) searchesDrawn() bool {
	t := s.top()
	return t.page == nil && (t.pane == views.ExplainPane || pane(t.pane).Scrolls())
}

// find looks for the text in the rows, if they may have changed since.
func (s *Screen) find() {
	q := s.top().search
	if q == nil || q.looked && q.frame == s.frame && !s.searchesDrawn() {
		return
	}
	first, end, total, text := s.searchedRows()
	q.found, q.looked, q.frame, q.more = q.found[:0], true, s.frame, end-first < total
	sought := strings.ToLower(q.text)
	for i := first; i < end; i++ {
		if strings.Contains(strings.ToLower(text(i)), sought) {
			q.found = append(q.found, i)
		}
	}
}

// searchFor searches for a text from where the cursor was when the prompt was opened. An empty text ends the search.
func (s *Screen) searchFor(text string) {
	t := s.top()
	if t.search = nil; text != "" {
		t.search = &search{text: text}
	}
	s.showFirstMatch()
}

// showFirstMatch moves the cursor to the first match from where it was when the prompt was opened, or back there.
func (s *Screen) showFirstMatch() {
	t, before := s.top(), &s.prompt.before
	t.cursor, t.rowKey, t.scroll, t.fix = before.cursor, before.rowKey, before.scroll, before.fix
	if s.find(); t.search != nil && len(t.search.found) > 0 {
		i, _ := slices.BinarySearch(t.search.found, s.searchedFrom())
		s.goToMatch(i)
	}
	s.dirty = true
}

// goToMatch moves the cursor to a match; after the last comes the first.
func (s *Screen) goToMatch(i int) {
	q := s.top().search
	n := len(q.found)
	q.at = (i%n + n) % n
	if s.top().pane == views.ExplainPane && s.top().page == nil {
		s.scrollExplanation(q.found[q.at])
	} else {
		s.move(q.found[q.at])
	}
	q.wentTo = s.searchedFrom()
}

// searchedFrom returns the row that the next match is looked for from.
func (s *Screen) searchedFrom() int {
	if t := s.top(); t.pane == views.ExplainPane && t.page == nil {
		return t.scroll
	}
	return s.top().cursor.Selected
}

// match returns the index of the match that the cursor is on; if it is on none, that of the next one.
func (q *search) match(selected int) (i int, on bool) {
	if selected == q.wentTo && q.at < len(q.found) {
		return q.at, true
	}
	return slices.BinarySearch(q.found, selected)
}

// nextFound moves the cursor to the next or previous match, of the last search if there is none now.
func (s *Screen) nextFound(step int) {
	t := s.top()
	if t.search == nil {
		t.search = &search{text: s.history.searches.latest(), wentTo: -1}
		s.draw() // an explanation's rows are known once it was drawn for a search
		s.dirty = true
	}
	s.find()
	q := t.search
	if len(q.found) == 0 {
		s.setStatus("/" + q.text + ": no match; esc ends the search")
		return
	}
	i, on := q.match(s.searchedFrom())
	switch {
	case on:
		i += step
	case step < 0:
		i--
	}
	s.goToMatch(i)
}

// describeSearch describes in the state what is searched for, and how many rows have it.
func (s *Screen) describeSearch(state *views.State) {
	state.Search, state.SearchAt, state.SearchOf, state.SearchMore = "", 0, 0, false
	q := s.top().search
	state.Searching = q != nil || s.prompt != nil && s.prompt.kind == searchPrompt
	if q == nil {
		return
	}
	s.find()
	state.Search, state.SearchOf, state.SearchMore = q.text, len(q.found), q.more
	if i, on := q.match(s.searchedFrom()); on {
		state.SearchAt = i + 1
	}
}
