package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/themes"
	"orrery/views"
)

// marked returns the texts on the screen that are marked as found.
func (s *session) marked() []string {
	s.screen.View()
	w, _ := s.screen.canvas.Size()
	var all []string
	var b strings.Builder
	n := 0
	for g, style := range s.screen.canvas.Cells() {
		if style.Attr()&(themes.Reverse|themes.Underline) == themes.Reverse|themes.Underline {
			b.Write(g.Append(nil))
		} else if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
		if n++; n%w == 0 && b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	return all
}

// TestSearch_FindsTextInEveryPaneWithoutFilter searches wherever rows cannot be filtered: the matches are marked and counted, n and N
// go through them, and escape ends the search before it leaves the pane.
func TestSearch_FindsTextInEveryPaneWithoutFilter(t *testing.T) {
	s := rushHour(t, 140, 40).keys("esc")
	for _, tt := range []struct {
		pane views.PaneID
		keys []string
		text string // in more than one row
	}{
		{textPane, []string{"2", "d"}, "NamE"},
		{views.JourneyPane, []string{"2", "G", "enter"}, "unschedulable"},
		{views.WhatIfPane, []string{":", "whatif drain shop-east-1", "enter"}, "east"},
		{views.ExplainPane, []string{"2", "G", "e"}, "shop"},
		{views.PendingPane, []string{"2", "P"}, "deployment"},
		{views.OrreryPane, []string{"0"}, "east"},
	} {
		s.keys("1")
		for _, key := range tt.keys {
			if len(key) > 1 && strings.Contains(key, " ") {
				s.typeText(key)
			} else {
				s.keys(key)
			}
		}
		if s.screen.keyPane() != tt.pane {
			t.Fatalf("%v leads to %q:\n%s", tt.keys, s.screen.keyPane(), s.plain())
		}
		depth, before := len(s.screen.navStack), s.screen.top().cursor.Selected
		s.keys("n").shows("n: there is no search yet")
		s.screen.history.searches = nil
		s.keys("/").typeText(tt.text)
		q := s.screen.top().search
		if q == nil || len(q.found) < 2 {
			t.Errorf("in %q, /%s finds %+v:\n%s", tt.pane, tt.text, q, s.plain())
			continue
		}
		s.shows("/"+tt.text, "of ")
		for _, m := range s.marked() {
			if !strings.EqualFold(m, tt.text) {
				t.Errorf("in %q, /%s marks %q", tt.pane, tt.text, m)
			}
		}
		if tt.pane != views.OrreryPane && len(s.marked()) == 0 {
			t.Errorf("in %q, /%s marks nothing:\n%s", tt.pane, tt.text, s.plain())
		}
		first := q.at
		s.keys("enter", "n")
		if q.at == first {
			t.Errorf("in %q, n stays on match %d", tt.pane, first)
		}
		if s.keys("N"); q.at != first {
			t.Errorf("in %q, n and N lead from match %d to %d", tt.pane, first, q.at)
		}
		if s.keys("esc"); s.screen.top().search != nil || len(s.screen.navStack) != depth {
			t.Errorf("in %q, escape does not end the search, or leaves the pane", tt.pane)
		}
		if s.keys("/").typeText("zzzz").shows("no match").keys("esc"); s.screen.top().search != nil {
			t.Errorf("in %q, escape does not cancel the search", tt.pane)
		}
		if s.keys("g", "/").typeText(tt.text).keys("esc"); s.screen.top().cursor.Selected != 0 {
			t.Errorf("in %q, a cancelled search leaves the cursor on row %d, from %d", tt.pane, s.screen.top().cursor.Selected, before)
		}
		s.keys("n").shows("/" + tt.text)
		s.keys("esc")
		s.screen.history.searches = nil
	}
}

// TestSearch_FindsWhatColumnsCut looks for the end of a message of which a narrow screen shows the beginning at most.
func TestSearch_FindsWhatColumnsCut(t *testing.T) {
	s := rushHour(t, 80, 24).keys("esc", "2", "G", "enter")
	steps := s.screen.frame.Model.Journey.Steps.Rows
	i := slices.IndexFunc(steps, func(step views.JourneyStep) bool { return len(step.Note) > 20 })
	end := steps[i].Note[len(steps[i].Note)-12:]
	s.lacks(end).keys("/").typeText(end)
	if q := s.screen.top().search; q == nil || len(q.found) == 0 {
		t.Errorf("the message is not found:\n%s", s.plain())
	}
}

// TestSearch_LooksAtRowsOutOfSight: a list that is longer than the screen is collected whole for a search.
func TestSearch_LooksAtRowsOutOfSight(t *testing.T) {
	s := rushHour(t, 80, 24).keys("esc", ":").typeText("whatif drain shop-east-1, drain shop-east-2, drain shop-east-3").keys("enter")
	total := s.screen.total()
	s.keys("/").typeText("default/")
	if q := s.screen.top().search; q == nil || len(q.found) != total || total < 30 {
		t.Errorf("of %d rows are found %+v:\n%s", total, q, s.plain())
	}
}

// TestSlash_WhereThereIsNothingToFind: the prompt says so, and takes what is typed.
func TestSlash_WhereThereIsNothingToFind(t *testing.T) {
	for _, keys := range [][]string{{"4"}, {"6"}, {"9"}} {
		s := newSession(t, 80, 24).keys(keys...).keys("/").shows("nothing to filter or search here")
		s.typeText("Deploy").shows("/Deploy", "nothing to filter or search here").advance(time.Minute).typeText("q").shows("/Deployq")
		if s.keys("enter").lacks("nothing to filter"); s.quit {
			t.Error("a letter that was typed quit the program")
		}
	}
}

// TestSearch_StaysWithItsPane: what opens over the pane while a search is typed is not searched, and what is typed on runs nothing.
func TestSearch_StaysWithItsPane(t *testing.T) {
	s := rushHour(t, 140, 40).keys("esc", "2", "G", "enter", "/").typeText("u")
	s.send(pageMsg{&page{title: "late", lines: []string{"uuu"}}})
	s.typeText("2").shows("late").keys("esc").shows("late").keys("esc").shows("Journey")
	if s.screen.prompt != nil {
		t.Error("a prompt is open")
	}
}

// TestCommand_FailedKeepsItsText types commands that cannot be done, at once and later: the line stays to be mended, and the reason is
// shown with it.
func TestCommand_FailedKeepsItsText(t *testing.T) {
	for line, why := range map[string]string{
		"whatif requests default/web-20 cpu=foo": "cpu=foo", "whatif drain nowhere": "nowhere", "node nowhere": `there is no node "nowhere"`, "pod nobody": `there is no pod "nobody"`,
		"foo": ":foo is no command; tab goes through all", "quti": "did you mean :quit?", "p": "ambiguous", "goto soon": `"soon" is no time`, "speed fast": "is neither", "theme pink": "there are dark, light",
		"zoom now": "wants nothing after it", "goto": "wants time", "ctx prod": "this is a recording", "evict x": "wants nothing", "sort none": ":sort",
	} {
		s := atUnschedulable(t).keys(":").typeText(line).keys("enter")
		if s.screen.prompt == nil || s.screen.prompt.input.Value() != line {
			t.Errorf(":%s loses its text:\n%s", line, s.plain())
			continue
		}
		s.shows(":"+line[:min(len(line), 30)], "✗", why).keys("backspace").lacks("✗ " + why)
		s.keys("esc", "2").lacks(why)
	}
	s := atUnschedulable(t).keys("7", "/").typeText("[").keys("enter")
	if s.screen.prompt == nil {
		t.Fatal("a filter that does not parse loses its text")
	}
	s.keys("backspace").typeText("web").keys("enter").shows("/web")
	// What fails after the next key leaves that key's prompt alone.
	s = atUnschedulable(t).keys(":").typeText("node node-3").keys("enter", ":").typeText("t")
	s.send(failedMsg{errNothing})
	if got := s.screen.prompt.input.Value(); got != "t" {
		t.Errorf("a late failure makes %q of what is typed", got)
	}
}

var errNothing = errors.New("nothing")
