package themes_test

import (
	"regexp"
	"strings"
	"testing"

	"orrery/themes"
)

var (
	profiles = []themes.Profile{themes.TrueColor, themes.Palette256, themes.Palette16, themes.NoColor}
	attrs    = []themes.Attr{0, themes.Bold, themes.Italic | themes.Underline, themes.Selected, themes.Reverse | themes.Bold}
)

// The codes that a profile may use.
var allowed = map[themes.Profile]*regexp.Regexp{
	themes.TrueColor:  regexp.MustCompile(`^(\x1b\[((\d|3[0-79]|4[0-79]|9\d|10\d|[34]8;5;\d+|[34]8;2;\d+;\d+;\d+);?)*m)?$`),
	themes.Palette256: regexp.MustCompile(`^(\x1b\[((\d|3[0-79]|4[0-79]|9\d|10\d|[34]8;5;\d+);?)*m)?$`),
	themes.Palette16:  regexp.MustCompile(`^(\x1b\[((\d|3[0-79]|4[0-79]|9\d|10\d);?)*m)?$`),
	themes.NoColor:    regexp.MustCompile(`^(\x1b\[(([0-47]|39);?)*m)?$`),
}

func eachStyle(visit func(themes.Style)) {
	for token := themes.Text; token <= themes.Heat7; token++ {
		for _, a := range attrs {
			visit(token.With(a))
		}
	}
}

func TestEveryTokenResolvesInEveryProfile(t *testing.T) {
	for _, theme := range themes.Shipped() {
		for _, p := range profiles {
			inks := theme.Resolve(p)
			eachStyle(func(s themes.Style) {
				if got := string(inks.AppendSwitch(nil, themes.Plain, s)); !allowed[p].MatchString(got) {
					t.Errorf("%s with %s: style %v becomes %q", theme.Name, p, s, got)
				}
			})
		}
	}
}

// pen is what a terminal remembers.
type pen struct {
	foreground, ground string
	attrs              map[string]bool
}

// told is the pen after a sequence of codes.
func (p pen) told(codes string) pen {
	blank := pen{attrs: map[string]bool{}}
	for _, sequence := range strings.Split(codes, "\x1b[")[1:] {
		words := strings.Split(strings.TrimSuffix(sequence, "m"), ";")
		for i := 0; i < len(words); i++ {
			c := words[i]
			if c == "38" || c == "48" {
				length := map[string]int{"2": 5, "5": 3}[words[i+1]]
				c = strings.Join(words[i:i+length], ";")
				i += length - 1
			}
			switch {
			case c == "" || c == "0":
				p = blank
			case c == "39":
				p.foreground = ""
			case c[0] == '3' && len(c) > 1, c[0] == '9':
				p.foreground = c
			case c[0] == '4' && len(c) > 1, len(c) == 3:
				p.ground = c
			default:
				p.attrs[c] = true
			}
		}
	}
	return p
}

func (p pen) same(o pen) bool {
	if p.foreground != o.foreground || p.ground != o.ground || len(p.attrs) != len(o.attrs) {
		return false
	}
	for a := range p.attrs {
		if !o.attrs[a] {
			return false
		}
	}
	return true
}

func TestASwitchEndsInTheSameStyleWhereverItStarts(t *testing.T) {
	var styles []themes.Style
	for _, token := range []themes.Token{themes.Text, themes.Dim, themes.Title, themes.Bad, themes.Heat3} {
		for _, a := range attrs {
			styles = append(styles, token.With(a))
		}
	}
	fresh := func(codes []byte) pen { return pen{attrs: map[string]bool{}}.told(string(codes)) }
	for _, theme := range themes.Shipped() {
		for _, p := range profiles {
			inks := theme.Resolve(p)
			for _, to := range append(styles, themes.Plain) {
				want := fresh(inks.AppendSwitch(nil, themes.Plain, to))
				for _, from := range styles {
					codes := string(inks.AppendSwitch(nil, from, to))
					if got := fresh(inks.AppendSwitch(nil, themes.Plain, from)).told(codes); !got.same(want) {
						t.Fatalf("%s with %s: %v to %v is %q and gives %v, want %v", theme.Name, p, from, to, codes, got, want)
					}
				}
			}
		}
	}
}

func TestHeatGoesFromColdToHot(t *testing.T) {
	for _, tt := range []struct {
		fraction float64
		want     themes.Token
	}{{-1, themes.Heat0}, {0, themes.Heat0}, {0.5, themes.Heat4}, {0.99, themes.Heat7}, {1, themes.Heat7}, {7, themes.Heat7}} {
		if got := themes.Heat(tt.fraction); got != tt.want {
			t.Errorf("a fraction of %v is step %d, want %d", tt.fraction, got-themes.Heat0, tt.want-themes.Heat0)
		}
	}
}
