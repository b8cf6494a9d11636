package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/core/printable"
	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

// menu is what can be tried of the selected pod or node, or of both where there are both.
type menu struct {
	items []choice
	at    int
	first int
}

// choice is a change to try. One that wants an amount or a name is finished on the command line. One without a key is the
// heading of those below it.
type choice struct {
	key, label, change string
	unfinished         bool
}

// openMenu offers the changes that can be made of what is selected.
func (s *Screen) openMenu() {
	m := &menu{}
	node, hasNode := s.selectedNode()
	pod, hasPod := s.selectedPod()
	if hasNode && s.top().pane == views.NodePane {
		m.items = nodeChoices(node, s.cordoned(node))
	}
	if hasPod {
		m.items = append(m.items, podChoices(pod.String())...)
	}
	if hasNode && s.top().pane != views.NodePane {
		m.items = append(m.items, nodeChoices(node, s.cordoned(node))...)
	}
	m.at = 1
	s.menu = m
}

func nodeChoices(node string, cordoned bool) []choice {
	cordon := choice{key: "c", label: "cordon it", change: "cordon " + node}
	if cordoned {
		cordon = choice{key: "c", label: "uncordon it", change: "uncordon " + node}
	}
	return []choice{
		{label: "node " + printable.Text(node)},
		cordon,
		{key: "d", label: "drain it", change: "drain " + node},
		{key: "a", label: "add one like it", change: "add 1 node like " + node},
		{key: "3", label: "add three like it", change: "add 3 nodes like " + node},
		{key: "D", label: "delete it", change: "delete node " + node},
		{key: "T", label: "taint it …", change: "taint " + node + " ", unfinished: true},
		{key: "U", label: "take a taint off it …", change: "untaint " + node + " ", unfinished: true},
	}
}

func podChoices(pod string) []choice {
	return []choice{
		{label: "pod " + printable.Text(pod)},
		{key: "x", label: "delete it", change: "delete pod " + pod},
		{key: "r", label: "change what it asks for …", change: "requests " + pod + " cpu=", unfinished: true},
		{key: "p", label: "change its priority …", change: "priority " + pod + " ", unfinished: true},
		{key: "n", label: "scale its owner …", change: "scale " + pod + " ", unfinished: true},
		{key: "f", label: "change its profile …", change: "profile " + pod + " ", unfinished: true},
		{key: "t", label: "have it tolerate a taint …", change: "tolerate " + pod + " ", unfinished: true},
		{key: "g", label: "take its gates away", change: "ungate " + pod},
	}
}

// cordoned tells whether the frame shows a node as cordoned.
func (s *Screen) cordoned(node string) bool {
	m := s.frame.Model
	switch {
	case m.Node != nil && m.Node.Row.Key == node:
		return m.Node.Row.Flags&views.Cordoned != 0
	case m.Snapshot != nil:
		for i := range m.Snapshot.List.Rows {
			if r := &m.Snapshot.List.Rows[i]; r.Key == node {
				return r.Flags&views.Cordoned != 0
			}
		}
	}
	return false
}

// press chooses, or leaves.
func (m *menu) press(s *Screen, key string) tea.Cmd {
	switch key {
	case "esc", "q", "w":
		s.menu = nil
		return nil
	case "down", "j", "tab":
		m.move(1)
		return nil
	case "up", "k", "shift+tab":
		m.move(len(m.items) - 1)
		return nil
	case "enter", "space":
		return m.choose(s, m.at)
	}
	for i, c := range m.items {
		if c.key == key {
			return m.choose(s, i)
		}
	}
	return nil
}

// move goes on by so many items, round and round, and past headings.
func (m *menu) move(by int) {
	m.at = (m.at + by) % len(m.items)
	if m.items[m.at].key == "" {
		m.at = (m.at + by) % len(m.items)
	}
}

func (m *menu) choose(s *Screen, i int) tea.Cmd {
	s.menu = nil
	c := m.items[i]
	if !c.unfinished {
		return s.commandWhatIf(c.change)
	}
	s.prompt = newPrompt(":", "whatif "+c.change)
	s.complete()
	return nil
}

// draw draws the menu in the middle of an area.
func (m *menu) draw(a draw.Area) {
	const least, frame = 48, 4
	w := least
	for _, c := range m.items {
		w = max(w, draw.Width(c.label)+10)
	}
	w, h := min(w, a.W), min(len(m.items)+frame, a.H)
	at := a.In(draw.Rect{X: a.X + (a.W-w)/2, Y: a.Y + (a.H-h)/3, W: w, H: h})
	at.Fill(themes.Style(themes.Text), ' ')
	at = at.Box(draw.Frame{Title: "What if …", Border: themes.Nominated})
	foot, rest := at.Bottom(2)
	list := at.In(rest)
	shown := draw.Visible(len(m.items), list.H, m.first, m.at)
	m.first = shown.First
	for i := range shown.Count {
		c := &m.items[shown.First+i]
		if c.key == "" {
			row := list.Row(i)
			row.FitPath(1, 0, row.W-2, themes.Title.With(themes.Bold), c.label)
			continue
		}
		row := list.Item(i, shown.First+i == m.at)
		row.Fit(0, 0, 3, themes.Accent.With(themes.Bold), c.key)
		row.Fit(3, 0, row.W-4, themes.Style(themes.Text), c.label)
	}
	list.Scrollbar(shown, len(m.items))
	at.In(foot).Fit(1, 1, at.W-2, themes.Style(themes.Dim), "enter tries it on a copy · esc leaves")
}
