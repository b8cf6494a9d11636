package tui

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestThemes_FollowBackground(t *testing.T) {
	s := newSession(t, 80, 24)
	first := s.view()
	s.keys("t")
	chosen := s.screen.theme.Name
	if s.view() == first || chosen == "dark" {
		t.Error("t changes nothing")
	}
	s.send(tea.BackgroundColorMsg{Color: color.Black})
	if name := s.screen.theme.Name; name != chosen {
		t.Errorf("the chosen theme was replaced by %s", name)
	}
	s.screen.themeChosen = false
	for _, tt := range []struct {
		ground color.Color
		want   string
	}{{color.White, "light"}, {color.Black, "dark"}} {
		s.send(tea.BackgroundColorMsg{Color: tt.ground})
		if name := s.screen.theme.Name; name != tt.want {
			t.Errorf("on the background %v the theme is %s", tt.ground, name)
		}
	}
}

// TestThemes_NextFitsTheBackground goes through the themes with t, as the environment, the terminal and the first theme have the
// background: none that is made for another background comes up.
func TestThemes_NextFitsTheBackground(t *testing.T) {
	for _, light := range []bool{false, true} {
		s := newSession(t, 80, 24)
		s.send(tea.BackgroundColorMsg{Color: map[bool]color.Color{false: color.Black, true: color.White}[light]})
		s.keys(":").typeText("theme dark").keys("enter") // a theme for another background can still be chosen by name
		for n := range 2 * len(s.screen.options.Themes) {
			if s.keys("t"); s.screen.theme.Light != light {
				t.Errorf("on a background that is light: %t, t comes to %s after %d presses", light, s.screen.theme.Name, n+1)
			}
			if s.screen.status == "" {
				t.Error("t says nothing")
			}
		}
	}
	s := newSession(t, 80, 24) // begins with the dark theme, and the terminal says nothing
	for range s.screen.options.Themes {
		if s.keys("t"); s.screen.theme.Light {
			t.Errorf("t comes to %s beside dark themes", s.screen.theme.Name)
		}
	}
}
