package tui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/views"
	"orrery/views/draw"
)

// promptKind is what a line is typed for.
type promptKind uint8

const (
	commandPrompt promptKind = iota // after ":"
	filterPrompt                    // after "/", where rows can be filtered
	searchPrompt                    // after "/", where there is a text, or rows that cannot be filtered
	// deafPrompt is after "/" where there is neither: it takes what is typed, so that the letters do not run as commands.
	deafPrompt
	// finderPrompt is after "/" where it finds anything: on the overview, and keys in the help. The finder has its own line.
	finderPrompt
)

// sign returns the key that opened the prompt.
func (k promptKind) sign() string {
	if k == commandPrompt {
		return ":"
	}
	return "/"
}

// prompt is a line being typed.
type prompt struct {
	kind  promptKind
	input textinput.Model
	// problem is why the line does not parse, or why it failed; empty if it does neither.
	problem string
	// completions are the completions of the current word; chosen is the one that tab has inserted, -1 for none.
	completions []completion
	chosen      int
	list        draw.Rect // where they were drawn
	typed       string    // the line before tab
	// historyIndex is how far back in the history the line is from, draft what was typed before.
	historyIndex int
	draft        string
	before       navEntry // restored when the filter or the search is cancelled
}

// completion is one completion: the whole line with it, the text to show, and its help.
type completion struct{ line, text, help string }

func newPrompt(kind promptKind, text string) *prompt {
	return &prompt{kind: kind, input: newInput(text), chosen: -1}
}

// slash returns what "/" opens here.
func (s *Screen) slash() promptKind {
	open := s.top().pane
	switch p := pane(open); {
	case s.menu != nil:
		return deafPrompt
	case s.keyPane() == views.Overview, s.keyPane() == views.HelpPane:
		return finderPrompt
	case s.top().page != nil:
		return searchPrompt
	case open == views.ExplainPane && !s.top().onNodes:
		return searchPrompt
	case p.Filters():
		return filterPrompt
	case p.HasList(), p.Scrolls():
		return searchPrompt
	}
	return deafPrompt
}

// startSlash opens the prompt of "/", or the finder.
func (s *Screen) startSlash() {
	kind := s.slash()
	if kind == finderPrompt {
		s.openFinder("")
		return
	}
	text := ""
	if kind == filterPrompt {
		text = s.top().list.filter.String()
	}
	s.prompt = newPrompt(kind, text)
	s.prompt.before = *s.top()
}

func (s *Screen) startCommand() {
	s.names = namesMsg{} // objects have come and gone since the last command
	s.prompt = newPrompt(commandPrompt, "")
	s.complete()
}

// press handles a key: it edits, applies or cancels the line.
func (p *prompt) press(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch key := msg.String(); key {
	case "enter":
		return p.accept(s)
	case "esc":
		p.cancel(s)
		return nil
	case "tab", "shift+tab":
		p.cycle(key == "tab")
		return nil
	case "up", "down", "ctrl+p", "ctrl+n":
		s.recallHistory(key == "up" || key == "ctrl+p")
		return nil
	case "backspace":
		if p.input.Value() == "" { // as in vi: backspace on an empty line leaves the prompt
			p.cancel(s)
			return nil
		}
	}
	s.edit(msg)
	return nil
}

// accept runs a command, or keeps a filter or a search. The prompt of what fails stays open, with what was typed.
func (p *prompt) accept(s *Screen) tea.Cmd {
	line := p.input.Value()
	switch {
	case p.kind == commandPrompt:
		s.prompt, s.lastCommand = nil, line
		s.history.commands.add(line)
		return s.command(line)
	case p.problem != "":
		return nil
	case p.kind == filterPrompt:
		s.history.addFilter(s.top().list.filter)
	case p.kind == searchPrompt && line == "":
		p.cancel(s) // the search of before stays
	case p.kind == searchPrompt:
		s.history.searches.add(line)
	}
	s.prompt = nil
	return nil
}

// cancel closes the prompt, and undoes what was typed.
func (p *prompt) cancel(s *Screen) {
	s.prompt = nil
	switch p.kind {
	case filterPrompt:
		s.setList(p.before.list)
	case searchPrompt:
		*s.top() = p.before
	}
}

// fail shows why what was asked for cannot be done. A command that was typed is offered again, until the next key.
func (s *Screen) fail(text string) {
	if s.lastCommand == "" || s.prompt != nil || s.menu != nil || s.confirm != nil {
		s.setStatus(text)
		return
	}
	s.prompt = newPrompt(commandPrompt, s.lastCommand)
	s.prompt.problem = text
	s.status, s.dirty = "", true
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

// typedLine updates the completions of a command, or applies a filter if it parses, or searches.
func (s *Screen) typedLine() {
	p := s.prompt
	p.problem = ""
	switch p.kind {
	case commandPrompt:
		s.complete()
	case filterPrompt:
		if err := s.setFilter(p.input.Value()); err != nil {
			p.problem = err.Error()
		}
	case searchPrompt:
		s.searchFor(p.input.Value())
	}
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
	line := tea.PasteMsg{Content: printable.Line(msg.Content, 512)}
	switch {
	case s.prompt != nil:
		s.edit(line)
	case s.finder != nil && s.finder.verbs == nil:
		s.finder.edit(line)
	}
}
