package tui

import (
	"strings"

	"orrery/core/world"
	"orrery/views"
)

// list returns the list on the screen; empty for panes that have none, and while there is no frame.
func (s *Screen) list() views.RowSet {
	if s.frame == nil {
		return views.RowSet{}
	}
	return pane(s.top().pane).Rows(s.frame.Model)
}

func (s *Screen) total() int {
	if p := s.top().page; p != nil {
		return len(p.lines)
	}
	if pane(s.top().pane).Scrolls() {
		return s.hits.Total
	}
	return s.list().Total
}

func (s *Screen) keyAt(i int) string {
	if l := s.list(); l.Key != nil {
		return l.Key(i)
	}
	return ""
}

// selectedCell returns the cell of the selected row that the cursor is on; it is empty in lists without cells.
func (s *Screen) selectedCell() views.Cell {
	t, l := s.top(), s.list()
	if l.Cell == nil || t.page != nil {
		return views.Cell{}
	}
	return l.Cell(t.cursor.Selected, t.cell)
}

// selectedPod returns the pod that commands act on: that of the selected row, else the one the pane is open on.
func (s *Screen) selectedPod() (world.PodRef, bool) {
	t := s.top()
	if s.subject != nil {
		return s.subject.pod, s.subject.pod.Name != ""
	}
	if r := s.selectedRow(); r != nil {
		return parseRef(r.Pod)
	}
	if l := s.list(); l.Pod != nil {
		if ref, ok := parseRef(l.Pod(t.cursor.Selected)); ok {
			return ref, true
		}
	}
	if ref, ok := parseRef(s.selectedCell().Pod); ok {
		return ref, true
	}
	return t.pod, t.pod.Name != ""
}

// selectedNode returns the node that commands act on, in the same way.
func (s *Screen) selectedNode() (string, bool) {
	t := s.top()
	if s.subject != nil {
		return s.subject.node, s.subject.node != ""
	}
	if r := s.selectedRow(); r != nil {
		return r.Node, r.Node != ""
	}
	if l := s.list(); l.Node != nil && s.cursorInList() {
		if node := l.Node(t.cursor.Selected); node != "" {
			return node, true
		}
	}
	if t.pane == views.ZonesPane && s.frame != nil && s.frame.Model.Zones != nil {
		node := s.frame.Model.Zones.ChosenKey
		return node, node != ""
	}
	return t.node, t.node != ""
}

// objectRef names an object of any kind.
type objectRef struct {
	kind            world.Kind
	namespace, name string
}

func (o objectRef) String() string {
	name := o.name
	if o.namespace != "" {
		name = o.namespace + "/" + name
	}
	return string(o.kind) + " " + name
}

// selectedObject returns the object that the selected row names, in a list of objects other than pods and nodes.
func (s *Screen) selectedObject() (objectRef, bool) {
	t := s.top()
	if s.subject != nil {
		return s.subject.object, s.subject.object.name != ""
	}
	kind, key := pane(t.pane).Describes, ""
	if kind != "" && t.page == nil {
		key = s.keyAt(t.cursor.Selected)
		if l := s.list(); l.Object != nil {
			key = l.Object(t.cursor.Selected)
		}
		if of, name, another := strings.Cut(key, " "); another { // a row may name an object of another kind
			kind, key = of, name
		}
	}
	if cell := s.selectedCell(); cell.Key != "" {
		kind, key = cell.Kind, cell.Key
	}
	if key == "" {
		return objectRef{}, false
	}
	if ref, ok := parseRef(key); ok {
		return objectRef{world.Kind(kind), ref.Namespace, ref.Name}, true
	}
	return objectRef{kind: world.Kind(kind), name: key}, true
}
