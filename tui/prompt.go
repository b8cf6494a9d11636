package tui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/views"
)

// prompt is a line being typed: a filter after "/" or a command after ":".
type prompt struct {
	prefix string
	input  textinput.Model
	// problem is why the line does not parse; empty if it does.
	problem string
	// completions are the completions of the current word; chosen is the one that tab has inserted, -1 for none.
	completions []completion
	chosen      int
	typed       string // the line before tab
	// historyIndex is how far back in the history the line is from, draft what was typed before.
	historyIndex int
	draft        string
	previous     listSettings // restored when the filter is cancelled
}

// completion is one completion: the whole line with it, the text to show, and its help.
type completion struct{ line, text, help string }

func newPrompt(sign, text string) *prompt {
	p := &prompt{prefix: sign, input: textinput.New(), chosen: -1}
	p.input.KeyMap.Paste.SetEnabled(false) // it would run a program to read the clipboard; terminals paste by themselves
	p.input.CharLimit = 512
	p.input.SetValue(text)
	p.input.Focus()
	p.input.CursorEnd()
	return p
}

// startFilter opens the filter prompt for the list on the screen; on the overview, for that of the focused pane.
func (s *Screen) startFilter() {
	if len(s.navStack) == 1 {
		s.openPane(s.focus)
		if !pane(s.focus).Filters() {
			s.openPane(views.Overview)
			s.setStatus("/: this pane has no list to filter")
			return
		}
	}
	s.prompt = newPrompt("/", s.top().list.filter.String())
	s.prompt.previous = s.top().list
}

func (s *Screen) startCommand() {
	s.names = namesMsg{} // objects have come and gone since the last command
	s.prompt = newPrompt(":", "")
	s.complete()
}

// press handles a key: it edits, applies or cancels the line.
func (p *prompt) press(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch key := msg.String(); key {
	case "enter":
		s.prompt = nil
		if p.prefix == "/" {
			s.acceptFilter(p)
			return nil
		}
		s.history.commands.add(p.input.Value())
		return s.command(p.input.Value())
	case "esc":
		s.prompt = nil
		if p.prefix == "/" {
			s.setList(p.previous)
		}
		return nil
	case "tab", "shift+tab":
		p.cycle(key == "tab")
		return nil
	case "up", "down", "ctrl+p", "ctrl+n":
		s.recallHistory(key == "up" || key == "ctrl+p")
		return nil
	case "backspace":
		if p.input.Value() == "" { // as in vi: backspace on an empty line leaves the prompt
			return p.press(s, tea.KeyPressMsg{Code: tea.KeyEscape})
		}
	}
	s.edit(msg)
	return nil
}

// edit passes a key or paste to the line and updates the filter or the completions. It drops the command that would
// blink the line's own cursor; the drawn cursor does not blink.
func (s *Screen) edit(msg tea.Msg) {
	p := s.prompt
	was := p.input.Value()
	p.input, _ = p.input.Update(msg)
	if p.input.Value() == was {
		return
	}
	p.chosen, p.historyIndex = -1, 0
	s.typedLine()
}

// typedLine updates the completions of a command, or applies a filter if it parses.
func (s *Screen) typedLine() {
	p := s.prompt
	if p.prefix == ":" {
		s.complete()
		return
	}
	p.problem = ""
	if err := s.setFilter(p.input.Value()); err != nil {
		p.problem = err.Error()
	}
}

// acceptFilter keeps the typed filter. If that does not parse, the last one that did stays.
func (s *Screen) acceptFilter(p *prompt) {
	if p.problem != "" {
		s.setStatus("/: " + p.problem)
	}
	s.history.addFilter(s.top().list.filter)
}

func (p *prompt) set(line string) {
	p.input.SetValue(line)
	p.input.CursorEnd()
}

// cycle inserts the next completion; after the last comes what was typed.
func (p *prompt) cycle(on bool) {
	if len(p.completions) == 0 {
		return
	}
	if p.chosen < 0 {
		p.typed = p.input.Value()
	}
	n := len(p.completions) + 1
	step := 1
	if !on {
		step = n - 1
	}
	p.chosen = (p.chosen+1+step)%n - 1
	if p.chosen < 0 {
		p.set(p.typed)
		return
	}
	p.set(p.completions[p.chosen].line)
}

// paste inserts pasted text as one printable line.
func (s *Screen) paste(msg tea.PasteMsg) {
	if s.prompt != nil {
		s.edit(tea.PasteMsg{Content: printable.Line(msg.Content, 512)})
	}
}
