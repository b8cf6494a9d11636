package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

// menu offers the what-ifs for the selected pod, node, or both.
type menu struct {
	items []menuItem
	at    int
	first int
	// box and list are where it was drawn.
	box, list draw.Rect
}

// menuItem is a change to try. One that needs an amount or a name is completed on the command line. One without a key
// is the heading of those below it.
type menuItem struct {
	key, label, change string
	needsArgument      bool
	// acts is the name of the key that does the same to the cluster; empty if there is none.
	acts string
}

// openMenu opens the menu for the selection.
func (s *Screen) openMenu() { s.menu = &menu{items: s.menuItems(), at: 1} }

// menuItems are the what-ifs for the selection: a claim, a pod, a node, or several of these.
func (s *Screen) menuItems() []menuItem {
	if items := s.markedItems(); len(items) > 0 {
		return items
	}
	var items []menuItem
	node, hasNode := s.selectedNode()
	pod, hasPod := s.selectedPod()
	if object, is := s.selectedObject(); is && object.kind == world.PersistentVolumeClaim {
		items = claimItems(object.namespace + "/" + object.name)
	}
	if hasNode && s.top().pane == views.NodePane {
		items = append(items, nodeItems(node, s.isCordoned(node))...)
	}
	if hasPod {
		items = append(items, podItems(pod.String())...)
	}
	if hasNode && s.top().pane != views.NodePane {
		items = append(items, nodeItems(node, s.isCordoned(node))...)
	}
	return items
}

func claimItems(claim string) []menuItem {
	return []menuItem{
		{label: "claim " + printable.Text(claim)},
		{key: "v", label: "delete it", change: "delete pvc " + claim},
		{key: "C", label: "change its class …", change: "class " + claim + " ", needsArgument: true},
		{key: "s", label: "change the capacity of a class …", change: "capacity ", needsArgument: true},
	}
}

func nodeItems(node string, cordoned bool) []menuItem {
	cordon := menuItem{key: "c", label: "cordon it", change: "cordon " + node}
	if cordoned {
		cordon = menuItem{key: "c", label: "uncordon it", change: "uncordon " + node}
	}
	return []menuItem{
		{label: "node " + printable.Text(node)},
		cordon,
		{key: "d", label: "drain it", change: "drain " + node},
		{key: "a", label: "add one like it", change: "add 1 node like " + node},
		{key: "2", label: "add two like it", change: "add 2 nodes like " + node},
		{key: "3", label: "add three like it", change: "add 3 nodes like " + node},
		{key: "D", label: "delete it", change: "delete node " + node},
		{key: "T", label: "taint it …", change: "taint " + node + " ", needsArgument: true},
		{key: "L", label: "label it …", change: "label " + node + " ", needsArgument: true},
		{key: "U", label: "remove a taint …", change: "untaint " + node + " ", needsArgument: true},
	}
}

func podItems(pod string) []menuItem {
	return []menuItem{
		{label: "pod " + printable.Text(pod)},
		{key: "x", label: "delete it", change: "delete pod " + pod},
		{key: "r", label: "change its requests …", change: "requests " + pod + " cpu=", needsArgument: true},
		{key: "p", label: "change its priority …", change: "priority " + pod + " ", needsArgument: true},
		{key: "n", label: "scale its owner …", change: "scale " + pod + " ", needsArgument: true},
		{key: "f", label: "change its profile …", change: "profile " + pod + " ", needsArgument: true},
		{key: "t", label: "add a toleration …", change: "tolerate " + pod + " ", needsArgument: true},
		{key: "l", label: "select nodes by a label …", change: "select " + pod + " ", needsArgument: true},
		{key: "o", label: "change its spread over …", change: "spread " + pod + " ", needsArgument: true},
		{key: "g", label: "remove its scheduling gates", change: "ungate " + pod},
	}
}

// isCordoned reports whether the frame shows a node as cordoned.
func (s *Screen) isCordoned(node string) bool {
	if s.frame == nil { // the first is still being made
		return false
	}
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

// press handles a key: it moves, chooses or closes.
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
	case "/":
		s.startSlash()
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

// move moves by some items, wrapping around and skipping headings.
func (m *menu) move(by int) {
	m.at = (m.at + by) % len(m.items)
	if m.items[m.at].key == "" {
		m.at = (m.at + by) % len(m.items)
	}
}

func (m *menu) choose(s *Screen, i int) tea.Cmd {
	s.menu = nil
	c := m.items[i]
	if !c.needsArgument {
		return s.commandWhatIf(c.change)
	}
	s.prompt = newPrompt(commandPrompt, "whatif "+c.change)
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
	m.box = at.Rect
	at = at.Box(draw.Frame{Title: "What-if", Border: themes.Nominated})
	foot, rest := at.Bottom(2)
	list := at.In(rest)
	shown := draw.Visible(len(m.items), list.H, m.first, m.at)
	m.first, m.list = shown.First, list.Rect
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
	at.In(foot).Fit(1, 1, at.W-2, themes.Style(themes.Dim), "enter try on a copy · esc cancel")
}
