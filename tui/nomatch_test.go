package tui

import (
	"slices"
	"testing"
	"time"

	"orrery/views"
)

// emptyFilter is a list in which nothing matches, and what its pane says before and after the number of all rows.
type emptyFilter struct {
	pane          views.PaneID
	keys          []string
	before, after string
}

// TestFilter_WithoutMatchesSaysSo types a filter that matches nothing in every list: the list does not claim to be empty.
func TestFilter_WithoutMatchesSaysSo(t *testing.T) {
	said := []emptyFilter{
		{views.QueuePane, []string{"2"}, "no pods match /zzz/ (of ", " pending) · esc clears"},
		{views.SnapshotPane, []string{"3"}, "no nodes match /zzz/ (of 9) · esc clears", ""},
		{views.NodesPane, []string{":", "n", "o", "d", "e", "s", "enter"}, "no nodes match /zzz/ (of 9) · esc clears", ""},
		{views.PodsPane, []string{":", "p", "o", "enter"}, "no pods match /zzz/ (of ", ") · esc clears"},
		{views.EvictionsPane, []string{"5"}, "no evictions match /zzz/ (of ", ") · esc clears"},
		{views.DecisionsPane, []string{"7"}, "no decisions match /zzz/ (of ", " in the log) · esc clears"},
		{views.ExplainPane, []string{"2", "G", "e", "G"}, "no nodes match /zzz/ (of 9) · esc clears", ""},
		{views.PluginsPane, []string{"8"}, "no plugins match /zzz/ (of ", ") · esc clears"},
		{views.NodePane, []string{"3", "enter"}, "no pods match /zzz/ (of ", " on this node) · esc clears"},
		{views.PressurePane, []string{"3", "p"}, "no pods match /zzz/ (of ", " on this node) · esc clears"},
		{views.TimelinePane, []string{"M"}, "no marks match /zzz/ (of ", " in this recording) · esc clears"},
	}
	ofStorage := []emptyFilter{
		{views.StoragePane, []string{":", "p", "v", "c", "enter"}, "no claims match /zzz/ (of 6) · esc clears", ""},
		{views.VolumesPane, []string{":", "p", "v", "enter"}, "no volumes match /zzz/ (of 5) · esc clears", ""},
	}
	ofDevices := []emptyFilter{
		{views.DevicesPane, []string{":", "d", "e", "v", "enter"}, "no pools match /zzz/ (of 9) · esc clears", ""},
		{views.DeviceClaimsPane, []string{":", "c", "l", "a", "i", "m", "s", "enter"}, "no claims match /zzz/ (of 13) · esc clears", ""},
	}
	ofGangs := []emptyFilter{{views.GangsPane, []string{":", "w", "l", "enter"}, "no gangs match /zzz/ (of 9) · esc clears", ""}}
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		typeEmptyFilters(t, gangsAt(t, 330*time.Second, size[0], size[1]), ofGangs)
		typeEmptyFilters(t, devicesAt(t, 22*time.Second, size[0], size[1]), ofDevices)
		typeEmptyFilters(t, newSession(t, size[0], size[1]).keys("space").advance(58*time.Second).keys("space", "esc"), said)
		typeEmptyFilters(t, rollout(t, 62*time.Second, size[0], size[1]), ofStorage)
	}
	said = slices.Concat(said, ofStorage, ofDevices, ofGangs)
	for _, p := range views.Panes() {
		listed := slices.ContainsFunc(said, func(tt emptyFilter) bool { return tt.pane == p.ID })
		if p.Filters() && !listed {
			t.Errorf("the list of %s is not tried", p.Title)
		}
	}
}

func typeEmptyFilters(t *testing.T, s *session, said []emptyFilter) {
	t.Helper()
	for _, tt := range said {
		s.keys("1").keys(tt.keys...).keys("/").typeText("zzz").keys("enter")
		if s.screen.top().pane != tt.pane {
			t.Fatalf("%v lead to %s", tt.keys, s.screen.top().pane)
		}
		s.shows(tt.before, tt.after)
		s.keys("esc").lacks("match /zzz/")
	}
}

func TestFilter_ChosenNamespaceWithoutMatches(t *testing.T) {
	s := atUnschedulable(t).keys("2", ":").typeText("ns elsewhere").keys("enter")
	s.shows("no pods match /-n elsewhere/ (of ", " pending) · :ns shows all")
}

// TestFilter_LongWithoutMatches keeps the way out on the screen, however long the filter is.
func TestFilter_LongWithoutMatches(t *testing.T) {
	s := newSession(t, 60, 16).keys("space").advance(48*time.Second).keys("space", "esc", "2", "/")
	for range 8 {
		s.typeText("abcdefghijklmno")
	}
	s.keys("enter").shows("no pods match /abc", "…/", " pending · esc clears")
}
