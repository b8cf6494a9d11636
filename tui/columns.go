package tui

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/views"
)

// commandColumns shows only some columns of the open list; without names it shows all.
func (s *Screen) commandColumns(rest string) tea.Cmd {
	id := s.top().pane
	names := pane(id).ColumnNames()
	if s.top().page != nil || len(names) == 0 {
		s.fail(":columns: this pane has no list with columns")
		return nil
	}
	var shown []string
	for _, name := range splitColumns(rest, names) {
		if !slices.Contains(names, name) {
			s.fail(":columns: this list has no column " + quoted(name) + printable.Line(meant(name, names), 300))
			return nil
		}
		shown = append(shown, name)
	}
	s.state.Columns = maps.Clone(s.state.Columns)
	if len(shown) == 0 {
		delete(s.state.Columns, id)
		s.setStatus("all columns of " + paneWord(id))
	} else {
		s.state.Columns[id] = shown
		s.setStatus(paneWord(id) + " shows " + strings.Join(shown, ", ") + "; :columns shows all again")
	}
	s.dirty = true
	return nil
}

// splitColumns splits the names of columns at commas, which some of them have themselves.
func splitColumns(text string, known []string) []string {
	var names []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		name, _, _ := strings.Cut(text, ",")
		for _, whole := range known {
			if after, is := strings.CutPrefix(text, whole); is && len(whole) > len(name) && (after == "" || after[0] == ',') {
				name = whole
			}
		}
		text = strings.TrimPrefix(text[len(name):], ",")
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// columnCompletions completes the last of the names of columns.
func columnCompletions(s *Screen, typed string) []string {
	names := pane(s.top().pane).ColumnNames()
	lead, last := "", typed
	if at := strings.LastIndex(typed, ","); at >= 0 {
		lead, last = typed[:at+1]+" ", strings.TrimSpace(typed[at+1:])
	}
	named := splitColumns(lead, names)
	var list []string
	for _, name := range names {
		if name != "" && strings.HasPrefix(name, last) && !slices.Contains(named, name) {
			list = append(list, lead+name)
		}
	}
	return list
}

// chosenColumns returns the columns that lists show, of those that show others than the settings have it. All columns are named where the
// settings leave some out.
func (s *Screen) chosenColumns() map[views.PaneID][]string {
	chosen, set := map[views.PaneID][]string{}, s.options.Settings.columns()
	for _, p := range views.Panes() {
		was, now := set[p.ID], s.state.Columns[p.ID]
		switch {
		case slices.Equal(was, now):
		case len(now) == 0:
			chosen[p.ID] = slices.DeleteFunc(p.ColumnNames(), func(name string) bool { return name == "" })
		default:
			chosen[p.ID] = now
		}
	}
	return chosen
}
