package tui

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
	"orrery/views/draw"
)

// click clicks on a place and draws.
func (s *session) click(x, y int) *session {
	s.t.Helper()
	s.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	s.screen.View()
	return s
}

// clickOn clicks in the middle of a row of an area.
func (s *session) clickOn(r draw.Rect, row int) *session { return s.click(r.X+r.W/2, r.Y+row) }

// TestMouse_Confirmation: a dialog begins on cancel, the first click on the other button selects it, and the second acts; nothing is taken in its
// first moments, and a click beside it cancels.
func TestMouse_Confirmation(t *testing.T) {
	open := func() (*session, *madeCalls) {
		s, made := actingConsole(t, 140, 40)
		s.keys("m", ":").typeText("cordon node-0").keys("enter").shows("Cordon node node-0?")
		return s, made
	}
	s, made := open()
	s.clickOn(s.screen.confirm.buttons[1], 0)
	if s.screen.confirm == nil || s.screen.confirm.act {
		t.Fatal("a click in the first moments is taken")
	}
	s.wait(time.Second).clickOn(s.screen.confirm.buttons[1], 0)
	if s.screen.confirm == nil || !s.screen.confirm.act || len(made.calls) > 0 {
		t.Fatalf("a click on the button has made %v", made.calls)
	}
	s.click(s.screen.confirm.box.X+1, s.screen.confirm.box.Y+1).clickOn(s.screen.confirm.buttons[1], 0)
	if s.screen.confirm != nil || !slices.Equal(made.calls, []string{"patch nodes"}) {
		t.Errorf("two clicks on the button have made %v", made.calls)
	}
	for name, at := range map[string]func(*confirmation) (int, int){
		"cancel":       func(c *confirmation) (int, int) { return c.buttons[0].X, c.buttons[0].Y },
		"beside it":    func(*confirmation) (int, int) { return 1, 5 },
		"the hints":    func(*confirmation) (int, int) { return 3, 39 },
		"a pane below": func(*confirmation) (int, int) { return 100, 10 },
	} {
		s, made := open()
		s.wait(time.Second)
		x, y := at(s.screen.confirm)
		if s.click(x, y).shows("cancelled"); s.screen.confirm != nil || len(made.calls) > 0 {
			t.Errorf("a click on %s has made %v", name, made.calls)
		}
	}
}

// TestMouse_MenuAndFinder selects with one click and takes with another; a click elsewhere closes.
func TestMouse_MenuAndFinder(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "m", "3", "w")
	at := slices.IndexFunc(s.screen.menu.items, func(i menuItem) bool { return i.acts == "drain" || i.label == "drain it" })
	if at < 0 {
		t.Fatalf("no item drains: %+v", s.screen.menu.items)
	}
	s.clickOn(s.screen.menu.list, at)
	if s.screen.menu == nil || s.screen.menu.at != at {
		t.Fatal("a click does not select the item")
	}
	s.clickOn(s.screen.menu.list, 0) // a heading
	if s.screen.menu == nil || s.screen.menu.at != at {
		t.Fatal("a click on a heading does something")
	}
	s.clickOn(s.screen.menu.list, at).shows("what-if: drain node-")
	s.keys("esc", "w").click(1, 5)
	if s.screen.menu != nil {
		t.Error("a click beside the menu leaves it open")
	}
	s.keys("ctrl+k").typeText("node-3").keys("tab")
	v := s.screen.finder.verbs
	s.clickOn(v.rows, 1)
	if v.at != 1 || s.screen.finder == nil {
		t.Fatal("a click does not select the verb")
	}
	if s.clickOn(v.rows, 1); s.screen.finder != nil {
		t.Error("a click on the selected verb leaves the finder open")
	}
	s.screen.menu = nil
	s.keys("ctrl+k").typeText("node-3").keys("tab").click(0, 0)
	if s.screen.finder != nil {
		t.Error("a click beside the finder leaves it open")
	}
}

// TestMouse_Completions takes a completion with one click, and runs it with another.
func TestMouse_Completions(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "m", ":").typeText("pod")
	at := slices.IndexFunc(s.screen.prompt.completions, func(c completion) bool { return c.line == "pods" })
	s.clickOn(s.screen.prompt.list, at)
	if got := s.screen.prompt.input.Value(); got != "pods" {
		t.Fatalf("the line is %q", got)
	}
	if s.clickOn(s.screen.prompt.list, at); s.screen.prompt != nil || s.screen.top().pane != views.PodsPane {
		t.Errorf("it does not run:\n%s", s.plain())
	}
	s.keys("/").typeText("web").click(100, 5)
	if s.screen.prompt == nil || s.screen.prompt.input.Value() != "web" {
		t.Error("a click changes a filter that is typed")
	}
}

// TestMouse_Titles: the title of a pane on the dashboard opens it at once, and that of the open pane goes back.
func TestMouse_Titles(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "m")
	for _, spot := range views.LayoutOf(s.screen.body(), s.screen.model()) {
		s.click(spot.Rect.X+4, spot.Rect.Y)
		if got := s.screen.top().pane; got != spot.Pane {
			t.Errorf("the title of %s opens %s", spot.Pane, paneWord(got))
		}
		if s.click(4, s.screen.body().Y); !s.screen.onOverview() {
			t.Errorf("the title of the open pane %s does not go back", spot.Pane)
		}
	}
}
