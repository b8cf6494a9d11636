package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
	"orrery/views/collect"
)

// previews reports whether what the selected row opens is shown beside the list.
func (s *Screen) previews() bool {
	t := s.top()
	return s.w >= views.PreviewWidth && !s.noPreview && !s.zoom && t.page == nil && pane(t.pane).Previews()
}

// previewOf returns what is to be shown beside the list: what enter would open.
func (s *Screen) previewOf() collect.Preview {
	if !s.previews() || !s.frameMatches() || s.opensObject() {
		return collect.Preview{}
	}
	next := s.opens()
	return collect.Preview{Pod: next.pod, Node: next.node}
}

func (s *Screen) cannotPreview() string {
	if s.w < views.PreviewWidth {
		return "a preview takes " + strconv.Itoa(views.PreviewWidth) + " columns, and there are " + strconv.Itoa(s.w)
	}
	return ""
}

func (s *Screen) togglePreview() {
	s.noPreview = !s.noPreview
	if s.noPreview {
		s.setStatus("preview hidden; v shows it")
	}
}

// intoPreview opens what is previewed, or goes back to the list from there, and reports whether it did.
func (s *Screen) intoPreview(key string) (went bool, cmd tea.Cmd) {
	in := key == "right" || key == "l"
	switch {
	case key == "<" || key == ">":
		return false, nil
	case in && s.previews():
		if why := s.cannotOpen(); why != "" {
			s.setStatus(key + ": " + why)
			return true, nil
		}
		depth := len(s.navStack)
		cmd = s.openSelected()
		if len(s.navStack) > depth {
			s.top().fromList = true
		}
		return true, cmd
	case !in && s.top().fromList:
		s.pop()
		return true, nil
	case s.previews():
		s.setStatus(key + ": there is nothing further that way; esc goes back, and < five seconds in time")
		return true, nil
	}
	return false, nil
}
