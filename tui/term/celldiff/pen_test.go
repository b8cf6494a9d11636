package celldiff

import (
	"testing"

	"orrery/themes"
	"orrery/tui/ptytest"
)

func TestAppendSwitch_SameStyleFromAnywhere(t *testing.T) {
	var styles []themes.Style
	for _, token := range []themes.Token{themes.Text, themes.Dim, themes.Title, themes.Bad, themes.Heat3, themes.Plain.Token()} {
		for _, attr := range []themes.Attr{0, themes.Bold, themes.Faint, themes.Italic | themes.Underline, themes.Selected, themes.Reverse | themes.Bold} {
			styles = append(styles, token.With(attr))
		}
	}
	shown := func(codes []byte) string { return ptytest.Shown(2, 1, append(codes, 'x')).Styled() }
	for _, theme := range themes.Shipped() {
		for _, profile := range []themes.Profile{themes.TrueColor, themes.Palette256, themes.Palette16, themes.NoColor} {
			pens := theme.Pens(profile)
			for _, to := range styles {
				want := shown(appendSwitch(nil, themes.Pen{}, pens.Of(to)))
				for _, from := range styles {
					codes := appendSwitch(appendSwitch(nil, themes.Pen{}, pens.Of(from)), pens.Of(from), pens.Of(to))
					if got := shown(codes); got != want {
						t.Fatalf("%s with %s: %v to %v is %q, which shows %q, want %q", theme.Name, profile, from, to, codes, got, want)
					}
				}
			}
		}
	}
}
