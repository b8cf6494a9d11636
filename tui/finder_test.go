package tui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

// lastPod is a pod of the minute, and the end of its name.
const lastPod = "default/web-07"

// TestFinder_OpensWhatIsFound types a part of a name anywhere, and enter opens, runs or goes there.
func TestFinder_OpensWhatIsFound(t *testing.T) {
	for _, tt := range []struct {
		typed string
		pane  views.PaneID
		shows []string
	}{
		{"b-07", views.JourneyPane, []string{lastPod}},
		{"ode-3", views.NodePane, []string{"node-3", "cpu"}},
		{"evictio", views.EvictionsPane, nil},
		{"wb07", views.JourneyPane, []string{lastPod}},
		{"pod 07", views.JourneyPane, []string{lastPod}},
		{"high-contr", views.Overview, []string{"theme high-contrast"}},
		{"namespace default", views.Overview, []string{"nothing is found"}},
		{"ns default", views.Overview, []string{"pods of namespace default"}},
		{"goto", views.Overview, []string{":goto"}},
	} {
		for _, opener := range []string{"ctrl+k", "/"} {
			s := newSession(t, 140, 40).keys("$", opener).typeText(tt.typed).shows("Find", "› "+tt.typed).keys("enter")
			if got := s.screen.keyPane(); got != tt.pane {
				t.Errorf("%s%s opens %q, want %q:\n%s", opener, tt.typed, got, tt.pane, s.plain())
			}
			s.shows(tt.shows...)
		}
	}
}

func TestFinder_RunsKeys(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "2", "ctrl+k").typeText("zoom").shows("the pane without borders").keys("enter")
	if !s.screen.zoom {
		t.Errorf("zoom is not run:\n%s", s.plain())
	}
	s.keys("ctrl+k").typeText("step [").keys("enter") // one of two keys
	if at := s.screen.frame.Model.Timeline.At; !at.Before(s.screen.frame.Model.Timeline.End) {
		t.Errorf("no step back was made:\n%s", s.plain())
	}
	s.keys("ctrl+k").typeText("as-now").keys("enter").shows(":as-now: not here; it works in explain")
}

// TestFinder_SearchesHelp finds a key in the help, and runs it in the pane that the help is about.
func TestFinder_SearchesHelp(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "2", "?", "/").typeText("borders").shows("Find a key or a command", "zoom").lacks("web-07").keys("enter")
	if s.screen.top().pane != views.QueuePane || !s.screen.zoom {
		t.Errorf("what was chosen in the help is not run:\n%s", s.plain())
	}
}

func TestFinder_GoesToMarksAndWhatIfs(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "3", "w", "c").shows("what-if: cordon node-0")
	s.keys("1", "/").typeText("cordon node-0").keys("enter").shows("what-if: cordon node-0")
	s = watch(t, builtIn(t, "morning-rush"), 140, 40).keys("/").typeText("East is full").keys("enter")
	if at := s.screen.frame.Model.Timeline; wholeSeconds(at.At.Sub(at.Start)) != "52s" {
		t.Errorf("the mark is at 52s, and it is %s", at.At.Sub(at.Start))
	}
}

// TestFinder_OwnersListTheirPods opens the pods of a Deployment.
func TestFinder_OwnersListTheirPods(t *testing.T) {
	s := watch(t, builtIn(t, "morning-rush"), 140, 40).keys("$", "/").typeText("owner catalog").shows("deployment, ").keys("enter")
	s.shows("/-n default ^catalog-", "default/catalog-").lacks("default/checkout-")
}

func TestFinder_VerbsActOnWhatIsFound(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "/").typeText("b-07").keys("tab").shows("pod "+lastPod, "explain", "what-if: try a change on a copy").lacks("cordon")
	if s.keys("e"); s.screen.top().pane != views.ExplainPane || s.screen.top().pod.Name != "web-07" {
		t.Errorf("e of what was found leads to\n%s", s.plain())
	}
	s.keys("ctrl+k").typeText("b-08").keys("tab", "e") // from the explanation of another
	if s.screen.top().pod.Name != "web-08" {
		t.Errorf("e of what was found leads to\n%s", s.plain())
	}
	if s.keys("ctrl+k").typeText("node-4").keys("tab", "down", "w").shows("node node-4", "cordon it").keys("esc"); s.screen.subject != nil {
		t.Error("the selection stays that of the finder")
	}
	s.keys("ctrl+k").typeText("node-4").keys("tab", "down", "up", "esc").shows("tab more").keys("esc").lacks("Find")
	s.keys("ctrl+k").typeText("zoom").lacks("tab more").keys("tab").shows("there is nothing else to do with a command")
	if s.keys("esc", "ctrl+k").typeText("node-4").keys("tab", "y"); len(s.raw) == 0 {
		t.Error("y copies nothing")
	}
}

// TestFinder_BadAndRecentFirst lists before anything is typed what is in trouble and what was opened last.
func TestFinder_BadAndRecentFirst(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "/").typeText("node-5").keys("enter", "ctrl+k")
	if row := s.selected(); !strings.Contains(row, "node-5") {
		t.Errorf("the first is %q", row)
	}
	s.keys("down")
	if row := s.selected(); !strings.Contains(row, "✗ pod") && !strings.Contains(row, "◔ pod") {
		t.Errorf("after it comes %q:\n%s", row, s.plain())
	}
}

func TestFinder_MovesAndCloses(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "/", "pgdown", "down", "up", "ctrl+n", "ctrl+p").shows("page 2/")
	s.keys("pgup", "backspace").lacks("Find").keys("/").typeText("zz zz").keys("enter", "tab").shows("nothing is found by").keys("ctrl+k").lacks("Find")
}

// TestFinder_Mouse selects and opens with clicks, moves with the wheel, and closes with a click beside it.
func TestFinder_Mouse(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "m", "/").typeText("web-0")
	list := s.screen.finder.list
	click := func(y int) { s.send(tea.MouseClickMsg{X: list.X + 5, Y: list.Y + y, Button: tea.MouseLeft}) }
	click(2)
	if row := s.selected(); s.screen.finder.at != 2 || !strings.Contains(row, s.screen.finder.matches[2].Name) {
		t.Errorf("a click selects %q", row)
	}
	s.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	name := s.screen.finder.selected().Name
	if click(1); s.screen.top().pane != views.JourneyPane || !strings.Contains(name, s.screen.top().pod.Name) {
		t.Errorf("a click on the selected match leads to\n%s", s.plain())
	}
	s.keys("/").keys("ctrl+k").lacks("Find").keys("ctrl+k")
	s.send(tea.MouseClickMsg{X: 1, Y: 30, Button: tea.MouseLeft})
	s.lacks("Find")
}

// TestMouse_HeadsHealthAndHelp clicks on a heading, on the health line and on the question mark.
func TestMouse_HeadsHealthAndHelp(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "m", "2")
	for _, head := range s.screen.hits.Heads {
		if head.Sort == "attempts" {
			for _, want := range []string{"↓ attempts", "↑ attempts", "↓ attempts"} {
				s.send(tea.MouseClickMsg{X: head.Rect.X, Y: head.Rect.Y, Button: tea.MouseLeft})
				s.shows(want)
			}
		}
	}
	s.shows("attempts")
	s.send(tea.MouseClickMsg{X: 20, Y: 1, Button: tea.MouseLeft})
	if s.screen.top().pane == views.QueuePane {
		t.Errorf("a click on the health leads nowhere:\n%s", s.plain())
	}
	s.send(tea.MouseClickMsg{X: 138, Y: 0, Button: tea.MouseLeft})
	s.shows("Help")
}

// BenchmarkFinder_Key measures a key in the finder over 100,000 pods, with the drawing of what it finds: letters that nearly all names have, that few have, and that
// none has.
func BenchmarkFinder_Key(b *testing.B) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%x-%05d", []string{"checkout", "catalog", "search", "storefront"}[i%4], uint32(i)*2654435761, i)
	}
	s := watch(b, manyPods(b, 10, names...), 140, 40)
	for _, typed := range []string{"", "c", "chec", "chec 9f", "04217", "zqx"} {
		b.Run("after "+strconv.Quote(typed), func(b *testing.B) {
			s.keys("esc", "ctrl+k").typeText(typed)
			for b.Loop() {
				s.keys("0", "backspace")
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(2*b.N), "µs/key")
			s.keys("esc")
		})
	}
}
