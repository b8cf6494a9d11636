package tui

import "orrery/views"

// worst returns the worst trouble of the frame; nil if there is none.
func (s *Screen) worst() *views.Trouble {
	if s.frame == nil {
		return nil
	}
	if all := s.frame.Model.Troubles(s.frame.Now); len(all) > 0 {
		return &all[0]
	}
	return nil
}

func (s *Screen) cannotGoToTrouble() string {
	if s.worst() == nil {
		return "there is no trouble to go to"
	}
	return ""
}

// goToTrouble opens the pane that shows the worst trouble, on its pod or node.
func (s *Screen) goToTrouble() {
	t := s.worst()
	pod, isPod := parseRef(t.Pod)
	if !isPod && t.Node == "" && t.Sort == "" {
		s.openPane(t.Pane)
		return
	}
	next := navEntry{pane: t.Pane, node: t.Node, list: listSettings{sort: t.Sort}}
	if isPod {
		next.pod = pod
	}
	if top := s.top(); top.page == nil && top.pane == next.pane && top.pod == next.pod && top.node == next.node {
		s.setStatus("!: this is it")
		return
	}
	s.push(next)
}
