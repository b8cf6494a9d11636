package draw_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"orrery/themes"
	"orrery/views/draw"
)

// odd are pieces of names whose width terminals and programs measure differently.
var odd = []string{
	"", "a", "web-0", " ", "日本語", "ポッド", "한국", "\u1112\u1161\u11ab", "é", "e\u0301", "👩\u200d🚀", "👍🏽", "🇩🇪", "🇩", "\u26a0\ufe0f", "⚠",
	"שלום", "مرحبا", "\u0600", "\u0301", "\u200d", "\ufe0f", "ﷺ", "क्षि", "ก็", "\t", "\x1b[31m", "\x00", "\xff", "\u202e", "…", "─", "⣿", "☠", "♥",
	strings.Repeat("x", 5000), strings.Repeat("語", 1700),
}

func drawText(t *rapid.T) string {
	pieces := rapid.SliceOfN(rapid.SampledFrom(odd), 0, 4).Draw(t, "text")
	return strings.Join(pieces, "")
}

func checkSize(t interface {
	Helper()
	Fatalf(string, ...any)
}, what, text string, w, h int,
) {
	t.Helper()
	lines := strings.Split(text, "\n")
	if h == 0 && text == "" {
		return
	}
	if len(lines) != h {
		t.Fatalf("%s has %d rows, want %d", what, len(lines), h)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != w {
			t.Fatalf("row %d of %s is %d columns wide, want %d: %q", i, what, got, w, line)
		}
	}
}

// checkCells fails unless there is a cell for every column, and every wide grapheme has its tail in the same row.
func checkCells(t *rapid.T, c *draw.Canvas) {
	w, h := c.Size()
	n, wide := 0, false
	for g := range c.Cells() {
		if g.Tail != wide || wide && n%w == 0 {
			t.Fatalf("cell %d is %+v, behind a wide one: %v", n, g, wide)
		}
		n, wide = n+1, g.Wide
	}
	if n != w*h || wide {
		t.Fatalf("there are %d cells, the last one wide: %v; want %d", n, wide, w*h)
	}
}

func TestCanvas_RowsAreExactlyAsWide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(0, 40).Draw(t, "w"), rapid.IntRange(0, 6).Draw(t, "h")
		c := draw.New(w, h)
		a := c.All(rapid.SampledFrom([]draw.Glyphs{draw.Braille, draw.Block, draw.ASCII}).Draw(t, "glyphs"))
		for range rapid.IntRange(1, 12).Draw(t, "drawings") {
			x, y, n := rapid.IntRange(-3, 42).Draw(t, "x"), rapid.IntRange(-1, 7).Draw(t, "y"), rapid.IntRange(-1, 42).Draw(t, "n")
			style := themes.Token(rapid.IntRange(0, 23).Draw(t, "token")).With(themes.Bold)
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0:
				a.Text(x, y, style, drawText(t))
			case 1:
				a.Fit(x, y, n, style, drawText(t))
			case 2:
				a.FitPath(x, y, n, style, drawText(t))
			case 3:
				a.TextRight(x, y, n, style, drawText(t))
			case 4:
				a.Wrap(max(x, 0), y, n, 3, style, drawText(t))
			case 5:
				a = a.Box(draw.Frame{Digit: '2', Title: drawText(t), Right: drawText(t)})
			case 6:
				a.Bar(x, y, n, style, rapid.Float64Range(-1, 2).Draw(t, "fraction"))
			case 7:
				a.Chart(style, rapid.SliceOf(rapid.Float64Range(-1, 9)).Draw(t, "values"), 5)
			default:
				a.FitHost(x, y, n, style, drawText(t))
			}
		}
		checkSize(t, "the plain canvas", c.Plain(), w, h)
		checkCells(t, c)
		if strings.ContainsRune(c.Plain(), '\x1b') {
			t.Fatalf("the plain canvas has an escape sequence: %q", c.Plain())
		}
	})
}

func TestFit_Truncates(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		w          int
		want       string
	}{
		{"a text that fits", "abc", 3, "abc"},
		{"a longer text ends in an ellipsis", "abcd", 3, "ab…"},
		{"one column is the ellipsis", "abcd", 1, "…"},
		{"no column is nothing", "abcd", 0, ""},
		{"a wide character is not split", "日本語", 4, "日…"},
		{"a column left by a wide character is blank", "日本語", 5, "日本…"},
		{"an accent stays with its letter", "ae\u0301bcd", 3, "ae\u0301…"},
		{"a joined emoji is not split", "👩\u200d🚀👩\u200d🚀", 3, "👩\u200d🚀…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := draw.New(8, 1)
			c.All(draw.Braille).Fit(0, 0, tt.w, 0, tt.text)
			if got := strings.TrimRight(c.Plain(), " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestFit_NarrowNamesDiffer: what tells siblings apart is at their end, and stays in a narrow column. A domain is left out first.
func TestFit_NarrowNamesDiffer(t *testing.T) {
	for _, tt := range []struct {
		w          int
		name, want string
	}{
		{12, "shop-north-10", "shop-no…h-10"},
		{12, "shop-north-11", "shop-no…h-11"},
		{9, "shop-north-10", "shop-…-10"},
		{8, "shop-north-10", "shop-no…"},
		{13, "shop-north-10", "shop-north-10"},
		{12, "ip-10-0-0-17.internal", "ip-10-0-0-17"},
		{12, "ip-10-0-10-17.internal", "ip-10-0…0-17"},
	} {
		c := draw.New(tt.w, 1)
		c.All(draw.Braille).FitHost(0, 0, tt.w, 0, tt.name)
		if got := strings.TrimRight(c.Plain(), " \n"); got != tt.want {
			t.Errorf("%s in %d columns is %q, want %q", tt.name, tt.w, got, tt.want)
		}
	}
}

func TestFit_PodKeepsItsEndHostItsStart(t *testing.T) {
	c := draw.New(20, 2)
	a := c.All(draw.Braille)
	a.FitPath(0, 0, 20, 0, "shop/checkout-7d9f6c5b8-x2kqp")
	a.FitHost(0, 1, 20, 0, "ip-10-0-3-85.eu-west-1.compute.internal")
	if want := "shop/checkout-…x2kqp\nip-10-0-3-85…       "; c.Plain() != want {
		t.Errorf("got\n%s\nwant\n%s", c.Plain(), want)
	}
}

func TestNumber_IsNeverCut(t *testing.T) {
	c := draw.New(9, 2)
	a := c.All(draw.Braille)
	a.CountRight(0, 0, 6, 0, 48213)
	a.CountRight(0, 1, 5, 0, 48213)
	if want := "48,213   \n48213    "; c.Plain() != want {
		t.Errorf("got %q, want %q", c.Plain(), want)
	}
}

func TestGlyphs_ASCII(t *testing.T) {
	c := draw.New(30, 8)
	a := c.All(draw.ASCII)
	in := a.Box(draw.Frame{Digit: '2', Title: "Queue", Right: "7 · 9"})
	in.Bar(0, 0, 20, 0, 0.4)
	in.Countdown(0, 1, 20, 0, 0.4)
	in.Text(0, 2, 0, "● ◔ ✗ ◌ ➤ ✓ ⚑ ▼ ☠ → 日本")
	_, rest := in.Top(3)
	in.In(rest).Chart(0, []float64{1, 2, 3, 0}, 3)
	for _, r := range c.Plain() {
		if r >= 0x7f && r != '本' && r != '日' {
			t.Errorf("%q is not ASCII", r)
		}
	}
}

func TestDot_JoinsDotsOfACell(t *testing.T) {
	for glyphs, want := range map[draw.Glyphs]string{draw.Braille: "⢁ ", draw.Block: "· ", draw.ASCII: ". "} {
		c := draw.New(2, 1)
		a := c.All(glyphs)
		for _, p := range [][2]int{{0, 0}, {1, 3}, {-1, 0}, {4, 0}, {0, 4}} { // the last three are outside
			a.Dot(p[0], p[1], themes.Style(themes.Text))
		}
		if got := c.Plain(); got != want {
			t.Errorf("with %s it draws %q, want %q", glyphs, got, want)
		}
	}
}

// What of a scrolled area is outside its window is not drawn, wide characters included.
func TestArea_Scrolled(t *testing.T) {
	c := draw.New(6, 4)
	_, rest := c.All(draw.Braille).Top(1)
	window := c.All(draw.Braille).In(rest)
	text := window.Scrolled(2, 9)
	for y := range 9 {
		text.Text(0, y, themes.Plain, string(rune('0'+y))+"日本")
		text.Row(y).Set(5, 0, themes.Plain, '|')
	}
	if got, want := c.Plain(), "      \n2日本|\n3日本|\n4日本|"; got != want {
		t.Errorf("the canvas is\n%s\nwant\n%s", got, want)
	}
}
