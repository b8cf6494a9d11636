package tui

import (
	"cmp"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
	"orrery/views/filter"
)

// navigationBindings move between panes and rows.
var navigationBindings = []binding{
	{
		name: "open", keys: []string{"enter"}, label: "enter", short: "open", long: "open what is selected", group: navigationKeys, hint: 1,
		where: onPanes, disabled: (*Screen).cannotOpen, run: func(s *Screen, _ string) tea.Cmd { return s.openSelected() },
	},
	{
		name: "related", keys: []string{"o"}, label: "o", short: "its node", long: "the node of the pod; of one that is gone, its successor", group: navigationKeys, hint: 9,
		where: onPods, disabled: (*Screen).cannotFollow, run: simple((*Screen).openRelated),
	},
	{
		name: "older", keys: []string{"ctrl+o"}, label: "ctrl+o", long: "back to before the last jump, in place or time", group: navigationKeys, where: everywhere,
		run: simple(func(s *Screen) { s.jumpBy(-1) }),
	},
	{
		name: "newer", keys: []string{"ctrl+n", "ctrl+i"}, label: "ctrl+n", long: "forward again", group: navigationKeys, where: everywhere,
		run: simple(func(s *Screen) { s.jumpBy(1) }),
	},
	{
		name: "back", keys: []string{"esc"}, label: "esc", short: "back", long: "one level back; never quits", group: navigationKeys, where: everywhere, hint: 2,
		disabled: func(s *Screen) string {
			switch {
			case len(s.navStack) > 1 || s.row.key != "" || s.zoom || s.whatIfPending || s.summaryPending || s.canLeaveCluster():
				return ""
			case s.onClusters():
				return "this is the list of clusters; q quits"
			}
			return "this is the overview; q quits"
		}, run: simple((*Screen).escape),
	},
	{
		name: "pane", oneEach: true, keys: digits(), label: "1-9", short: "panes", long: "a pane; 1 is the overview", group: navigationKeys, where: everywhere, hint: 7,
		disabled: (*Screen).noPanes,
		run: func(s *Screen, key string) tea.Cmd {
			for _, p := range views.Panes() {
				if string(p.Digit) == key {
					s.goToPane(key, p.ID)
					return nil
				}
			}
			s.goToPane(key, views.Overview)
			return nil
		},
	},
	{
		name: "orrery", keys: []string{"0"}, label: "0", short: "orrery", hint: 17, long: "the cluster as a picture; of a what-if, what it would do", group: navigationKeys, where: everywhere,
		disabled: (*Screen).noPanes, run: func(s *Screen, key string) tea.Cmd {
			if t := s.top(); t.pane == views.WhatIfPane && t.page == nil && t.answer != nil && !t.answer.Moments {
				s.playWhatIf(t.answer)
				return nil
			}
			s.goToPane(key, views.OrreryPane)
			return nil
		},
	},
	{
		name: "health", keys: []string{"!"}, label: "!", short: "trouble", long: "go to the worst trouble", group: navigationKeys, where: everywhere, hint: 1,
		disabled: (*Screen).cannotGoToTrouble, run: simple((*Screen).goToTrouble),
	},
	{
		name: "as-now", keys: []string{"tab"}, label: "tab", short: "as now", long: "of a placed pod: as it was decided, or as it would be placed now", group: navigationKeys,
		where: onExplain, hint: 3, disabled: (*Screen).notPlaced, run: simple(func(s *Screen) { s.top().asNow = !s.top().asNow }),
	},
	{
		name: "next", keys: []string{"tab"}, label: "tab", short: "next pane", long: "the next pane", group: navigationKeys, where: offExplain, hint: 12,
		disabled: (*Screen).noPanes, run: simple(func(s *Screen) { s.cyclePane(1) }),
	},
	{
		name: "previous", keys: []string{"shift+tab"}, label: "shift+tab", long: "the previous pane", group: navigationKeys, where: everywhere,
		disabled: (*Screen).noPanes, run: simple(func(s *Screen) { s.cyclePane(-1) }),
	},
	{
		name: "focus", oneEach: true, keys: []string{"left", "right", "up", "down", "h", "j", "k", "l"}, label: "arrows", short: "rows", long: "the pane beside, and its rows (also hjkl)", hint: 2,
		group: navigationKeys, where: onOverview, run: moves((*Screen).moveFocus),
	},
	{
		name: "down", keys: []string{"down", "j"}, label: "↓ j", long: "a row down", group: navigationKeys, where: onLists,
		run: moves(func(s *Screen, _ string) { s.moveBy(1) }),
	},
	{
		name: "up", keys: []string{"up", "k"}, label: "↑ k", long: "a row up", group: navigationKeys, where: onLists,
		run: moves(func(s *Screen, _ string) { s.moveBy(-1) }),
	},
	{
		name: "pagedown", oneEach: true, keys: []string{"pgdown", "ctrl+d"}, label: "ctrl+d", long: "half a page down (pgdown: one)", group: navigationKeys, where: onLists,
		run: moves(func(s *Screen, key string) { s.moveBy(s.pageSize(key == "ctrl+d")) }),
	},
	{
		name: "pageup", oneEach: true, keys: []string{"pgup", "ctrl+u"}, label: "ctrl+u", long: "half a page up (pgup: one)", group: navigationKeys, where: onLists,
		run: moves(func(s *Screen, key string) { s.moveBy(-s.pageSize(key == "ctrl+u")) }),
	},
	{
		name: "top", keys: []string{"home", "g"}, label: "g", long: "the first row", group: navigationKeys, where: onLists,
		run: moves(func(s *Screen, _ string) {
			s.move(0)
			s.top().fix, s.top().scroll, s.top().onNodes = 0, 0, false
		}),
	},
	{
		name: "bottom", keys: []string{"end", "G"}, label: "G", long: "the last row", group: navigationKeys, where: onLists,
		run: moves(func(s *Screen, _ string) {
			s.move(s.total() - 1)
			s.top().onNodes = true
		}),
	},
	{
		name: "beside", oneEach: true, keys: []string{"left", "right", "h", "l"}, label: "← →", short: "device", long: "the device beside (also h l)", group: navigationKeys, where: onCells, hint: 3,
		run: moves((*Screen).moveCell),
	},
	{
		name: "quit", keys: []string{"q", "ctrl+c"}, label: "q", short: "quit", long: "quit", group: navigationKeys, where: everywhere, hint: 20,
		run: func(*Screen, string) tea.Cmd { return tea.Quit },
	},
}

// textPane stands for a page of text in the key table.
const textPane views.PaneID = "text"

// keyPane returns the pane that the key table is looked up for.
func (s *Screen) keyPane() views.PaneID {
	if s.top().page != nil {
		return textPane
	}
	return s.top().pane
}

func simple(do func(*Screen)) func(*Screen, string) tea.Cmd {
	return func(s *Screen, _ string) tea.Cmd {
		do(s)
		return nil
	}
}

func digits() []string {
	var keys []string
	for d := 1; d <= 9; d++ {
		keys = append(keys, strconv.Itoa(d))
	}
	return keys
}

// whereabouts is what the keys that move change.
type whereabouts struct {
	focus                       views.PaneID
	row                         overviewCursor
	selected, cell, fix, scroll int
	onNodes                     bool
}

func (s *Screen) whereabouts() whereabouts {
	t := s.top()
	return whereabouts{s.focus, s.row, t.cursor.Selected, t.cell, t.fix, t.scroll, t.onNodes && t.pane == views.ExplainPane}
}

// moves makes the function of a key that moves. Where it moves nothing, it says so.
func moves(do func(s *Screen, key string)) func(*Screen, string) tea.Cmd {
	return func(s *Screen, key string) tea.Cmd {
		was := s.whereabouts()
		if do(s, key); s.whereabouts() == was {
			s.setStatus(key + ": there is nothing further that way")
		}
		return nil
	}
}

// goToPane opens the pane of a key.
func (s *Screen) goToPane(key string, id views.PaneID) {
	if t := s.top(); t.pane == id && t.page == nil && len(s.navStack) <= 2 {
		s.setStatus(key + ": this is the pane that is open")
		return
	}
	s.openPane(id)
}

// escape undoes one thing: the pending what-if or summary, else the zoom, else the row of the overview, else the search, else the
// rows that are selected together, else the filter, else the pane.
func (s *Screen) escape() {
	switch {
	case s.whatIfPending:
		s.whatIfPending = false
		s.setStatus("what-if cancelled")
	case s.summaryPending:
		s.summaryPending = false
		s.setStatus("diagnosis of the pending pods cancelled")
	case s.zoom:
		s.zoom = false
	case s.onOverview() && s.row.key == "" && s.canLeaveCluster():
		s.leaveCluster()
	case s.onOverview():
		s.row = overviewCursor{}
	case s.top().search != nil:
		s.top().search = nil
	case s.top().page == nil && len(s.top().marked) > 0:
		s.top().marked = nil
	case s.top().page == nil && s.top().list.on() && s.top().list.filter != s.top().openedWith:
		s.setList(listSettings{filter: s.top().openedWith, sort: s.top().list.sort, reverse: s.top().list.reverse})
	default:
		s.pop()
	}
}

func (s *Screen) moveBy(by int) {
	if !s.moveInExplanation(by) {
		s.move(s.top().cursor.Selected + by)
	}
}

// pageSize returns the rows of a page, or of half a page.
func (s *Screen) pageSize(half bool) int {
	rows := s.visibleRows()
	if s.top().pane == views.ExplainPane && !s.top().onNodes && s.hits.TextRows > s.hits.Text.Count {
		rows = s.hits.Text.Count
	}
	if half {
		return max(rows/2, 1)
	}
	return max(rows-1, 1)
}

// neighbours maps a pane of the overview to the panes left of, right of, above and below it.
var neighbours = map[views.PaneID][4]views.PaneID{
	views.QueuePane:     {views.QueuePane, views.SnapshotPane, views.QueuePane, views.ZonesPane},
	views.SnapshotPane:  {views.QueuePane, views.SnapshotPane, views.SnapshotPane, views.EvictionsPane},
	views.ZonesPane:     {views.ZonesPane, views.EvictionsPane, views.QueuePane, views.ZonesPane},
	views.EvictionsPane: {views.ZonesPane, views.LeaderPane, views.SnapshotPane, views.EvictionsPane},
	views.LeaderPane:    {views.EvictionsPane, views.LeaderPane, views.SnapshotPane, views.LeaderPane},
}

func (s *Screen) moveFocus(key string) {
	way := map[string]int{"left": 0, "h": 0, "right": 1, "l": 1, "up": 2, "k": 2, "down": 3, "j": 3}[key]
	if way == 2 && s.moveRow(-1) || way == 3 && s.moveRow(1) {
		return
	}
	next := neighbours[s.focus][way]
	if views.Stacked(s.body()) {
		all := overviewPanes()
		at := slices.Index(all, s.focus)
		if way == 0 || way == 2 {
			next = all[max(at-1, 0)]
		} else {
			next = all[min(at+1, len(all)-1)]
		}
	}
	if next != s.focus {
		s.focus, s.row = next, overviewCursor{}
	}
}

// cannotOpen returns why there is nothing to open here.
func (s *Screen) cannotOpen() string {
	switch open := s.top().pane; {
	case s.top().page != nil:
		return "there is nothing to open here"
	case open == views.Overview, s.selectedFix() != nil:
		return ""
	case open == views.TimelinePane:
		if s.total() == 0 {
			return "there is no mark to go to"
		}
		return ""
	case open == views.ClustersPane:
		if s.total() == 0 {
			return "no cluster is watched"
		}
		return ""
	case s.paneOpened() == "":
		return "there is nothing to open here"
	case pane(s.paneOpened()).About == views.AboutNode:
		if _, ok := s.selectedNode(); !ok {
			return "no node is selected"
		}
		return ""
	}
	if _, ok := s.selectedPod(); ok {
		return ""
	}
	if _, ok := s.selectedObject(); ok {
		return ""
	}
	if l := s.list(); l.Scope != nil && l.Scope(s.top().cursor.Selected) != "" {
		return ""
	}
	return "no pod is selected"
}

// opensObject reports whether the selected row names an object without a pod.
func (s *Screen) opensObject() bool {
	_, pod := s.selectedPod()
	_, object := s.selectedObject()
	return object && !pod
}

// openSelected opens what is selected, or tries the selected fix.
func (s *Screen) openSelected() tea.Cmd {
	if fix := s.selectedFix(); fix != nil {
		return s.tryFix(fix)
	}
	switch open := s.top().pane; {
	case s.top().playsWhatIf():
		s.push(navEntry{pane: views.WhatIfPane, answer: s.top().answer})
	case open == views.Overview:
		s.openRow()
	case open == views.TimelinePane:
		s.seekToMark()
	case open == views.ClustersPane:
		s.enterSelected()
	case s.opensObject():
		s.describe()
	default:
		next := s.opens()
		next.openedWith = s.selectedScope()
		next.list.filter = next.openedWith
		s.push(next)
	}
	return nil
}

// paneOpened is the pane that enter opens on the selection; empty for none.
func (s *Screen) paneOpened() views.PaneID {
	return cmp.Or(s.list().Opens, pane(s.top().pane).Opens)
}

// opens returns what enter opens: the pane, on the selected pod or node.
func (s *Screen) opens() navEntry {
	next := navEntry{pane: s.paneOpened()}
	if pane(next.pane).About == views.AboutNode {
		next.node, _ = s.selectedNode()
	} else {
		next.pod, _ = s.selectedPod()
	}
	return next
}

// selectedScope is the filter for what the selected row opens; nil if there is none.
func (s *Screen) selectedScope() *filter.Filter {
	l := s.list()
	if l.Scope == nil {
		return nil
	}
	scope, err := filter.Parse(l.Scope(s.top().cursor.Selected))
	if err != nil {
		s.setStatus(err.Error())
	}
	return scope
}

// moveCell moves the cursor to the cell beside.
func (s *Screen) moveCell(key string) {
	t := s.top()
	last := max(s.selectedCell().Of-1, 0)
	t.cell = min(t.cell, last)
	if key == "left" || key == "h" {
		t.cell = max(t.cell-1, 0)
	} else {
		t.cell = min(t.cell+1, last)
	}
}
