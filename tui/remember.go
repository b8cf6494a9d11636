package tui

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orrery/core/safe/files"
	"orrery/demo/scenario/strict"
)

// RememberedFile returns where what was chosen on the screen is remembered: $XDG_STATE_HOME/orrery/screen.yaml, or
// ~/.local/state/orrery/screen.yaml. It is empty if neither variable is set.
func RememberedFile(getenv func(string) string) string {
	folder := getenv("XDG_STATE_HOME")
	if folder == "" && getenv("HOME") != "" {
		folder = filepath.Join(getenv("HOME"), ".local", "state")
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "orrery", "screen.yaml")
}

// Recall puts what was chosen in earlier sessions over the settings, if they ask to remember it. The file is the program's own, and what is
// wrong in it is forgotten: it may be of another version, which has other columns and orders.
func (s *Settings) Recall(path string) {
	if !s.Remember || path == "" {
		return
	}
	data, err := files.Read(path, strict.MaxBytes)
	if err != nil {
		return
	}
	was, err := ParseSettings(path, data)
	if err != nil {
		return
	}
	if was.Theme != "" {
		s.Theme = was.Theme
	}
	if was.Preview != nil {
		s.Preview = was.Preview
	}
	for name, p := range was.Panes {
		if s.Panes == nil {
			s.Panes = map[string]*PaneSettings{}
		}
		if of := s.Panes[name]; of != nil && len(p.Columns) == 0 {
			p.Columns = of.Columns
		}
		s.Panes[name] = p
	}
}

// chosen is what was chosen on the screen: the theme, whether previews are hidden, and the orders and columns of lists.
func (s *Screen) chosen() *Settings {
	of := s.options.Settings
	c := &Settings{Theme: of.Theme, Preview: of.Preview, Panes: map[string]*PaneSettings{}}
	if s.themePicked {
		c.Theme = s.theme.Name
	}
	if shown := !s.noPreview; of.Preview != nil && *of.Preview != shown || of.Preview == nil && !shown {
		c.Preview = &shown
	}
	for name, p := range of.Panes {
		c.Panes[name] = &PaneSettings{Sort: p.Sort, Reverse: p.Reverse}
	}
	order := func(e *navEntry) {
		if was := of.listOf(e.pane); e.page == nil && pane(e.pane).HasList() && (e.list.sort != was.sort || e.list.reverse != was.reverse) && slices.Contains(append(pane(e.pane).Sorts(), ""), e.list.sort) {
			c.Panes[string(e.pane)] = &PaneSettings{Sort: e.list.sort, Reverse: e.list.reverse}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.saved)) {
		e := s.saved[id]
		order(&e)
	}
	for i := range s.navStack {
		order(&s.navStack[i])
	}
	for id, columns := range s.chosenColumns() {
		if c.Panes[string(id)] == nil {
			c.Panes[string(id)] = &PaneSettings{}
		}
		c.Panes[string(id)].Columns = columns
	}
	return c
}

// text writes what was chosen as a file of settings.
func (s *Settings) text() string {
	var b strings.Builder
	b.WriteString("# Chosen on the screen; written when it closes, since the settings say remember: true.\n")
	if s.Theme != "" {
		fmt.Fprintf(&b, "theme: %s\n", strconv.Quote(s.Theme))
	}
	if s.Preview != nil {
		fmt.Fprintf(&b, "preview: %t\n", *s.Preview)
	}
	var panes strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Panes)) {
		p := s.Panes[name]
		if p.Sort == "" && !p.Reverse && len(p.Columns) == 0 { // the list's own order, in place of that of the settings
			fmt.Fprintf(&panes, "  %s: {}\n", strconv.Quote(name))
			continue
		}
		fmt.Fprintf(&panes, "  %s:\n", strconv.Quote(name))
		if p.Sort != "" {
			fmt.Fprintf(&panes, "    sort: %s\n", strconv.Quote(p.Sort))
		}
		if p.Reverse {
			panes.WriteString("    reverse: true\n")
		}
		for i, column := range p.Columns {
			if i == 0 {
				panes.WriteString("    columns:\n")
			}
			fmt.Fprintf(&panes, "      - %s\n", strconv.Quote(column))
		}
	}
	if panes.Len() > 0 {
		b.WriteString("panes:\n" + panes.String())
	}
	return b.String()
}

// keepChoices writes what was chosen, if the settings ask for that.
func (s *Screen) keepChoices(path string) error {
	if !s.options.Settings.Remember || path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("remembering what was chosen on the screen: %w", err)
	}
	f, err := files.CreatePrivate(path, true)
	if err != nil {
		return fmt.Errorf("remembering what was chosen on the screen: %w", err)
	}
	if err := f.WriteAll([]byte(s.chosen().text())); err != nil {
		return fmt.Errorf("remembering what was chosen on the screen: %w", err)
	}
	return nil
}
