package themes_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"orrery/themes"
)

func linear(v uint8) float64 {
	c := float64(v) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// light is a colour as linear intensities.
type light [3]float64

func lightOf(c themes.RGB) light { return light{linear(c.R), linear(c.G), linear(c.B)} }

func (l light) luminance() float64 { return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] }

// contrast returns WCAG 2's contrast ratio of two colours.
func contrast(a, b themes.RGB) float64 {
	x, y := lightOf(a).luminance(), lightOf(b).luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// written are the tokens used for words; all others need only the contrast of glyphs and lines.
var written = map[themes.Token]bool{themes.Text: true, themes.Dim: true, themes.Title: true, themes.Accent: true}

func TestThemes_Contrast(t *testing.T) {
	for _, theme := range themes.Shipped() {
		for token := themes.Text; token <= themes.Heat7; token++ {
			c, ok := theme.Color(token).RGB()
			if !ok || token == themes.Selection {
				continue
			}
			least := 3.0
			switch {
			case written[token] && theme.Name == "high-contrast":
				least = 7
			case written[token]:
				least = 4.5
			}
			if got := contrast(c, theme.Background); got < least {
				t.Errorf("%s: %s has a contrast of %.2f on the ground, want %.1f", theme.Name, token, got, least)
			}
			selected, _ := theme.Color(themes.Selection).RGB()
			if got := contrast(c, selected); written[token] && got < 4.5 {
				t.Errorf("%s: %s has a contrast of %.2f on a selected row, want 4.5", theme.Name, token, got)
			}
		}
	}
}

// seen are the kinds of colour vision: with all three cones, and without one of them (Machado, Oliveira and Fernandes
// 2009).
var seen = map[string][3]light{
	"full colour vision": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":         {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia":       {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":         {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func (l light) through(eye [3]light) light {
	var out light
	for i := range out {
		out[i] = min(max(eye[i][0]*l[0]+eye[i][1]*l[1]+eye[i][2]*l[2], 0), 1)
	}
	return out
}

// lab is a colour in CIELAB, where equal distances look equally different.
func (l light) lab() [3]float64 {
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := f((0.4124564*l[0] + 0.3575761*l[1] + 0.1804375*l[2]) / 0.95047)
	y := f(0.2126729*l[0] + 0.7151522*l[1] + 0.0721750*l[2])
	z := f((0.0193339*l[0] + 0.1191920*l[1] + 0.9503041*l[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func apart(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// madeFor are the kinds of colour vision for which a theme separates every two states. Glyph and word separate all
// states too.
var madeFor = map[string][]string{
	"dark": {"full colour vision"}, "light": {"full colour vision"}, "high-contrast": {"full colour vision"},
	"colour-blind": {"full colour vision", "protanopia", "deuteranopia", "tritanopia"},
	"tritan":       {"full colour vision", "tritanopia"},
}

func TestThemes_StatesAreDistinct(t *testing.T) {
	const least = 20.0
	doc, err := os.ReadFile("../docs/themes.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, eyes := range madeFor {
		row := "| `" + name + "` |"
		theme, ok := themes.Named(name)
		if !ok {
			t.Fatalf("there is no theme %s", name)
		}
		for _, eye := range []string{"full colour vision", "protanopia", "deuteranopia", "tritanopia"} {
			if !slices.Contains(eyes, eye) {
				row += " |"
				continue
			}
			nearest := math.Inf(1)
			states := themes.StateTokens()
			for i, a := range states {
				for _, b := range states[:i] {
					x, _ := theme.Color(a).RGB()
					y, _ := theme.Color(b).RGB()
					got := apart(lightOf(x).through(seen[eye]).lab(), lightOf(y).through(seen[eye]).lab())
					if nearest = min(nearest, got); got < least {
						t.Errorf("%s: with %s, %s and %s are %.1f apart, want %.0f", name, eye, a, b, got, least)
					}
				}
			}
			row += fmt.Sprintf(" %.1f |", nearest)
		}
		if !strings.Contains(string(doc), row+"\n") {
			t.Errorf("docs/themes.md lacks the row %s", row)
		}
	}
}

func TestThemes_DocIsUpToDate(t *testing.T) {
	doc, err := os.ReadFile("../docs/themes.md")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"heat"}
	for _, theme := range themes.Shipped() {
		names = append(names, theme.Name)
	}
	for token := themes.Text; token < themes.Heat0; token++ {
		names = append(names, token.String())
	}
	for _, name := range names {
		if !strings.Contains(string(doc), "| `"+name+"` |") {
			t.Errorf("docs/themes.md does not tell of %s", name)
		}
	}
}
