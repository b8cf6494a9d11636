package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/views"
	"orrery/views/draw"
)

// binding is one row of the key table; hints, help, command line and docs/keys.md are all made from it.
type binding struct {
	// name is the binding's command on the command line. keys are the keys as Bubble Tea spells them; label is how the
	// screen shows them.
	name  string
	keys  []string
	label string
	// short is a word or two for the hint line, long a sentence for the help.
	short, long string
	group       group
	where       where
	// hint ranks the hint: the lowest number is shown first and dropped last, unless a situation changes that (see hints.go);
	// zero is never shown.
	hint int
	// disabled returns why the key does not work now; empty if it does.
	disabled func(*Screen) string
	run      func(s *Screen, key string) tea.Cmd
	// oneEach means that each of the keys does something else. acts are the keys that the user's own stand for; nil if there are none.
	oneEach bool
	acts    map[string]string
}

// acting returns the key of the table that a key stands for.
func (b *binding) acting(key string) string {
	if acts, is := b.acts[key]; is {
		return acts
	}
	return key
}

type group uint8

const (
	navigationKeys group = iota
	viewKeys
	timeKeys
	inspectKeys
	clusterKeys
	exportKeys
	ownKeys

	groups
)

var groupNames = [groups]string{"Navigation", "View", "Time", "Inspect", "Cluster actions", "Export", "Own commands"}

// where is the set of panes in which a key works, and its name in the reference.
type where struct {
	name string
	in   func(views.PaneID) bool
}

// The sets of panes that keys work in. None names a pane that has a list: the pane declares what its list supports.
var (
	everywhere     = where{"everywhere", func(views.PaneID) bool { return true }}
	onPanes        = where{"all panes but pages of text", func(id views.PaneID) bool { return id != textPane }}
	onPanesButHelp = where{"all panes but help and pages of text", func(id views.PaneID) bool { return id != textPane && id != views.HelpPane }}
	onExplain      = where{"explain", func(id views.PaneID) bool { return id == views.ExplainPane }}
	offExplain     = where{"everywhere but explain", func(id views.PaneID) bool { return id != views.ExplainPane }}
	onOverview     = where{"the overview", func(id views.PaneID) bool { return id == views.Overview }}
	offOverview    = where{"all panes but the overview", func(id views.PaneID) bool { return id != textPane && id != views.Overview }}
	onQueue        = where{"the overview, the queue and its summary", func(id views.PaneID) bool {
		return id == views.Overview || id == views.QueuePane || id == views.PendingPane
	}}
	onLists      = where{"lists, pages of text and the help", scrolls}
	offLists     = where{"panes that do not scroll", func(id views.PaneID) bool { return !scrolls(id) }}
	onCells      = where{"devices", func(id views.PaneID) bool { return pane(id).HasCells() }}
	withoutCells = where{"all panes but the overview and devices", func(id views.PaneID) bool { return offOverview.in(id) && !onCells.in(id) }}
	onFilterable = where{"lists that can be filtered or sorted", func(id views.PaneID) bool { return pane(id).Filters() }}
	onPreviews   = where{"lists of pods and nodes", func(id views.PaneID) bool { return pane(id).Previews() }}
	onWhatIfs    = where{"what-ifs, as tables or played", func(id views.PaneID) bool { return id == views.WhatIfPane || id == views.OrreryPane }}
	onPods       = where{"panes with pods", func(id views.PaneID) bool { return id == views.Overview || pane(id).NamesPods() }}
	onNodes      = where{"panes with nodes", func(id views.PaneID) bool { return id == views.Overview || pane(id).NamesNodes() }}
)

// scrolls reports whether the keys that move a cursor do something in a pane.
func scrolls(id views.PaneID) bool { return id == textPane || pane(id).HasList() || pane(id).Scrolls() }

// pane returns the definition of a pane; for the overview and for pages of text it is empty.
func pane(id views.PaneID) *views.Pane {
	if p := views.PaneOf(id); p != nil {
		return p
	}
	return &views.Pane{}
}

// bindings is the key table. A key that means different things in different panes has a row for each.
var bindings []binding

// The tables name functions that read the tables, so init fills them.
func init() {
	bindings = slices.Concat(navigationBindings, viewBindings, timeBindings, inspectBindings, readBindings, clusterBindings, exportBindings)
	commands = allCommands()
}

// allPaneIDs are the overview, all panes, and the page of text.
func allPaneIDs() []views.PaneID {
	ids := []views.PaneID{views.Overview, textPane}
	for _, p := range views.Panes() {
		ids = append(ids, p.ID)
	}
	return ids
}

// paneWord names a pane in a sentence.
func paneWord(id views.PaneID) string {
	if id == views.Overview {
		return "the overview"
	}
	return string(id)
}

// UseKeys puts the user's own keys into the key table, and the user's own commands beside the others, and returns what takes them out again. The table is the program's, so this is done
// before a screen opens.
func UseKeys(s *Settings) (restore func(), err error) {
	table, err := s.ownBindings()
	if err != nil {
		return nil, err
	}
	wasBindings, wasCommands := bindings, commands
	bindings = table
	commands = sortedCommands(append(allCommands(), s.ownCommandsWithoutKey()...))
	return func() { bindings, commands = wasBindings, wasCommands }, nil
}

// worksOn reports whether the key works in a pane.
func (b *binding) worksOn(id views.PaneID) bool { return b.where.in(id) }

// disabledReason returns why the key does not work now; empty if it does.
func (b *binding) disabledReason(s *Screen) string {
	if b.disabled == nil {
		return ""
	}
	return b.disabled(s)
}

// bindingFor returns the row for a key in a pane; nil if there is none.
func bindingFor(pane views.PaneID, key string) *binding {
	for i := range bindings {
		if b := &bindings[i]; slices.Contains(b.keys, key) && b.worksOn(pane) {
			return b
		}
	}
	return nil
}

// helpGroups returns the keys that work in a pane, by group, and why those do not that change the cluster.
func helpGroups(pane views.PaneID, readOnly string) []views.KeyGroup {
	var all []views.KeyGroup
	for g := range groups {
		var keys []draw.Hint
		for i := range bindings {
			if b := &bindings[i]; b.group == g && b.worksOn(pane) {
				keys = append(keys, draw.Hint{Key: b.label, Action: b.long})
			}
		}
		if len(keys) == 0 {
			continue
		}
		named := views.KeyGroup{Name: groupNames[g], Keys: keys}
		if g == clusterKeys && readOnly != "" {
			named.Disabled = "read-only here: " + strings.TrimPrefix(readOnly, "read-only: ")
		}
		all = append(all, named)
	}
	return all
}

// press handles a key in the prompt, dialog, menu or pane that has the focus.
func (s *Screen) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	s.status, s.lastCommand = "", ""
	if s.closeStartCard(key) {
		return nil
	}
	if cmd, done := s.pressInTour(key); done {
		return cmd
	}
	switch {
	case key == "ctrl+c":
		return tea.Quit
	case s.prompt != nil:
		return s.prompt.press(s, msg)
	case s.menu != nil:
		return s.menu.press(s, key)
	case s.finder != nil:
		return s.finder.press(s, msg)
	case s.confirm != nil:
		return s.confirm.press(s, key)
	}
	return s.run(bindingFor(s.keyPane(), key), key)
}

// run runs the binding of a key, or shows why there is none or it is disabled.
func (s *Screen) run(b *binding, key string) tea.Cmd {
	if b == nil {
		s.setStatus(noBinding(key))
		return nil
	}
	if why := b.disabledReason(s); why != "" {
		s.setStatus(b.label + ": " + why)
		return nil
	}
	return b.run(s, b.acting(key))
}

// noBinding returns where a key works that does not work here.
func noBinding(key string) string {
	for i := range bindings {
		if b := &bindings[i]; slices.Contains(b.keys, key) {
			return key + ": " + b.notHere()
		}
	}
	return printable.Line(key, 20) + " is not a key; ? lists them"
}

// notHere returns where the key works.
func (b *binding) notHere() string { return "not here; it works in " + b.where.name }

// keyNames returns the keys of a row for the reference.
func keyNames(b *binding) string {
	names := make([]string, len(b.keys))
	for i, k := range b.keys {
		names[i] = "`" + k + "`"
	}
	return strings.Join(names, " ")
}
