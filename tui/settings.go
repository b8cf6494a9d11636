package tui

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"orrery/core/safe/files"
	"orrery/core/safe/printable"
	"orrery/core/safe/spelling"
	"orrery/demo/scenario/strict"
	"orrery/themes"
	"orrery/views"
)

// Settings are what the user has set in a file. The zero value sets nothing.
type Settings struct {
	strict.Position `yaml:"-"`
	// Theme is the name of a theme or its file, View the pane that is open at first.
	Theme string `yaml:"theme"`
	View  string `yaml:"view"`
	// Preview shows what a row opens beside the lists of wide screens; nil is yes. Mouse turns the mouse on.
	Preview *bool `yaml:"preview"`
	Mouse   bool  `yaml:"mouse"`
	// Remember keeps what is chosen on the screen for the next session.
	Remember bool `yaml:"remember"`
	// Notify rings the bell, shows a notification and sets the title when the health turns red or a watched pod is placed; nil is yes, unless the
	// terminal is at the other end of ssh.
	Notify *bool `yaml:"notify"`
	// Keys are own keys by the names of what they do, Aliases own commands by their names.
	Keys    map[string]KeyList `yaml:"keys"`
	Aliases map[string]string  `yaml:"aliases"`
	// Commands are programs of the user's, by the names under which they are typed.
	Commands map[string]*OwnCommand `yaml:"commands"`
	// Panes are how lists are shown at first, by the names of their panes.
	Panes map[string]*PaneSettings `yaml:"panes"`
}

// PaneSettings are how the list of a pane is shown at first: its order, and its columns if not all.
type PaneSettings struct {
	strict.Position `yaml:"-"`
	Sort            string   `yaml:"sort"`
	Reverse         bool     `yaml:"reverse"`
	Columns         []string `yaml:"columns"`
}

// KeyList are the keys of a binding; one may be written without brackets.
type KeyList []string

// OneOrMore lets a list be written as its only element.
func (KeyList) OneOrMore() {}

// SettingsFile returns where the user's settings are: $XDG_CONFIG_HOME/orrery/settings.yaml, or ~/.config/orrery/settings.yaml. It is
// empty if neither variable is set.
func SettingsFile(getenv func(string) string) string {
	folder := themes.Folder(getenv)
	if folder == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(folder), "settings.yaml")
}

// ReadSettings reads a file of settings. A missing one sets nothing. Errors name the file, the line and the field.
func ReadSettings(path string) (*Settings, error) {
	if path == "" {
		return &Settings{}, nil
	}
	data, err := files.Read(path, strict.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Settings{}, nil
	case err != nil:
		return nil, err
	}
	return ParseSettings(path, data)
}

// ParseSettings reads settings, and checks them against the tables of keys, commands and panes.
func ParseSettings(file string, data []byte) (*Settings, error) {
	s := &Settings{}
	if len(strings.TrimSpace(withoutComments(string(data)))) == 0 {
		return s, nil
	}
	if err := strict.Decode(file, data, s); err != nil {
		return nil, err
	}
	return s, s.check()
}

// withoutComments drops the lines that are comments: a file of nothing else sets nothing.
func withoutComments(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// meant says which of some names may be meant.
func meant(name string, names []string) string {
	if near := spelling.Nearest(name, names, 1); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return "; there are " + strings.Join(names, ", ")
}

// check reports the first setting that cannot be.
func (s *Settings) check() error {
	if _, ok := ViewNamed(s.View); !ok {
		return s.Fail("view", "there is no pane %+q%s", printable.Line(s.View, 40), meant(s.View, ViewNames()))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Aliases)) {
		if commandNamed(name) != nil {
			return s.Fail("aliases."+name, "%+q is a command already", printable.Line(name, 40))
		}
		word, _, _ := strings.Cut(strings.TrimSpace(s.Aliases[name]), " ")
		if commandNamed(word) == nil {
			return s.Fail("aliases."+name, "there is no command %+q; %s", printable.Line(word, 40), suggestion(word))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Panes)) {
		if err := s.checkPane(name, s.Panes[name]); err != nil {
			return err
		}
	}
	if err := s.checkCommands(); err != nil {
		return err
	}
	_, err := s.ownBindings()
	return err
}

func (s *Settings) checkPane(name string, p *PaneSettings) error {
	var listed []string
	for _, p := range views.Panes() {
		if p.HasList() {
			listed = append(listed, string(p.ID))
		}
	}
	if !slices.Contains(listed, name) {
		return s.Fail("panes."+name, "no pane %+q has a list%s", printable.Line(name, 40), meant(name, listed))
	}
	of := pane(views.PaneID(name))
	if p.Sort != "" && !slices.Contains(of.Sorts(), p.Sort) {
		return p.Fail("sort", "this list has no order %+q%s", printable.Line(p.Sort, 40), meant(p.Sort, of.Sorts()))
	}
	for _, column := range p.Columns {
		if !slices.Contains(of.ColumnNames(), column) {
			return p.Fail("columns", "this list has no column %+q%s", printable.Line(column, 40), meant(column, of.ColumnNames()))
		}
	}
	return nil
}

// columns returns which columns of each list are shown, of those that do not show all.
func (s *Settings) columns() map[views.PaneID][]string {
	all := map[views.PaneID][]string{}
	for name, p := range s.Panes {
		if len(p.Columns) > 0 {
			all[views.PaneID(name)] = p.Columns
		}
	}
	return all
}

// listOf is how a list is shown at first.
func (s *Settings) listOf(id views.PaneID) listSettings {
	if p := s.Panes[string(id)]; p != nil {
		return listSettings{sort: p.Sort, reverse: p.Reverse}
	}
	return listSettings{}
}

// expand replaces the first word of a command line by what it is an alias of.
func (s *Settings) expand(line string) string {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if full, is := s.Aliases[word]; is {
		return strings.TrimSpace(full + " " + rest)
	}
	return line
}
