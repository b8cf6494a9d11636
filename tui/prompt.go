package tui

import (
	"slices"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"orrery/core/printable"
)

// prompt is a line that is being typed: a filter behind "/" or a command behind ":".
type prompt struct {
	sign  string
	input textinput.Model
	// wrong says why what stands there cannot be understood.
	wrong string
	// offers are what the word that is being typed could become, offered is the one that tab has put there, -1 for none.
	offers  []offer
	offered int
	typed   string // what stood there before tab
	// recalled is how far back in the history the line is from.
	recalled int
	before   narrowing // to go back to when the filter is given up
}

// offer is one completion: the whole line with it, what to show, and what it means.
type offer struct{ line, text, does string }

// history is what was typed earlier, the last one last.
type history struct {
	commands []string
	filter   string
}

// mostRecalled is how many commands the history holds.
const mostRecalled = 100

func (h *history) add(line string) {
	if line == "" {
		return
	}
	h.commands = slices.DeleteFunc(h.commands, func(c string) bool { return c == line })
	h.commands = append(h.commands, line)
	h.commands = h.commands[max(len(h.commands)-mostRecalled, 0):]
}

func newPrompt(sign, text string) *prompt {
	p := &prompt{sign: sign, input: textinput.New(), offered: -1}
	p.input.KeyMap.Paste.SetEnabled(false) // it would run a program to read the clipboard; terminals paste by themselves
	p.input.CharLimit = 512
	p.input.SetValue(text)
	p.input.Focus()
	p.input.CursorEnd()
	return p
}

// startFilter begins to narrow the list on the screen; from the overview, that of the pane with the focus.
func (s *Screen) startFilter() {
	if len(s.trail) == 1 {
		s.jump(s.focus)
		if !slices.Contains(narrowed, s.focus) {
			s.jump(0)
			s.say("/: this pane has no list to narrow")
			return
		}
	}
	s.prompt = newPrompt("/", s.top().narrow.filter.String())
	s.prompt.before = s.top().narrow
}

func (s *Screen) startCommand() {
	s.prompt = newPrompt(":", "")
	s.complete()
}

// press edits the line, takes it, or gives it up.
func (p *prompt) press(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch key := msg.String(); key {
	case "enter":
		s.prompt = nil
		if p.sign == "/" {
			s.filtered(p)
			return nil
		}
		s.words.add(p.input.Value())
		return s.command(p.input.Value())
	case "esc":
		s.prompt = nil
		if p.sign == "/" {
			s.narrowTo(p.before)
		}
		return nil
	case "tab", "shift+tab":
		p.cycle(key == "tab")
		return nil
	case "up", "down":
		s.recall(key == "up")
		return nil
	case "backspace":
		if p.input.Value() == "" { // as in vi: nothing left to take away leaves
			return p.press(s, tea.KeyPressMsg{Code: tea.KeyEscape})
		}
	}
	s.edit(msg)
	return nil
}

// edit hands what was typed or pasted to the line, and does what follows from it. The command that comes back would have
// the line's own cursor blink; the one that is drawn does not.
func (s *Screen) edit(msg tea.Msg) {
	p := s.prompt
	was := p.input.Value()
	p.input, _ = p.input.Update(msg)
	if p.input.Value() == was {
		return
	}
	p.offered, p.recalled = -1, 0
	if p.sign == ":" {
		s.complete()
		return
	}
	p.wrong = ""
	if err := s.filterTo(p.input.Value()); err != nil {
		p.wrong = err.Error()
	}
}

// filtered keeps the filter that was typed. One that cannot be understood leaves the last that could.
func (s *Screen) filtered(p *prompt) {
	if p.wrong != "" {
		s.say("/: " + p.wrong)
	}
	if f := s.top().narrow.filter; f != nil {
		s.words.filter = f.String()
	}
}

// recall brings back an earlier command, or a later one.
func (s *Screen) recall(earlier bool) {
	p := s.prompt
	if p.sign != ":" {
		return
	}
	at := p.recalled - 1
	if earlier {
		at = p.recalled + 1
	}
	if at < 0 || at > len(s.words.commands) {
		return
	}
	p.recalled = at
	line := ""
	if at > 0 {
		line = s.words.commands[len(s.words.commands)-at]
	}
	p.set(line)
	s.complete()
}

func (p *prompt) set(line string) {
	p.input.SetValue(line)
	p.input.CursorEnd()
}

// cycle puts the next offer into the line; after the last comes what was typed.
func (p *prompt) cycle(on bool) {
	if len(p.offers) == 0 {
		return
	}
	if p.offered < 0 {
		p.typed = p.input.Value()
	}
	n := len(p.offers) + 1
	step := 1
	if !on {
		step = n - 1
	}
	p.offered = (p.offered+1+step)%n - 1
	if p.offered < 0 {
		p.set(p.typed)
		return
	}
	p.set(p.offers[p.offered].line)
}

// paste types what was pasted, made one printable line.
func (s *Screen) paste(msg tea.PasteMsg) {
	if s.prompt != nil {
		s.edit(tea.PasteMsg{Content: printable.Line(msg.Content, 512)})
	}
}
