package themes_test

import (
	"strings"
	"testing"

	"orrery/core/testing/fuzz"
	"orrery/themes"
)

func TestParse_ChangesNamedTokens(t *testing.T) {
	theme, err := themes.Parse([]byte("name: midnight\nbase: light\ncolors:\n  accent: '#7aa2f7'\n  border: 240\n  text: none\n  heat: ['#000000', '#ffffff']\n"))
	if err != nil {
		t.Fatal(err)
	}
	base, _ := themes.Named("light")
	for token, want := range map[themes.Token]themes.Color{
		themes.Accent: themes.True(themes.RGB{R: 0x7a, G: 0xa2, B: 0xf7}), themes.Border: themes.Indexed(240), themes.Text: {},
		themes.Heat0: themes.True(themes.RGB{}), themes.Heat7: themes.True(themes.RGB{R: 255, G: 255, B: 255}), themes.Good: base.Color(themes.Good),
	} {
		if got := theme.Color(token); got != want {
			t.Errorf("%s is %v, want %v", token, got, want)
		}
	}
	if theme.Name != "midnight" || !theme.Light {
		t.Errorf("the theme is %q, light %v", theme.Name, theme.Light)
	}
}

func TestParse_ErrorsNameTheField(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"nothing at all", "", "the file is empty"},
		{"a list", "- a", "line 1: the theme must be a mapping"},
		{"no YAML", "a: [", "yaml:"},
		{"no name", "base: dark", "name: a theme needs one"},
		{"a field that does not exist", "name: a\ncolour: {}", `line 2: "colour" is no field of a theme`},
		{"a base that does not exist", "name: a\nbase: pink", `line 2: base: there is no theme "pink"; there are dark, light`},
		{"a token that does not exist", "name: a\ncolors:\n  acent: '#ffffff'", "line 3: colors.acent: there is no such token; there are text, dim"},
		{"a colour that is none", "name: a\ncolors:\n  good: greenish", `line 3: colors.good: "greenish" is no colour`},
		{"a number too high", "name: a\ncolors:\n  good: 256", "colors.good"},
		{"a mapping for a colour", "name: a\ncolors:\n  good: {r: 1}", "colors.good: one colour is wanted"},
		{"a token given twice", "name: a\ncolors:\n  good: 1\n  good: 2", `line 4: "good" is given twice`},
		{"a ramp of one", "name: a\ncolors:\n  heat: ['#ffffff']", "colors.heat: a list of 2 to 8 colours"},
		{"a ramp of numbers", "name: a\ncolors:\n  heat: [1, 2]", `colors.heat: "1" cannot be blended`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := themes.Parse([]byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestParse_BoundsMemory(t *testing.T) {
	for _, text := range []string{"{" + strings.Repeat("a,", 30_000) + "}", strings.Repeat("a", 100_000)} {
		fuzz.Cost(t, len(text), func() {
			if _, err := themes.Parse([]byte(text)); err == nil {
				t.Errorf("%.20q… is a theme", text)
			}
		})
	}
}

// FuzzParse reads themes.
//
//orrery:reads themes
func FuzzParse(f *testing.F) {
	f.Add([]byte("name: a\nbase: dark\ncolors:\n  heat: ['#000000', '#ffffff']\n  text: 3\n"))
	f.Add([]byte("{" + strings.Repeat("a,", 300) + "}"))
	f.Add([]byte("name: a\ncolors: {heat: [1, 2], text: '#zz'}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var theme *themes.Theme
		var err error
		fuzz.Cost(t, len(data), func() { theme, err = themes.Parse(data) })
		if err != nil {
			fuzz.Error(t, err)
		}
		if (theme == nil) == (err == nil) {
			t.Errorf("theme %v and error %v", theme, err)
		}
	})
}
