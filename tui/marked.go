package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"orrery/core/operator/actions"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// markedRow is a row that is selected together with others: its key, and the pod or the node that it is about.
type markedRow struct {
	key  string
	pod  world.PodRef
	node string
}

// maxMarked bounds the rows that are acted on together: each is an action of its own on the cluster.
//
//orrery:limit screen; rows of a list that are selected together; no more are taken
const maxMarked = 50

// mark selects the row together with the others that are, or takes it out, and goes on to the next.
func (s *Screen) mark() {
	t, l := s.top(), s.list()
	at := t.cursor.Selected
	row := markedRow{key: l.Key(at)}
	if l.Pod != nil {
		row.pod, _ = parseRef(l.Pod(at))
	}
	if l.Node != nil {
		row.node = l.Node(at)
	}
	if i := slices.IndexFunc(t.marked, func(m markedRow) bool { return m.key == row.key }); i >= 0 {
		t.marked = slices.Delete(slices.Clone(t.marked), i, i+1)
	} else {
		t.marked = append(slices.Clone(t.marked), row)
	}
	s.move(at + 1)
	s.setStatus(s.markedWords())
}

// markedWords says how many rows are selected, and what can be done with all of them.
func (s *Screen) markedWords() string {
	n := len(s.top().marked)
	if n == 0 {
		return "no row is selected with others any more"
	}
	words := plural.Count(n, "row") + " selected · w what-if of all"
	if s.readOnlyReason() == "" {
		words += " · c D E X act on all"
	} else {
		words += ", as c D X"
	}
	return words + " · esc lets them go"
}

func (s *Screen) cannotMark() string {
	t, l := s.top(), s.list()
	switch {
	case l.Key == nil || l.Key(t.cursor.Selected) == "":
		return "there is no row to select"
	case len(t.marked) >= maxMarked && !slices.ContainsFunc(t.marked, func(m markedRow) bool { return m.key == l.Key(t.cursor.Selected) }):
		return "at most " + strconv.Itoa(maxMarked) + " rows are selected at once"
	}
	return ""
}

// markedNodes are the nodes of the selected rows, and markedPods their pods; none while the finder acts on what it has found.
func (s *Screen) markedNodes() []string {
	var nodes []string
	if s.subject != nil {
		return nil
	}
	for _, m := range s.top().marked {
		if m.node != "" && !slices.Contains(nodes, m.node) {
			nodes = append(nodes, m.node)
		}
	}
	return nodes
}

func (s *Screen) markedPods() []world.PodRef {
	var pods []world.PodRef
	if s.subject != nil {
		return nil
	}
	for _, m := range s.top().marked {
		if m.pod.Name != "" && !slices.Contains(pods, m.pod) {
			pods = append(pods, m.pod)
		}
	}
	return pods
}

// markedKeys are the keys of the selected rows, for the drawing; nil for none.
func (t *navEntry) markedKeys() map[string]bool {
	if len(t.marked) == 0 {
		return nil
	}
	keys := make(map[string]bool, len(t.marked))
	for _, m := range t.marked {
		keys[m.key] = true
	}
	return keys
}

// together is the proposal of several actions at once. Of nodes that are to be cordoned, those that are cordoned stay so.
func together(each []proposal) proposal {
	return func(e *engine.Engine) (actions.Action, error) {
		var all []actions.Action
		for _, propose := range each {
			action, err := propose(e)
			if err != nil {
				return nil, err
			}
			all = append(all, action)
		}
		if cordons := slices.DeleteFunc(slices.Clone(all), func(a actions.Action) bool { _, is := a.(actions.Uncordon); return is }); len(cordons) > 0 {
			all = cordons
		}
		return actions.Together(all), nil
	}
}

// triesMarked reports whether a key that changes the cluster tries its change of the selected rows on a copy: the cluster cannot be changed
// from here.
func (s *Screen) triesMarked() bool {
	return s.subject == nil && len(s.top().marked) > 0 && s.readOnlyReason() != "" && !s.top().showsWhatIf()
}

// tryMarked tries the change of a key on a copy, of all selected rows.
func (s *Screen) tryMarked(key string) tea.Cmd {
	for _, item := range s.markedItems() {
		if item.acts == key {
			return s.commandWhatIf(item.change)
		}
	}
	s.setStatus(key + ": of the selected rows this cannot be tried; w has what can")
	return nil
}

// markedItems are the what-ifs of all selected rows at once.
func (s *Screen) markedItems() []menuItem {
	var items []menuItem
	several := func(verb string, names []string) string {
		words := ""
		for i, name := range names {
			if i > 0 {
				words += ", "
			}
			words += verb + " " + name
		}
		return words
	}
	var pods []string
	for _, pod := range s.markedPods() {
		pods = append(pods, pod.String())
	}
	if len(pods) > 0 {
		items = append(items, menuItem{label: plural.Count(len(pods), "selected pod")}, menuItem{key: "x", label: "delete all", change: several("delete pod", pods), acts: "delete"})
	}
	if nodes := s.markedNodes(); len(nodes) > 0 {
		label := plural.Count(len(nodes), "selected node")
		if len(pods) > 0 {
			label = "the " + plural.Count(len(nodes), "node") + " of the selected pods"
		}
		items = append(items, menuItem{label: printable.Text(label)},
			menuItem{key: "c", label: "cordon all", change: several("cordon", nodes), acts: "cordon"},
			menuItem{key: "d", label: "drain all", change: several("drain", nodes), acts: "drain"},
			menuItem{key: "D", label: "delete all", change: several("delete node", nodes)})
	}
	return items
}

// onMarks are the lists whose rows can be selected together.
var onMarks = where{"lists of pods and nodes", func(id views.PaneID) bool { return pane(id).Previews() }}
