package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/views"
)

// viewBindings change how a pane is shown.
var viewBindings = []binding{
	{
		name: "filter", keys: []string{"/"}, label: "/", short: "filter", long: "filter or search; on the overview find anything, in the help a key",
		group: viewKeys, hint: 3, where: everywhere, run: simple((*Screen).startSlash),
	},
	{
		name: "find", keys: []string{"ctrl+k"}, label: "ctrl+k", short: "find", long: "find anything by a part of its name",
		group: viewKeys, hint: 7, where: everywhere, run: simple(func(s *Screen) { s.openFinder("") }),
	},
	{
		name: "match", keys: []string{"n"}, label: "n", short: "next match", long: "the next match", group: viewKeys, where: onLists, hint: 16,
		disabled: (*Screen).cannotMatch, run: simple(func(s *Screen) { s.nextMatch(1) }),
	},
	{
		name: "match-before", keys: []string{"N"}, label: "N", long: "the previous match", group: viewKeys, where: onLists,
		disabled: (*Screen).cannotMatch, run: simple(func(s *Screen) { s.nextMatch(-1) }),
	},
	{
		name: "sort", keys: []string{"s"}, label: "s", short: "sort", long: "sort by the next column", group: viewKeys, hint: 8, where: onFilterable,
		disabled: (*Screen).cannotSort, run: simple((*Screen).sortNext),
	},
	{
		name: "reverse", keys: []string{"r"}, label: "r", long: "reverse the sort", group: viewKeys, where: onFilterable,
		disabled: (*Screen).cannotSort, run: simple((*Screen).reverseSort),
	},
	{
		name: "zoom", keys: []string{"z"}, label: "z", short: "zoom", long: "the pane without borders", group: viewKeys, where: everywhere, hint: 9,
		run: simple((*Screen).toggleZoom),
	},
	{
		name: "preview", keys: []string{"v"}, label: "v", long: "show or hide what a row opens, beside the list of a wide screen", group: viewKeys, where: onPreviews,
		disabled: (*Screen).cannotPreview, run: simple((*Screen).togglePreview),
	},
	{
		name: "mark-row", keys: []string{"x"}, label: "x", short: "select", long: "select the row together with others; w and the cluster's keys act on all", group: viewKeys, where: onMarks, hint: 12,
		disabled: (*Screen).cannotMark, run: simple((*Screen).mark),
	},
	{
		name: "command", keys: []string{":"}, label: ":", short: "command", long: "a command", group: viewKeys, where: everywhere, hint: 6,
		run: simple((*Screen).startCommand),
	},
	{
		name: "theme", keys: []string{"t"}, label: "t", long: "the next theme for this background", group: viewKeys, where: everywhere, run: simple((*Screen).nextTheme),
	},
	{
		name: "clock", keys: []string{"T"}, label: "T", long: "times in lists since the start, or of day", group: viewKeys, where: everywhere,
		disabled: (*Screen).cannotSwapClock, run: simple((*Screen).swapClock),
	},
	{
		name: "mouse", keys: []string{"m"}, label: "m", long: "mouse support on / off", group: viewKeys, where: everywhere, run: simple((*Screen).toggleMouse),
	},
	{
		name: "help", keys: []string{"?"}, label: "?", long: "the keys of this pane; there again: a tour", group: viewKeys, where: everywhere, run: func(s *Screen, _ string) tea.Cmd { return s.helpOrTour() },
	},
	{
		name: "suspend", keys: []string{"ctrl+z"}, label: "ctrl+z", long: "back to the shell", group: viewKeys, where: everywhere,
		run: func(*Screen, string) tea.Cmd { return suspend },
	},
}

func (s *Screen) cannotMatch() string {
	switch kind := s.slash(); {
	case kind == finderPrompt:
		return "/ finds keys here"
	case kind == searchPrompt && s.top().search == nil && len(s.history.searches) == 0:
		return "there is no search yet; / starts one"
	case kind == filterPrompt && !s.top().list.on() && len(s.history.filters) == 0:
		return "there is no filter yet; / starts one"
	}
	return ""
}

// nextMatch moves to the next row that the filter keeps or that a search finds, or applies the last filter again.
func (s *Screen) nextMatch(step int) {
	if s.slash() == searchPrompt {
		s.nextFound(step)
		return
	}
	if !s.top().list.on() {
		_ = s.setFilter(s.history.filters.latest()) // it was parsed before
		return
	}
	s.moveBy(step)
}

func (s *Screen) cannotSort() string {
	if len(pane(s.top().pane).Sorts()) == 0 {
		return "this list cannot be sorted"
	}
	return ""
}

func (s *Screen) toggleZoom() {
	s.zoom = !s.zoom
	if s.zoom && s.onOverview() {
		s.openPane(s.focus)
	}
}

// nextTheme goes to the next theme that is made for the terminal's background.
func (s *Screen) nextTheme() {
	suitable := slices.DeleteFunc(slices.Clone(s.options.Themes), func(t *themes.Theme) bool { return t.Light != s.light })
	if len(suitable) == 0 {
		s.setStatus("t: no theme is made for this background; :theme has those for others")
		return
	}
	at := slices.IndexFunc(suitable, func(t *themes.Theme) bool { return t.Name == s.theme.Name })
	s.themeChosen, s.themePicked = true, true
	next := suitable[(at+1)%len(suitable)]
	if next.Name == s.theme.Name {
		s.setStatus("t: " + next.Name + " is the only theme made for this background; :theme has those for others")
		return
	}
	s.setTheme(next)
	s.setStatus("theme " + s.theme.Name)
}

// offsets reports whether lists have times since the start of the recording, as the timeline and the captions do. Of a scheduler that runs
// elsewhere they have the time of day at first, which its logs have too.
func (s *Screen) offsets() bool {
	if s.frame == nil || s.frame.Model.Timeline == nil {
		return false
	}
	return s.frame.Attached == s.otherClock
}

func (s *Screen) cannotSwapClock() string {
	if s.frame == nil || s.frame.Model.Timeline == nil {
		return "there is no recording here whose start could be counted from"
	}
	return ""
}

func (s *Screen) swapClock() {
	if s.otherClock = !s.otherClock; s.offsets() {
		s.setStatus("times since the start of the recording; T shows the time of day")
	} else {
		s.setStatus("times of day; T shows those since the start of the recording")
	}
}

func (s *Screen) toggleMouse() {
	s.mouse = !s.mouse
	if s.mouse {
		s.setStatus("mouse support is on; m turns it off")
	} else {
		s.setStatus("mouse support is off: drag to select text")
	}
}

// helpOrTour opens the help, and from there the tour.
func (s *Screen) helpOrTour() tea.Cmd {
	if s.top().pane == views.HelpPane {
		s.pop()
		return s.startTour()
	}
	s.push(navEntry{pane: views.HelpPane})
	return nil
}
