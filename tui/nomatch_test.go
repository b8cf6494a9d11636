package tui

import (
	"slices"
	"testing"
	"time"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// emptyFilter is a list in which nothing matches, and what its pane says before and after the number of all rows.
type emptyFilter struct {
	pane          views.PaneID
	keys          []string
	before, after string
}

// TestFilter_WithoutMatchesSaysSo types a filter that matches nothing in every list: the list does not claim to be empty.
func TestFilter_WithoutMatchesSaysSo(t *testing.T) {
	cases := []emptyFilter{
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
		{views.ComparePane, []string{"3", "=", "down", "="}, "no rows match /zzz/ (of ", ") · esc clears"},
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
	ofGangs := []emptyFilter{{views.GangsPane, []string{":", "w", "l", "enter"}, "no groups match /zzz/ (of 9) · esc clears", ""}}
	ofShadow := []emptyFilter{{views.AgreementPane, []string{":", "a", "g", "r", "e", "enter"}, "no differences match /zzz/ (of 1) · esc clears", ""}}
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		typeEmptyFilters(t, watch(t, newDiffering(t), size[0], size[1]), ofShadow)
		typeEmptyFilters(t, gangsAt(t, 330*time.Second, size[0], size[1]), ofGangs)
		typeEmptyFilters(t, devicesAt(t, 22*time.Second, size[0], size[1]), ofDevices)
		typeEmptyFilters(t, newSession(t, size[0], size[1]).keys("space").advance(58*time.Second).keys("space", "esc"), cases)
		typeEmptyFilters(t, rollout(t, 62*time.Second, size[0], size[1]), ofStorage)
	}
	cases = slices.Concat(cases, ofStorage, ofDevices, ofGangs, ofShadow)
	for _, p := range views.Panes() {
		listed := slices.ContainsFunc(cases, func(tt emptyFilter) bool { return tt.pane == p.ID })
		if p.Filters() && !listed {
			t.Errorf("the list of %s is not tried", p.Title)
		}
	}
}

// differing is a shadow of a scheduler that has decided otherwise once.
type differing struct {
	*cluster
	shadow *shadow.Shadow
}

func newDiffering(t *testing.T) differing {
	t.Helper()
	s, err := shadow.New(shadow.Options{Engine: engine.Options{Start: start}})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(at time.Time, event world.Event) {
		if err := s.Apply(world.Input{At: at, Event: event}); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			_, more = s.Step()
		}
	}
	for _, o := range []world.Object{
		mk.Node("empty").CPU("8").Memory("16Gi").Obj(), mk.Node("full").CPU("8").Memory("16Gi").Obj(),
		mk.Pod("old").CPU("6").Memory("1Gi").Node("full").Obj(), mk.Pod("web").CPU("1").Memory("1Gi").Obj(),
	} {
		apply(start, world.Changed{Op: world.Added, Object: o})
	}
	apply(start.Add(time.Second), world.Changed{Op: world.Modified, Object: mk.Pod("web").CPU("1").Memory("1Gi").Node("full").Obj()})
	apply(start.Add(time.Second+shadow.Window), world.Tick{})
	return differing{&cluster{staticSource: staticSource{s.Engine()}, contexts: []string{"staging"}}, s}
}

func (d differing) Annotate(m *views.Model, q collect.Query) {
	d.cluster.Annotate(m, q)
	collect.AddAgreement(m, d.shadow.Comparator(), 0, q)
}

func typeEmptyFilters(t *testing.T, s *session, cases []emptyFilter) {
	t.Helper()
	for _, tt := range cases {
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
