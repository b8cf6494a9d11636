package draw

import (
	"testing"

	"orrery/themes"
)

func TestHighlight_MarksEveryOccurrence(t *testing.T) {
	for _, tt := range []struct{ row, text, marks string }{
		{"web-1 Web-2 dweb", "web", "^^^   ^^^    ^^^"},
		{"aaaa", "aa", "^^^^"},
		{"aaa", "aa", "^^"},
		{"日本語", "本", "  ^^"},
		{"É and é", "é", "^     ^"},
		{"web", "", ""},
		{"web", "webs", ""},
		{"we", "web", ""}, // the next row goes on with b
	} {
		c := New(20, 2)
		a := c.All(Braille)
		a.Text(0, 0, themes.Style(themes.Text), tt.row)
		a.Text(0, 1, themes.Style(themes.Text), "b")
		a.Highlight(tt.text)
		got, n := "", 0
		for _, style := range c.Cells() {
			if n++; n > 20 {
				break
			}
			if style.Attr() == found {
				got += "^"
			} else {
				got += " "
			}
		}
		if got = trimRight(got); got != tt.marks {
			t.Errorf("%q in %q marks %q, want %q", tt.text, tt.row, got, tt.marks)
		}
	}
}

func trimRight(s string) string {
	for s != "" && s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}
