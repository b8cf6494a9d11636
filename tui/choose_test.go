package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/tui/term"
	"orrery/views/draw"
)

func someOffers() []Offer {
	return []Offer{
		{Title: "Watch a recording", Text: "Nothing else is needed.", Command: "orrery demo"},
		{Title: "Watch a cluster", Text: "Nothing is changed.", Command: "orrery console", Missing: "there is no kubeconfig"},
		{Title: "Read the help", Text: "Every command.", Command: "orrery --help"},
	}
}

func chooserOf(w, h int) *chooser {
	o := Options{Terminal: term.Facts{Width: w, Height: h, Glyphs: draw.Braille}, Themes: themes.Shipped()}
	return newChooser(o, "What do you want to see?", someOffers(), func(*draw.Canvas, *themes.Pens) {})
}

func TestChoose_TakesWhatIsThere(t *testing.T) {
	for keys, want := range map[string]int{
		"enter": 0, "down down enter": 2, "up enter": 2, "j k space": 0, "3": 2, "2 enter": -1, "4 esc": -1, "q": -1, "down enter q": -1, "tab tab tab enter": 0,
	} {
		c := chooserOf(80, 24)
		for _, key := range strings.Fields(keys) {
			c.press(key)
		}
		if c.taken != want {
			t.Errorf("after %s offer %d is taken, want %d", keys, c.taken, want)
		}
	}
}

func TestChoose_ShowsEveryOffer(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {60, 16}} {
		c := chooserOf(size[0], size[1])
		c.View()
		text := c.canvas.Plain()
		for _, want := range []string{"What do you want to see?", "▌ 1  Watch a recording", "orrery demo", "2  Watch a cluster", "there is no kubeconfig", "3  Read the help"} {
			if !strings.Contains(text, want) {
				t.Errorf("at %v it lacks %q:\n%s", size, want, text)
			}
		}
	}
}

func TestChoose_FitsAnySize(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {3, 40}, {200, 2}, {20, 8}} {
		chooserOf(size[0], size[1]).View()
	}
}

func TestChoose_FollowsTheBackground(t *testing.T) {
	c := chooserOf(80, 24)
	for _, light := range []bool{true, false} {
		color := tea.BackgroundColorMsg{Color: map[bool]ansiColor{true: {0xffff}, false: {0}}[light]}
		c.Update(color)
		if c.theme.Light != light {
			t.Errorf("light is %t, and the theme %s", light, c.theme.Name)
		}
	}
}

// ansiColor is a grey.
type ansiColor struct{ level uint32 }

// RGBA is of color.Color.
func (c ansiColor) RGBA() (r, g, b, a uint32) { return c.level, c.level, c.level, 0xffff }
