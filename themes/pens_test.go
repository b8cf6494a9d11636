package themes_test

import (
	"slices"
	"testing"

	"orrery/themes"
)

var (
	profiles = []themes.Profile{themes.TrueColor, themes.Palette256, themes.Palette16, themes.NoColor}
	attrs    = []themes.Attr{0, themes.Bold, themes.Italic | themes.Underline, themes.Selected, themes.Reverse | themes.Bold}
)

// allowed are the kinds of colours that a profile may use.
var allowed = map[themes.Profile][]themes.PenColor{
	themes.TrueColor:  {themes.PenRGB, themes.PenPalette, themes.PenSixteen},
	themes.Palette256: {themes.PenPalette, themes.PenSixteen},
	themes.Palette16:  {themes.PenSixteen},
	themes.NoColor:    {},
}

func eachStyle(visit func(themes.Style)) {
	for token := themes.Text; token <= themes.Heat7; token++ {
		for _, a := range attrs {
			visit(token.With(a))
		}
	}
}

func TestPens_EveryTokenAndProfile(t *testing.T) {
	for _, theme := range themes.Shipped() {
		for _, p := range profiles {
			pens := theme.Pens(p)
			eachStyle(func(s themes.Style) {
				pen := pens.Of(s)
				for _, c := range []themes.PenColor{pen.Foreground, pen.Background} {
					if c != 0 && !slices.Contains(allowed[p], c.Kind()) {
						t.Errorf("%s with %s: style %v has the colour %x", theme.Name, p, s, c)
					}
				}
				if pen.Attr&themes.Reverse != 0 && pen.Attr&themes.Faint != 0 {
					t.Errorf("%s with %s: style %v is a hole in a reversed row", theme.Name, p, s)
				}
				if lacking := s.Attr() &^ (pen.Attr | themes.Selected); lacking != 0 && !(lacking == themes.Faint && pen.Attr&themes.Reverse != 0) {
					t.Errorf("%s with %s: style %v loses the attributes %x", theme.Name, p, s, lacking)
				}
				if s.Attr()&themes.Selected != 0 && pen.Blank() {
					t.Errorf("%s with %s: a selected blank looks like any other", theme.Name, p)
				}
			})
			if pens.Of(themes.Plain) != (themes.Pen{}) {
				t.Errorf("%s with %s: the plain style is %v", theme.Name, p, pens.Of(themes.Plain))
			}
		}
	}
}

func TestHeat_Steps(t *testing.T) {
	for _, tt := range []struct {
		fraction float64
		want     themes.Token
	}{{-1, themes.Heat0}, {0, themes.Heat0}, {0.5, themes.Heat4}, {0.99, themes.Heat7}, {1, themes.Heat7}, {7, themes.Heat7}} {
		if got := themes.Heat(tt.fraction); got != tt.want {
			t.Errorf("a fraction of %v is step %d, want %d", tt.fraction, got-themes.Heat0, tt.want-themes.Heat0)
		}
	}
}
