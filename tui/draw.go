package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

// View draws the screen if it has changed. Bubble Tea gets the terminal modes and a blank view: the cells reach the
// terminal through show.
func (s *Screen) View() tea.View {
	if s.dirty && !s.waitingForFrame() {
		s.draw()
		s.show(s.canvas, s.pens)
		s.draws++
	}
	s.view.MouseMode, s.view.WindowTitle = tea.MouseModeNone, s.title
	if s.mouse {
		s.view.MouseMode = tea.MouseModeCellMotion
	}
	return s.view
}

// waitingForFrame reports whether the frame of the open pane is still to come: the last drawing then stays, so that no
// empty pane flashes.
func (s *Screen) waitingForFrame() bool {
	w, h := s.canvas.Size()
	return !s.frameMatches() && s.frame != nil && s.draws > 0 && w == s.w && h == s.h && s.prompt == nil && s.menu == nil && s.confirm == nil && s.finder == nil
}

// emptyFrame is drawn until the first frame arrives.
var emptyFrame = &Frame{Model: &views.Model{}}

// draw draws the screen onto the canvas.
func (s *Screen) draw() {
	s.dirty = false
	f := s.frame
	if f == nil {
		f = emptyFrame
	}
	t := s.top()
	s.state.Open, s.state.Focus, s.state.Zoomed, s.state.Status = t.pane, s.focus, s.zoom, s.status
	s.state.Cursor, s.state.Fix, s.state.Scroll, s.state.OnNodes = t.cursor, t.fix, t.scroll, t.onNodes
	s.state.Cell, s.state.Preview, s.state.Marked = t.cell, s.previews(), t.markedKeys()
	s.state.Offsets = s.offsets()
	s.state.Watched = s.watches.keys()
	s.state.Filter, s.state.Sort, s.state.Reverse = s.effectiveFilter(t).String(), t.list.sort, t.list.reverse
	s.state.Scoped, s.state.Namespace = !t.list.on(), s.namespace
	s.describeSearch(&s.state)
	if n := f.Model.Filtered; n != nil {
		s.state.Matches, s.state.Of = n.Matches, n.Of
	}
	s.state.Hints = s.hints(s.w - 2 - s.footerWidth())
	if s.confirm != nil {
		s.state.Hints = confirmHints
	}
	if t.pane == views.HelpPane {
		below := s.navStack[len(s.navStack)-2].pane
		s.state.Keys = helpOf(below, s.readOnlyIn(below))
	}
	s.drawScreen(f)
	if s.onOverview() && s.followRow() {
		s.drawScreen(f)
	}
	if s.w < views.MinWidth || s.h < views.MinHeight {
		return
	}
	all := s.canvas.All(s.options.Terminal.Glyphs)
	if t.page != nil {
		body := all.In(s.body())
		body.Fill(themes.Style(themes.Text), ' ')
		s.drawPage(body)
	}
	if t.search != nil {
		all.In(s.body()).Highlight(t.search.text)
	}
	if s.menu != nil {
		s.menu.draw(all.In(s.body()))
	}
	if s.finder != nil {
		s.finder.draw(all.In(s.body()))
	}
	if s.confirm != nil {
		s.confirm.draw(all.In(s.body()))
	}
	if s.startCard && f.Model.Timeline != nil {
		s.drawStartCard(all.In(s.body()))
	}
	if s.tour != nil {
		s.drawTour(all.In(s.body()))
	}
	if s.prompt != nil {
		s.drawPrompt(all)
	}
	t.cursor.First = s.hits.Window.First
	if s.hits.TextRows > 0 {
		t.scroll = s.hits.Text.First
	}
}

// drawScreen draws the panes of a frame.
func (s *Screen) drawScreen(f *Frame) {
	s.hits = views.HitMap{Rows: s.hits.Rows[:0], Heads: s.hits.Heads[:0], Hints: s.hits.Hints[:0]}
	s.state.Row = s.row.key
	s.canvas.Reset(s.w, s.h)
	views.Screen(s.canvas, f.Model, &s.state, s.options.Terminal.Glyphs, f.Now)
}

// footerWidth returns how many columns of the last line show the list's filter and sort order.
func (s *Screen) footerWidth() int {
	const numbers, sign = 20, 5
	taken := 0
	if s.state.Filter != "" {
		taken += min(draw.Width(s.state.Filter), s.w/3) + numbers
	}
	if s.state.Search != "" {
		taken += min(draw.Width(s.state.Search), s.w/3) + numbers
	}
	if s.state.Sort != "" || s.state.Reverse {
		taken += max(len(s.state.Sort), len("in order")) + sign
	}
	return taken
}

// body returns the part of the screen that the panes have.
func (s *Screen) body() draw.Rect {
	return views.Body(draw.Rect{W: s.w, H: s.h}, s.model())
}

// model returns the model of the frame; an empty one before the first.
func (s *Screen) model() *views.Model {
	if s.frame == nil {
		return emptyFrame.Model
	}
	return s.frame.Model
}

// drawPrompt draws the prompt in place of the hints, and its completions above it.
func (s *Screen) drawPrompt(a draw.Area) {
	p := s.prompt
	foot, _ := a.Bottom(1)
	line := a.In(foot)
	line.Fill(themes.Style(themes.Text), ' ')
	x := line.Text(1, 0, themes.Accent.With(themes.Bold), p.kind.sign())
	s.drawPromptHint(line, drawInput(line, x, &p.input)+2)
	switch body := a.In(s.body()); {
	case p.kind == commandPrompt && p.problem != "":
		drawProblem(body, p.problem)
	case p.kind == commandPrompt && len(p.completions) > 0:
		drawCompletions(body, p)
	}
}

// drawInput draws a line that is typed, with its cursor, and returns the column after it.
func drawInput(line draw.Area, x int, input *textinput.Model) int {
	text := []rune(input.Value())
	at := min(input.Position(), len(text))
	room := line.W - x - 24
	for draw.Width(string(text[:at])) > room && at > 0 { // the start of a long line scrolls out of sight
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
	return after
}

// drawPromptHint draws the error or the match count behind the typed text.
func (s *Screen) drawPromptHint(line draw.Area, x int) {
	p := s.prompt
	dim := themes.Style(themes.Dim)
	hint := func(text string) { line.Fit(x, 0, line.W-x-1, dim, text) }
	switch {
	case p.kind == deafPrompt:
		line.Fit(x, 0, line.W-x-1, themes.Style(themes.Warn), "nothing to filter or search here · enter or esc closes this")
	case p.kind == searchPrompt && s.state.Search != "":
		x = views.SearchCount(line, x, &s.state) + 3
		hint("enter keep · esc cancel")
	case p.kind == searchPrompt:
		hint("a text to find, in any case")
	case p.kind == filterPrompt && p.problem != "":
		line.Fit(x, 0, line.W-x-1, themes.Style(themes.Bad), "✗ "+p.problem)
	case p.kind == filterPrompt && s.top().list.on():
		x = line.Count(x, 0, themes.Style(themes.Text), int64(s.state.Matches))
		x = line.Text(x, 0, dim, " of ")
		x = line.Count(x, 0, themes.Style(themes.Text), int64(s.state.Of)) + 3
		hint("enter apply · esc cancel")
	case p.kind == filterPrompt && p.input.Value() == "":
		hint("word  !word  -l app=web  -n namespace  ~fuzzy")
	case p.kind == commandPrompt:
		hint("tab complete · enter run · esc cancel")
	}
}

// drawProblem draws why a command failed, above the line that it was typed on.
func drawProblem(a draw.Area, problem string) {
	const most, frame = 4, 2
	text := themes.Style(themes.Text)
	rows := a.Scrolled(most, most).Wrap(0, 0, a.W-frame-3, most, text, problem) // above the area, where nothing is drawn
	bottom, _ := a.Bottom(min(rows+frame, a.H))
	at := a.In(bottom)
	at.Fill(text, ' ')
	at = at.Box(draw.Frame{Border: themes.Bad})
	at.Set(0, 0, themes.Bad.With(themes.Bold), '✗')
	at.Wrap(2, 0, at.W-3, most, text, problem)
}

// completedThing says what the completions are: commands, or what may follow the typed one.
func completedThing(p *prompt) string {
	if p.kind != commandPrompt {
		return "names"
	}
	word, _, argument := strings.Cut(p.input.Value(), " ")
	if !argument {
		return "commands"
	}
	return "after :" + printable.Line(word, 30)
}

// drawCompletions draws the list of completions.
func drawCompletions(a draw.Area, p *prompt) {
	const width = 72
	h := min(len(p.completions)+2, a.H)
	bottom, _ := a.Bottom(h)
	box, _ := bottom.Left(min(width, a.W))
	at := a.In(box)
	at.Fill(themes.Style(themes.Text), ' ')
	at = at.Box(draw.Frame{Border: themes.Border, Title: completedThing(p)})
	name := 12
	for _, o := range p.completions {
		name = max(name, draw.Width(o.text))
	}
	name = min(name, at.W-4)
	p.list = at.Rect
	for i, o := range p.completions {
		row := at.Item(i, i == p.chosen)
		row.Fit(0, 0, name, themes.Style(themes.Accent), o.text)
		row.Fit(name+2, 0, row.W-name-2, themes.Style(themes.Dim), o.help)
	}
}
