package tui

import (
	"testing"

	"orrery/views"
)

// TestCommand_AsInOtherPrograms types what people know from k9s, vi and kubectl.
func TestCommand_AsInOtherPrograms(t *testing.T) {
	for _, tt := range []struct {
		line  string
		pane  views.PaneID
		shows string
	}{
		{"nodes", views.NodesPane, "node-3"},
		{"no", views.NodesPane, "node-3"},
		{"po", views.PodsPane, "web-02"},
		{"pods", views.PodsPane, "web-02"},
		{"ns default", views.Overview, "pods of namespace default"},
		{"namespace default", views.Overview, "pods of namespace default"},
		{"ns", views.Overview, "pods of all namespaces"},
		{"drain node-3", views.Overview, ":whatif drain node-3 tries it on a copy"},
		{"drain", views.Overview, "no node is selected"},
		{"explain web-20", views.ExplainPane, "Explain"},
		{"theme light", views.Overview, ""},
		{"filter web-2", views.QueuePane, "/web-2"},
		{"filter [", views.QueuePane, ":filter: "},
	} {
		t.Run(tt.line, func(t *testing.T) {
			s := atUnschedulable(t).keys(":").typeText(tt.line).keys("enter").shows(tt.shows)
			if got := s.screen.top().pane; got != tt.pane {
				t.Errorf(":%s leads to %q, want %q", tt.line, got, tt.pane)
			}
		})
	}
	for _, line := range []string{"q", "q!", "quit", "quit!"} {
		if s := atUnschedulable(t).keys(":").typeText(line).keys("enter"); !s.quit {
			t.Errorf(":%s does not quit", line)
		}
	}
}

// TestCommand_CompletesDottedNames completes names with dots, of which a prefix may end in one.
func TestCommand_CompletesDottedNames(t *testing.T) {
	s := watch(t, manyPods(t, 1, "db.primary.0", "db.primary.1", "web"), 120, 30)
	for typed, want := range map[string]string{"db.": "default/db.primary.0", "default/db.primary.": "default/db.primary.1", "db.primary.1": "default/db.primary.1"} {
		s.keys(":").typeText("pod " + typed).shows(want).keys("esc")
	}
}

// TestFilter_TypedWhileRowsMove types a filter while the recording plays: no letter is lost, and the list follows.
func TestFilter_TypedWhileRowsMove(t *testing.T) {
	s := atUnschedulable(t).keys("7", "space", "/")
	for _, r := range "web-2" {
		s.typeText(string(r)).advance(s.loop.interval * 5)
	}
	s.keys("enter")
	if got := s.screen.top().list.filter.String(); got != "web-2" {
		t.Errorf("the filter is %q, want web-2", got)
	}
	if l := s.screen.list(); l.Total == 0 || l.Total == s.screen.frame.Model.Filtered.Of {
		t.Errorf("%d of %d rows match", l.Total, s.screen.frame.Model.Filtered.Of)
	}
}
