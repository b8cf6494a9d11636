package tui

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/paginator"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
	"orrery/views/find"
)

// finder finds anything by a part of its name: keys and commands, panes, and what the scheduler knows. It is open over the panes.
type finder struct {
	input textinput.Model
	// pages are those of the matches; at is the selected match.
	pages   paginator.Model
	at      int
	index   find.Index
	matches []find.Match
	total   int
	// keysOnly means that only keys, commands and panes are found: those of the pane below the help.
	keysOnly bool
	// reading means that the scheduler's objects are still to come, contexts that the names of contexts have.
	reading, contexts bool
	// box and list are where it was drawn.
	box, list draw.Rect
	// verbs are what can be done with the selected match, while that is asked for.
	verbs *verbs
}

// finderKeys are the keys of the finder; all others are typed.
var finderKeys = struct{ up, down, pageUp, pageDown, open, verbs, close key.Binding }{
	up:       key.NewBinding(key.WithKeys("up", "ctrl+p"), key.WithHelp("↑↓", "choose")),
	down:     key.NewBinding(key.WithKeys("down", "ctrl+n")),
	pageUp:   key.NewBinding(key.WithKeys("pgup", "ctrl+u")),
	pageDown: key.NewBinding(key.WithKeys("pgdown", "ctrl+d")),
	open:     key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "open")),
	verbs:    key.NewBinding(key.WithKeys("tab"), key.WithHelp("tab", "more")),
	close:    key.NewBinding(key.WithKeys("esc", "ctrl+k"), key.WithHelp("esc", "close")),
}

// thingsMsg are the objects that the scheduler knows.
type thingsMsg []find.Thing

// newInput makes the input of a line.
func newInput(text string) textinput.Model {
	input := textinput.New()
	input.KeyMap.Paste.SetEnabled(false) // it would run a program to read the clipboard; terminals paste by themselves
	input.CharLimit = 512
	input.SetValue(text)
	input.Focus()
	input.CursorEnd()
	return input
}

// openFinder opens the finder with a text. Over the help it finds keys and commands.
func (s *Screen) openFinder(text string) {
	f := &finder{input: newInput(text), pages: paginator.New(), keysOnly: s.keyPane() == views.HelpPane}
	f.pages.Type = paginator.Arabic
	s.finder = f
	f.index.Add(s.keyThings(), s.recent)
	if !f.keysOnly {
		f.index.Add(s.screenThings(), nil)
		f.contexts = len(s.contextNames) > 0
		f.reading = true
		s.submit(func(p *loop) {
			p.sendContexts()
			p.send(thingsMsg(collect.Things(p.source.Engine())))
		})
	}
	f.search()
}

// addThings adds the scheduler's objects to the open finder.
func (s *Screen) addThings(things []find.Thing) {
	f := s.finder
	if f == nil || !f.reading {
		return // it was closed meanwhile
	}
	f.reading = false
	f.index.Add(things, s.recent)
	f.search()
	s.dirty = true
}

// addContexts adds the names of contexts, which have come since the finder was opened, unless it has them.
func (s *Screen) addContexts() {
	if f := s.finder; f.reading && !f.contexts {
		f.contexts = true
		f.index.Add(contextThings(s.contextNames), nil)
	}
}

// search looks for what is typed.
func (f *finder) search() {
	f.matches, f.total = f.index.Find(f.input.Value())
	f.at = 0
}

// selected returns the selected match; nil if nothing matches.
func (f *finder) selected() *find.Thing {
	if f.at >= len(f.matches) {
		return nil
	}
	return f.matches[f.at].Thing
}

// move moves the cursor by some matches.
func (f *finder) move(by int) { f.at = max(min(f.at+by, len(f.matches)-1), 0) }

// press handles a key: it moves, opens, closes or types.
func (f *finder) press(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	k := &finderKeys
	switch {
	case f.verbs != nil:
		return f.verbs.press(s, msg)
	case key.Matches(msg, k.close), msg.String() == "backspace" && f.input.Value() == "":
		s.finder = nil
	case key.Matches(msg, k.up):
		f.move(-1)
	case key.Matches(msg, k.down):
		f.move(1)
	case key.Matches(msg, k.pageUp):
		f.move(-f.pages.PerPage)
	case key.Matches(msg, k.pageDown):
		f.move(f.pages.PerPage)
	case f.selected() == nil && (key.Matches(msg, k.open) || key.Matches(msg, k.verbs)):
		s.setStatus("nothing is found by " + quoted(f.input.Value()))
	case key.Matches(msg, k.open):
		return s.openFound(f.selected())
	case key.Matches(msg, k.verbs):
		f.verbs = s.verbsOf(f.selected())
	default:
		f.edit(msg)
	}
	return nil
}

// edit passes a key or a paste to the line.
func (f *finder) edit(msg tea.Msg) {
	was := f.input.Value()
	if f.input, _ = f.input.Update(msg); f.input.Value() != was {
		f.search()
	}
}
