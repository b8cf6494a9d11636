package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A page lies over what it was opened from: its keys, the wheel and clicks are the page's, and escape closes it and nothing else.
func TestPage_IsOverWhatItWasOpenedFrom(t *testing.T) {
	tests := map[string]struct {
		to    []string
		under string // what the screen shows again once the page is closed
	}{
		"a row of the overview":   {[]string{"1", "down"}, "2 Queue"},
		"a pane that is filtered": {[]string{"2", "/", "w", "e", "b", "enter"}, "esc clear filter"},
		"a pane with nodes":       {[]string{"0", "down"}, "Orrery"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := atUnschedulable(t).keys(test.to...).keys("d").shows("apiVersion: v1", "lines")
			s.send(tea.MouseWheelMsg{X: 10, Y: 10, Button: tea.MouseWheelDown})
			s.view()
			if got := s.screen.top().cursor.Selected; got == 0 {
				t.Error("the wheel does not scroll the page")
			}
			at := s.screen.hits.List
			for range 3 {
				s.send(tea.MouseClickMsg{X: at.X + 5, Y: at.Y + 2, Button: tea.MouseLeft})
				s.view()
			}
			s.shows("apiVersion: v1").keys("z").shows("apiVersion: v1").keys("esc").shows("apiVersion: v1", "lines")
			s.keys("esc").lacks("apiVersion: v1").shows(test.under)
			if s.screen.confirm != nil || s.screen.prompt != nil {
				t.Error("a dialog or a prompt is open")
			}
		})
	}
}
