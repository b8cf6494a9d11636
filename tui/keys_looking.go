package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/views"
	"orrery/views/collect"
)

// lookingBindings change how things are shown.
var lookingBindings = []binding{
	{
		name: "filter", keys: []string{"/"}, shown: "/", does: "filter", tells: "narrow the list",
		group: looking, hint: 3, on: append([]views.PaneID{views.Overview}, narrowed...), do: plain((*Screen).startFilter),
	},
	{
		name: "match", keys: []string{"n"}, shown: "n", tells: "the next match", group: looking, on: narrowed,
		able: (*Screen).nothingSought, do: plain(func(s *Screen) { s.match(1) }),
	},
	{
		name: "match-before", keys: []string{"N"}, shown: "N", tells: "the match before", group: looking, on: narrowed,
		able: (*Screen).nothingSought, do: plain(func(s *Screen) { s.match(-1) }),
	},
	{
		name: "sort", keys: []string{"s"}, shown: "s", does: "sort", tells: "sort by the next column", group: looking, hint: 8, on: narrowed,
		able: (*Screen).unsortable, do: plain((*Screen).sortNext),
	},
	{
		name: "reverse", keys: []string{"r"}, shown: "r", tells: "turn the order round", group: looking, on: narrowed,
		able: (*Screen).unsortable, do: plain((*Screen).reverse),
	},
	{
		name: "zoom", keys: []string{"z"}, shown: "z", does: "zoom", tells: "the pane without borders", group: looking, hint: 9,
		do: plain((*Screen).toggleZoom),
	},
	{
		name: "command", keys: []string{":"}, shown: ":", does: "command", tells: "a command", group: looking, hint: 6,
		do: plain((*Screen).startCommand),
	},
	{
		name: "theme", keys: []string{"t"}, shown: "t", tells: "the next theme", group: looking, do: plain((*Screen).nextTheme),
	},
	{
		name: "mouse", keys: []string{"m"}, shown: "m", tells: "the mouse, for the screen or not", group: looking, do: plain((*Screen).toggleMouse),
	},
	{
		name: "help", keys: []string{"?"}, shown: "?", tells: "the keys of this pane", group: looking, do: plain((*Screen).toggleHelp),
	},
	{
		name: "suspend", keys: []string{"ctrl+z"}, shown: "ctrl+z", tells: "back to the shell", group: looking,
		do: func(*Screen, string) tea.Cmd { return suspend },
	},
}

func (s *Screen) nothingSought() string {
	if s.top().narrow.on() || s.words.filter != "" {
		return ""
	}
	return "nothing was filtered for yet"
}

// match goes to the next row that the filter leaves, or takes up the last filter again.
func (s *Screen) match(step int) {
	if !s.top().narrow.on() {
		_ = s.filterTo(s.words.filter) // it was understood once
		return
	}
	s.step(step)
}

func (s *Screen) unsortable() string {
	if len(collect.Sorts(s.top().pane)) == 0 {
		return "this list has one order only"
	}
	return ""
}

func (s *Screen) toggleZoom() {
	s.zoom = !s.zoom
	if s.zoom && s.top().pane == views.Overview {
		s.jump(s.focus)
	}
}

func (s *Screen) nextTheme() {
	all := s.options.Themes
	at := slices.IndexFunc(all, func(t *themes.Theme) bool { return t.Name == s.theme.Name })
	s.chosen = true
	s.wear(all[(at+1)%len(all)])
	s.say("theme " + s.theme.Name)
}

func (s *Screen) toggleMouse() {
	s.mouse = !s.mouse
	if s.mouse {
		s.say("the mouse works the screen; m gives it back to the terminal")
	} else {
		s.say("the mouse is the terminal's again: drag to select text")
	}
}

func (s *Screen) toggleHelp() {
	if s.top().pane == views.HelpPane {
		s.back()
		return
	}
	s.enter(place{pane: views.HelpPane})
}
