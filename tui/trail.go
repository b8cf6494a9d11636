package tui

import (
	"strings"

	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// place is a pane that is open, what it is open on, and where in it one is.
type place struct {
	pane   views.PaneID
	pod    world.Ref
	node   string
	cursor views.Cursor
	// key is the name of the selected row, so that it can be found again when the list has moved. It is empty while
	// nobody has chosen a row: the cursor then stays at the top.
	key string
	// narrow is what its list is narrowed by and how it is sorted.
	narrow narrowing
	// page is what a page of text says.
	page *page
	// answer is what a what-if was answered with.
	answer *views.WhatIf
}

// top is the place on the screen.
func (s *Screen) top() *place { return &s.trail[len(s.trail)-1] }

// jump opens a pane from the overview, as it was left.
func (s *Screen) jump(pane views.PaneID) {
	s.leave()
	s.trail = s.trail[:1]
	if pane == views.Overview {
		return
	}
	p, known := s.kept[pane]
	if !known {
		p = place{pane: pane}
	}
	s.trail = append(s.trail, p)
	if pane <= views.LeaderPane {
		s.focus = pane
	}
}

// enter opens a pane from where one is.
func (s *Screen) enter(p place) { s.trail = append(s.trail, p) }

// back leaves the pane on the screen for the one it was opened from, and tells whether there was one.
func (s *Screen) back() bool {
	if len(s.trail) == 1 {
		return false
	}
	s.leave()
	s.trail = s.trail[:len(s.trail)-1]
	return true
}

// leave keeps what should be found again of the panes that have a digit.
func (s *Screen) leave() {
	if len(s.trail) > 1 {
		s.kept[s.trail[1].pane] = s.trail[1]
	}
}

// cycle goes to the next pane or the one before: in the overview among those on it, else among all that have a digit.
func (s *Screen) cycle(step int) {
	if len(s.trail) == 1 {
		count := int(views.LeaderPane)
		s.focus = views.PaneID((int(s.focus)-1+step+count)%count + 1)
		return
	}
	count := int(views.MetricsPane)
	at := int(s.trail[1].pane)
	if at > count { // opened from the overview without a digit
		at = int(s.focus)
	}
	s.jump(views.PaneID((at-1+step+count)%count + 1))
}

// looking is what the pump should collect for what is on the screen: of lists the rows in sight and a screen more on
// either side, so that moving on shows no holes.
func (s *Screen) looking() collect.Look {
	t := s.top()
	look := collect.Look{Open: t.pane, Pod: t.pod, Node: t.node, Columns: s.w, Rows: 3 * s.h}
	if t.page == nil {
		look.First = max(t.cursor.First-s.h, 0)
	}
	if s.seeking {
		look.First, look.Rows = 0, mostSought
	}
	look.WhatIf = t.answer
	t.narrow.into(&look)
	look.Filter = s.scoped(t)
	return look
}

// fits tells whether the frame is of what is open. After a key has opened something else it is not, until the pump has
// looked there.
func (s *Screen) fits() bool {
	if s.frame == nil {
		return false
	}
	t, look := s.top(), &s.frame.Look
	return look.Open == t.pane && look.Pod == t.pod && look.Node == t.node && look.WhatIf == t.answer
}

// rows is how many rows of the open list are in sight.
func (s *Screen) rows() int { return max(s.seen.Window.Count, 1) }

// move takes the cursor to a row of the list, or as near as there is one.
func (s *Screen) move(to int) {
	t := s.top()
	t.cursor.Selected = max(min(to, s.total()-1), 0)
	t.key = ""
	if t.cursor.Selected > 0 {
		t.key = s.keyAt(t.cursor.Selected)
	}
}

// mostSought is the longest list in which a row that has gone out of sight is looked for.
const mostSought = 5000

// follow puts the cursor where the row that it was on has gone. One that is not among the rows that were collected is
// looked for once in the whole list.
func (s *Screen) follow() {
	t := s.top()
	l := s.list()
	if t.page != nil || !s.fits() {
		return
	}
	if l.total > 0 || t.cursor.Selected > 0 {
		t.cursor.Selected = max(min(t.cursor.Selected, l.total-1), 0)
	}
	if t.key == "" || l.key == nil || l.key(t.cursor.Selected) == t.key {
		s.seeking = false
		return
	}
	for i := l.first; i < l.first+l.count; i++ {
		if l.key(i) == t.key {
			t.cursor.First = max(t.cursor.First+i-t.cursor.Selected, 0)
			t.cursor.Selected, s.seeking = i, false
			return
		}
	}
	if sought := s.frame.Look.Rows == mostSought; !sought && l.count < l.total && l.total <= mostSought {
		s.seeking = true
		return
	}
	t.key, s.seeking = l.key(t.cursor.Selected), false
}

// refOf is the pod that a row names.
func refOf(name string) (world.Ref, bool) {
	namespace, pod, ok := strings.Cut(name, "/")
	return world.Ref{Namespace: namespace, Name: pod}, ok && pod != ""
}
