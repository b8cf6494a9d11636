package tui

import (
	"fmt"
	"strings"

	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/themes"
	"orrery/views/draw"
)

// page is a text to read.
type page struct {
	title string
	lines []string
	// plain means that it is no YAML, and copied what y copies in place of the lines. It begins at its end if atEnd says so.
	plain, atEnd bool
	copied       string
}

// pageMsg opens a page.
type pageMsg struct{ page *page }

// describe opens what is selected, as the scheduler knows it, as YAML.
func (s *Screen) describe() {
	object, is := s.selectedObject()
	if !is {
		object = objectRef{kind: world.Node}
		if s.selectionIsNode() {
			object.name, _ = s.selectedNode()
		} else {
			pod, _ := s.selectedPod()
			object = objectRef{world.Pod, pod.Namespace, pod.Name}
		}
	}
	s.submit(func(p *loop) {
		title := strings.ToLower(string(object.kind[:1])) + object.String()[1:]
		o := p.source.Engine().Store().Object(object.kind, object.namespace, object.name)
		if o == nil {
			p.reportError(fmt.Errorf("there is no %s at this moment", printable.Line(title, 120)))
			return
		}
		text, err := printable.YAML(o)
		if err != nil {
			p.reportError(fmt.Errorf("writing %s as YAML: %w", title, err))
			return
		}
		p.send(pageMsg{&page{title: printable.Line(title, 200), lines: printableLines(fmt.Sprintf("apiVersion: %v\nkind: %s\n%s", object.kind.Resource().GroupVersion(), object.kind, text))}})
	})
}

func printableLines(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		lines[i] = line[:indent] + printable.Text(line[indent:])
	}
	return lines
}

// openPage opens a page over the current pane.
func (s *Screen) openPage(p *page) {
	below := *s.top()
	s.push(navEntry{pane: below.pane, pod: below.pod, node: below.node, list: below.list, page: p})
	if p.atEnd {
		s.top().cursor.Selected = len(p.lines) - 1
	}
}

// drawPage draws a page in place of the panes. The cursor marks a line as in a list, and scrolls the page.
func (s *Screen) drawPage(a draw.Area) {
	t := s.top()
	if !s.zoom {
		a = a.Box(draw.Frame{Title: t.page.title, Right: plural.Count(len(t.page.lines), "line"), Focused: true, Border: themes.Border}).Padded()
	}
	w := draw.Visible(len(t.page.lines), a.H, t.cursor.First, t.cursor.Selected)
	s.hits.List, s.hits.Window, s.hits.Total = a.Rect, w, len(t.page.lines)
	for i := range w.Count {
		row := a.Item(i, w.First+i == t.cursor.Selected)
		line := t.page.lines[w.First+i]
		key, rest, found := strings.Cut(line, ":")
		if !found || t.page.plain || strings.ContainsAny(key, "\"'") {
			row.Fit(0, 0, row.W, themes.Style(themes.Text), line)
			continue
		}
		x := row.Fit(0, 0, row.W, themes.Style(themes.Accent), key)
		x = row.Fit(x, 0, row.W-x, themes.Style(themes.Dim), ":")
		row.Fit(x, 0, row.W-x, themes.Style(themes.Text), rest)
	}
	a.Scrollbar(w, len(t.page.lines))
}
