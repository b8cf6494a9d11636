package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

// View is the screen as text. While nothing has changed it is the very same text as before.
func (s *Screen) View() tea.View {
	if s.dirty && !s.awaited() {
		s.draw()
		s.view.Content = s.canvas.Render(s.inks)
		s.drawn++
	}
	s.view.MouseMode = tea.MouseModeNone
	if s.mouse {
		s.view.MouseMode = tea.MouseModeCellMotion
	}
	return s.view
}

// awaited tells whether what is to be drawn is on its way: what is on the screen may stay for so long, rather than an
// empty pane be seen for the blink of an eye.
func (s *Screen) awaited() bool {
	w, h := s.canvas.Size()
	return !s.fits() && s.frame != nil && s.drawn > 0 && w == s.w && h == s.h && s.prompt == nil && s.menu == nil && s.confirm == nil
}

// nothing is shown until the first frame is there.
var nothing = &Frame{Model: &views.Model{}}

// draw draws the screen onto the canvas.
func (s *Screen) draw() {
	s.dirty = false
	f := s.frame
	if f == nil {
		f = nothing
	}
	t := s.top()
	s.ui.Open, s.ui.Focus, s.ui.Zoomed, s.ui.Status = t.pane, s.focus, s.zoom, s.status
	if int(t.pane) < len(s.ui.Cursors) {
		s.ui.Cursors[t.pane] = t.cursor
	}
	s.ui.Filter, s.ui.Sort, s.ui.Reverse = s.scoped(t).String(), t.narrow.sort, t.narrow.reverse
	if n := f.Model.Narrowed; n != nil {
		s.ui.Matches, s.ui.Of = n.Matches, n.Of
	}
	s.ui.Hints = s.hints(s.w - 2 - s.footerTaken())
	if s.confirm != nil {
		s.ui.Hints = confirmHints
	}
	if t.pane == views.HelpPane {
		s.ui.Keys = help(s.trail[len(s.trail)-2].pane)
	}
	s.seen = views.Seen{}
	s.canvas.Reset(s.w, s.h)
	views.Screen(s.canvas, f.Model, &s.ui, s.options.Terminal.Glyphs, f.Now)
	if s.w < views.MinWidth || s.h < views.MinHeight {
		return
	}
	all := s.canvas.All(s.options.Terminal.Glyphs)
	if t.page != nil {
		body := all.In(s.body())
		body.Fill(themes.Style(themes.Text), ' ')
		s.drawPage(body)
	}
	if s.menu != nil {
		s.menu.draw(all.In(s.body()))
	}
	if s.confirm != nil {
		s.confirm.draw(all.In(s.body()))
	}
	if s.prompt != nil {
		s.drawPrompt(all)
	}
	t.cursor.First = s.seen.Window.First
}

// footerTaken is how many columns of the last line tell of the filter and the order of the list.
func (s *Screen) footerTaken() int {
	const numbers, sign = 20, 5
	taken := 0
	if s.ui.Filter != "" {
		taken += min(draw.Width(s.ui.Filter), s.w/3) + numbers
	}
	if s.ui.Sort != "" || s.ui.Reverse {
		taken += max(len(s.ui.Sort), len("in order")) + sign
	}
	return taken
}

// body is the screen without its first and last lines, and without the timeline.
func (s *Screen) body() draw.Rect {
	_, body := draw.Rect{W: s.w, H: s.h}.Top(1)
	_, body = body.Bottom(1)
	if s.frame != nil && s.frame.Model.Timeline != nil {
		_, body = body.Bottom(1)
	}
	return body
}

// drawPrompt draws the line that is being typed in place of the hints, and what it could become above it.
func (s *Screen) drawPrompt(a draw.Area) {
	p := s.prompt
	foot, _ := a.Bottom(1)
	line := a.In(foot)
	line.Fill(themes.Style(themes.Text), ' ')
	x := line.Text(1, 0, themes.Accent.With(themes.Bold), p.sign)
	text := []rune(p.input.Value())
	at := min(p.input.Position(), len(text))
	room := line.W - x - 24
	for draw.Width(string(text[:at])) > room && at > 0 { // what was typed first goes out of sight
		text, at = text[1:], at-1
	}
	x = line.Text(x, 0, themes.Style(themes.Text), string(text[:at]))
	under := " "
	if at < len(text) {
		under = string(text[at])
	}
	after := line.Text(x, 0, themes.Text.With(themes.Reverse), under)
	if at < len(text) {
		after = line.Fit(after, 0, room-after, themes.Style(themes.Text), string(text[at+1:]))
	}
	s.drawAside(line, after+2)
	if p.sign == ":" && len(p.offers) > 0 {
		drawOffers(a.In(s.body()), p)
	}
}

// drawAside says, behind what is typed, what came of it.
func (s *Screen) drawAside(line draw.Area, x int) {
	p := s.prompt
	switch {
	case p.wrong != "":
		line.Fit(x, 0, line.W-x-1, themes.Style(themes.Bad), "✗ "+p.wrong)
	case p.sign == "/" && s.top().narrow.on():
		x = line.Count(x, 0, themes.Style(themes.Text), int64(s.ui.Matches))
		x = line.Text(x, 0, themes.Style(themes.Dim), " of ")
		x = line.Count(x, 0, themes.Style(themes.Text), int64(s.ui.Of))
		line.Fit(x+3, 0, line.W-x-4, themes.Style(themes.Dim), "enter keeps it, esc gives it up")
	case p.sign == "/" && p.input.Value() == "":
		line.Fit(x, 0, line.W-x-1, themes.Style(themes.Dim), "word  !word  -l app=web  -n namespace  ~fuzzy")
	case p.sign == ":":
		line.Fit(x, 0, line.W-x-1, themes.Style(themes.Dim), "tab completes, enter does it, esc gives it up")
	}
}

// drawOffers is the list of what the line could become.
func drawOffers(a draw.Area, p *prompt) {
	const width = 72
	h := min(len(p.offers)+2, a.H)
	bottom, _ := a.Bottom(h)
	box, _ := bottom.Left(min(width, a.W))
	at := a.In(box)
	at.Fill(themes.Style(themes.Text), ' ')
	at = at.Box(draw.Frame{Border: themes.Border, Title: "commands"})
	name := 12
	for _, o := range p.offers {
		name = max(name, draw.Width(o.text))
	}
	name = min(name, at.W-4)
	for i, o := range p.offers {
		row := at.Item(i, i == p.offered)
		row.Fit(0, 0, name, themes.Style(themes.Accent), o.text)
		row.Fit(name+2, 0, row.W-name-2, themes.Style(themes.Dim), o.does)
	}
}
