package tui

import (
	"strconv"

	"charm.land/bubbles/v2/key"

	"orrery/core/safe/printable"
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/find"
)

// finderActions are what enter does with what was found.
var finderActions = map[find.Kind]string{
	find.Command: "run", find.Pane: "open", find.Pod: "journey", find.Node: "open", find.Owner: "its pods", find.Gang: "open", find.Claim: "open", find.DeviceClaim: "open",
	find.Namespace: "show only it", find.Mark: "go there", find.WhatIf: "open", find.Theme: "use", find.Context: "watch", find.Recording: "play",
}

// draw draws the finder over the panes.
func (f *finder) draw(a draw.Area) {
	const most, highest, lines = 110, 24, 5 // beside the matches: the frame, the typed line, a rule and the keys
	w, h := min(most, a.W-2), min(highest, a.H)
	at := a.In(draw.Rect{X: a.X + (a.W-w)/2, Y: a.Y + min((a.H-h)/4, 4), W: w, H: h})
	at.Fill(themes.Style(themes.Text), ' ')
	f.box = at.Rect
	f.pages.PerPage = max(h-lines, 1)
	f.pages.SetTotalPages(max(len(f.matches), 1))
	f.pages.Page = f.at / f.pages.PerPage
	title := "Find"
	if f.keysOnly {
		title = "Find a key or a command"
	}
	at = at.Box(draw.Frame{Title: title, Right: f.count(), Focused: true}).Padded()
	at.In(draw.Rect{X: at.X, Y: at.Y, W: at.W, H: 1}).Text(0, 0, themes.Accent.With(themes.Bold), "›")
	drawInput(at.Row(0), 2, &f.input)
	at.Repeat(0, 1, at.W, themes.Style(themes.Border), '─')
	_, rest := at.Top(2)
	foot, rest := at.In(rest).Bottom(1)
	if f.verbs != nil {
		f.verbs.draw(at.In(rest))
		at.In(foot).Hints([]draw.Hint{{Key: "enter", Action: "do it"}, {Key: "↑↓", Action: "choose"}, {Key: "esc", Action: "back"}})
		return
	}
	f.list = rest
	f.drawMatches(at.In(rest))
	f.drawKeys(at.In(foot))
}

// count says how many things are found, of how many.
func (f *finder) count() string {
	text := string(draw.AppendCount(nil, int64(f.total))) + " of " + string(draw.AppendCount(nil, int64(f.index.Len())))
	if f.reading {
		text += "…"
	}
	return text
}

// drawMatches draws a page of what is found.
func (f *finder) drawMatches(a draw.Area) {
	if len(f.matches) == 0 {
		a.Fit(2, 0, a.W-2, themes.Style(themes.Warn), "nothing is found by "+quoted(f.input.Value()))
		a.Fit(2, 1, a.W-2, themes.Style(themes.Dim), "the middle and the end of a name will do, and letters in their order")
		return
	}
	from, to := f.pages.GetSliceBounds(len(f.matches))
	name := 0
	for _, m := range f.matches[from:to] {
		name = max(name, draw.Width(m.Name))
	}
	for i := from; i < to; i++ {
		drawMatch(a.Item(i-from, i == f.at), &f.matches[i], min(name, (a.W-14)/2), i == f.at)
	}
}

// drawMatch draws one thing: its sign, its kind, its name with what the query matches, what is known of it, and its key.
func drawMatch(row draw.Area, m *find.Match, name int, selected bool) {
	const kind, right = 10, 13
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	if m.Glyph != 0 {
		row.Set(0, 0, themes.Style(m.Token), m.Glyph)
	}
	row.Fit(2, 0, kind-1, dim, m.Kind.String())
	x := 2 + kind
	row.FitFound(x, 0, name, text, themes.Accent.With(themes.Bold|themes.Underline), m.Name, m.Marks)
	x += name + 2
	end := row.W
	switch {
	case m.Shortcut != "":
		row.TextRight(end-right, 0, right, themes.Accent.With(themes.Bold), m.Shortcut)
		end -= draw.Width(m.Shortcut) + 2
	case selected:
		action := "enter " + finderActions[m.Kind]
		row.TextRight(end-draw.Width(action), 0, draw.Width(action), dim, action)
		end -= draw.Width(action) + 2
	}
	about := dim
	if m.Bad {
		about = themes.Style(m.Token)
	}
	row.Fit(x, 0, end-x, about, m.About)
}

// drawKeys draws the keys of the finder, and the page.
func (f *finder) drawKeys(a draw.Area) {
	k := &finderKeys
	var hints []draw.Hint
	more := k.verbs
	more.SetEnabled(f.selectedHasVerbs())
	for _, b := range []key.Binding{k.open, more, k.up, k.close} {
		if !b.Enabled() {
			continue
		}
		hints = append(hints, draw.Hint{Key: b.Help().Key, Action: b.Help().Desc})
	}
	a.Hints(hints)
	if f.pages.TotalPages > 1 {
		page := "page " + strconv.Itoa(f.pages.Page+1) + "/" + strconv.Itoa(f.pages.TotalPages)
		if f.total > len(f.matches) {
			page += ", " + strconv.Itoa(f.total-len(f.matches)) + " more"
		}
		a.TextRight(a.W-40, 0, 40, themes.Style(themes.Dim), page)
	}
}

// draw draws what can be done with the thing.
func (v *verbs) draw(a draw.Area) {
	_, v.rows = a.Top(1)
	a.FitPath(0, 0, a.W, themes.Title.With(themes.Bold), v.of.Kind.String()+" "+v.of.Name)
	for i, b := range v.list {
		row := a.Item(i+1, i == v.at)
		row.Fit(0, 0, 6, themes.Accent.With(themes.Bold), b.label)
		row.Fit(7, 0, row.W-7, themes.Style(themes.Text), b.name)
		row.Fit(18, 0, row.W-18, themes.Style(themes.Dim), printable.Text(b.long))
	}
}
