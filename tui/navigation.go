package tui

import (
	"slices"
	"strings"
	"time"

	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
	"orrery/views/filter"
)

// navEntry is an open pane, the object it is open on, and its cursor.
type navEntry struct {
	pane   views.PaneID
	pod    world.PodRef
	node   string
	cursor views.Cursor
	// cell is the position in the selected row, if rows have cells.
	cell int
	// fix is the selected fix of an explanation, unless the cursor is onNodes, in its list.
	fix     int
	onNodes bool
	// asNow means that the explanation of a placed pod is of the present.
	asNow bool
	// scroll is the first visible row of an explanation's text.
	scroll int
	// rowKey is the name of the selected row, with which followSelection finds the row after the list has changed. It
	// is empty until the user selects a row: the cursor then stays at the top.
	rowKey string
	// list is the list's filter and sort order. The filter that the entry was openedWith is part of what is open: esc does not
	// clear it.
	list       listSettings
	openedWith *filter.Filter
	// marked are the rows that are selected together.
	marked []markedRow
	// search is the search in its text; nil for none.
	search *search
	// fromList means that it was opened from the preview of the list below, so that the left arrow goes back there.
	fromList bool
	// page is the page of text; nil for a pane.
	page *page
	// answer is the result of a what-if, summary that of the pending pods. On the orrery the what-if is played, since playedFrom.
	answer     *views.WhatIf
	playedFrom time.Duration
	summary    *views.Pending
	// comparison are two nodes or pods.
	comparison *views.Comparison
}

// top returns the entry on the screen.
func (s *Screen) top() *navEntry { return &s.navStack[len(s.navStack)-1] }

// openPane opens a pane over the overview, in its saved state.
func (s *Screen) openPane(pane views.PaneID) {
	s.detachPrompt()
	if len(s.navStack) > 1 || pane != views.Overview {
		s.leave(false)
	}
	s.saveTop()
	s.navStack = s.navStack[:1]
	if pane == s.navStack[0].pane || s.refusedOnList(pane) {
		return
	}
	p, known := s.saved[pane]
	if !known {
		p = navEntry{pane: pane, list: s.options.Settings.listOf(pane)}
	}
	s.navStack = append(s.navStack, p)
	if slices.Contains(overviewPanes(), pane) {
		s.focus = pane
	}
}

// maxOpen bounds the panes that are open one over another: from a pod to its node to its pods one can go on for ever.
//
//orrery:limit screen; panes that are open one over another; the lowest one above the overview closes
const maxOpen = 64

// push opens a pane over the current one.
func (s *Screen) push(p navEntry) {
	s.detachPrompt()
	if p.page == nil && p.pane != views.HelpPane && s.refusedOnList(p.pane) {
		return
	}
	s.leave(false)
	if p.page == nil && p.list == (listSettings{}) {
		p.list = s.options.Settings.listOf(p.pane)
	}
	if len(s.navStack) == maxOpen {
		s.navStack = slices.Delete(s.navStack, 1, 2)
	}
	s.navStack = append(s.navStack, p)
	s.remember(&p)
}

// detachPrompt makes an open prompt one that filters and searches nothing: what it was opened for is no longer on the screen, and
// what is typed on must not run as commands.
func (s *Screen) detachPrompt() {
	if s.prompt != nil && s.prompt.kind != commandPrompt {
		s.prompt.kind = deafPrompt
	}
}

// pop returns to the entry below, and reports whether there was one.
func (s *Screen) pop() bool {
	if len(s.navStack) == 1 {
		return false
	}
	s.saveTop()
	s.navStack = s.navStack[:len(s.navStack)-1]
	return true
}

// saveTop saves the pane above the overview, for openPane.
func (s *Screen) saveTop() {
	if len(s.navStack) > 1 && !s.navStack[1].playsWhatIf() {
		s.saved[s.navStack[1].pane] = s.navStack[1]
	}
}

// overviewPanes returns the panes on the overview, digitPanes those that a digit opens.
func overviewPanes() []views.PaneID {
	var ids []views.PaneID
	for _, spot := range views.Layout(draw.Rect{}, views.Empty{}) {
		ids = append(ids, spot.Pane)
	}
	return ids
}

func digitPanes() []views.PaneID {
	var ids []views.PaneID
	for _, p := range views.Panes() {
		if p.Digit >= '1' && p.Digit <= '9' {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// cyclePane goes to the next or previous pane: on the overview among its panes, else among those with a digit.
func (s *Screen) cyclePane(step int) {
	all, at := overviewPanes(), s.focus
	if len(s.navStack) > 1 {
		all = digitPanes()
		if open := s.navStack[1].pane; slices.Contains(all, open) {
			at = open
		}
	}
	next := all[(slices.Index(all, at)+step+len(all))%len(all)]
	if len(s.navStack) == 1 {
		s.focus, s.row = next, overviewCursor{}
	} else {
		s.openPane(next)
	}
}

// currentQuery returns the query for what is on the screen: of lists the visible rows and a screen more on either side, so
// that scrolling shows no gaps.
func (s *Screen) currentQuery() collect.Query {
	t := s.top()
	query := collect.Query{Open: t.pane, Pod: t.pod, Node: t.node, Columns: s.w, Lines: s.h, Rows: 3 * s.h, Namespace: s.namespace}
	if t.page == nil {
		query.First = max(t.cursor.First-s.h, 0)
	}
	if s.findingRow || t.search != nil && t.page == nil {
		query.First, query.Rows = 0, maxFindRows
	}
	query.WhatIf, query.Pending, query.AsNow, query.Comparison = t.answer, t.summary, t.asNow, t.comparison
	query.Preview, query.Offsets = s.previewOf(), s.offsets()
	t.list.applyTo(&query)
	query.Filter = s.effectiveFilter(t)
	return query
}

// frameMatches reports whether the frame is for the open entry. After a key opens another entry it is not, until the
// loop has built its frame.
func (s *Screen) frameMatches() bool {
	if s.frame == nil {
		return false
	}
	t, query := s.top(), &s.frame.Query
	return query.Open == t.pane && query.Pod == t.pod && query.Node == t.node && query.WhatIf == t.answer && query.Pending == t.summary && query.Comparison == t.comparison && query.AsNow == t.asNow
}

// visibleRows returns how many rows of the open list are visible.
func (s *Screen) visibleRows() int { return max(s.hits.Window.Count, 1) }

// move moves the cursor to a row of the list, or to the nearest that exists.
func (s *Screen) move(to int) {
	t := s.top()
	t.cursor.Selected = max(min(to, s.total()-1), 0)
	t.rowKey = ""
	if t.cursor.Selected > 0 {
		t.rowKey = s.keyAt(t.cursor.Selected)
	}
}

// maxFindRows is the length of the longest list in which a selected row that is out of sight is searched for, and how many rows
// of a list a search looks at.
//
//orrery:limit screen; rows of a list in which a selected one out of sight, or a text, is looked for; the selection begins at the top, and more matches are not counted
const maxFindRows = 5000

// followSelection moves the cursor to where its row has gone. A row that is not among the collected ones is searched
// for once in the whole list.
func (s *Screen) followSelection() {
	t := s.top()
	l := s.list()
	if t.page != nil || pane(t.pane).Scrolls() || !s.frameMatches() {
		return
	}
	if l.Total > 0 || t.cursor.Selected > 0 {
		t.cursor.Selected = max(min(t.cursor.Selected, l.Total-1), 0)
	}
	if t.rowKey == "" || l.Key == nil || l.Key(t.cursor.Selected) == t.rowKey {
		s.findingRow = false
		return
	}
	for i := l.First; i < l.First+l.Count; i++ {
		if l.Key(i) == t.rowKey {
			t.cursor.First = max(t.cursor.First+i-t.cursor.Selected, 0)
			t.cursor.Selected, s.findingRow = i, false
			return
		}
	}
	if searched := s.frame.Query.Rows == maxFindRows; !searched && l.Count < l.Total && l.Total <= maxFindRows {
		s.findingRow = true
		return
	}
	t.rowKey, s.findingRow = l.Key(t.cursor.Selected), false
}

// parseRef parses the "namespace/name" of a row.
func parseRef(name string) (world.PodRef, bool) {
	namespace, pod, ok := strings.Cut(name, "/")
	return world.PodRef{Namespace: namespace, Name: pod}, ok && pod != ""
}
