package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/views"
	"orrery/views/draw"
)

// mouseOver handles the mouse while something is open over the panes, and reports whether something is. As in lists, a click selects and a click on
// what is selected takes it; one beside a dialog or a menu closes it.
func (s *Screen) mouseOver(msg tea.MouseMsg) (cmd tea.Cmd, open bool) {
	m := msg.Mouse()
	_, clicked := msg.(tea.MouseClickMsg)
	clicked = clicked && m.Button == tea.MouseLeft
	switch {
	case s.prompt != nil:
		if clicked {
			cmd = s.clickPrompt(m.X, m.Y)
		}
	case s.menu != nil:
		if clicked {
			cmd = s.menu.click(s, m.X, m.Y)
		}
	case s.finder != nil:
		cmd = s.finder.mouse(s, msg)
	case s.confirm != nil:
		if clicked {
			cmd = s.confirm.click(s, m.X, m.Y)
		}
	default:
		return nil, false
	}
	return cmd, true
}

// click selects a button, or takes the selected one. A click beside the dialog cancels, as any key does that is not its own.
func (c *confirmation) click(s *Screen, x, y int) tea.Cmd {
	for i, button := range c.buttons {
		switch acts := i == 1; {
		case !contains(button, x, y):
		case acts && !c.act:
			return c.press(s, "right")
		case acts:
			return c.press(s, "enter")
		default:
			return c.press(s, "esc")
		}
	}
	if contains(c.box, x, y) {
		return nil
	}
	return c.press(s, "esc")
}

// click selects an item of the menu, or tries the selected one.
func (m *menu) click(s *Screen, x, y int) tea.Cmd {
	at := m.first + y - m.list.Y
	switch {
	case !contains(m.box, x, y):
		s.menu = nil
	case !contains(m.list, x, y) || at >= len(m.items) || m.items[at].key == "":
	case at == m.at:
		return m.choose(s, at)
	default:
		m.at = at
	}
	return nil
}

// clickPrompt takes a completion of the command line, and runs the line if it has been taken already.
func (s *Screen) clickPrompt(x, y int) tea.Cmd {
	p := s.prompt
	at := y - p.list.Y
	if p.kind != commandPrompt || !contains(p.list, x, y) || at >= len(p.completions) {
		return nil
	}
	if at == p.chosen {
		return p.press(s, tea.KeyPressMsg{Code: tea.KeyEnter})
	}
	if p.chosen < 0 {
		p.typed = p.input.Value()
	}
	p.chosen = at
	p.set(p.completions[at].line)
	return nil
}

// click selects a verb, or runs the selected one.
func (v *verbs) click(s *Screen, x, y int) tea.Cmd {
	at := y - v.rows.Y
	switch {
	case !contains(v.rows, x, y) || at >= len(v.list):
	case at == v.at:
		return v.run(s, v.list[at])
	default:
		v.at = at
	}
	return nil
}

// clickTitle opens the pane of the overview whose title is at a place, and reports whether there is one. The title of an open pane goes back.
func (s *Screen) clickTitle(x, y int) bool {
	if !s.onOverview() {
		body := s.body()
		if s.zoom || !contains(draw.Rect{X: body.X, Y: body.Y, W: min(body.W, titleWidth), H: 1}, x, y) {
			return false
		}
		s.leave(false)
		s.pop()
		return true
	}
	for _, spot := range views.LayoutOf(s.body(), s.model()) {
		title := draw.Rect{X: spot.Rect.X, Y: spot.Rect.Y, W: min(spot.Rect.W, titleWidth), H: 1}
		if contains(title, x, y) {
			s.focus, s.row = spot.Pane, overviewCursor{}
			s.openPane(spot.Pane)
			return true
		}
	}
	return false
}

// titleWidth is as much of a border as counts as its title.
const titleWidth = 20
