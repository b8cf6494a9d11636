package draw_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orrery/themes"
	"orrery/views/draw"
)

// fullCanvas is a canvas with every kind of content.
func fullCanvas() *draw.Canvas {
	c := draw.New(40, 8)
	a := c.All(draw.Braille)
	inside := a.Box(draw.Frame{Digit: '2', Title: "Queue <&>", Right: "3 waiting", Focused: true})
	inside.Text(0, 0, themes.Bad.With(themes.Bold), "✗ unschedulable  default/web")
	inside.Text(0, 1, themes.Text.With(themes.Italic), "日本語ポッド e\u0301 👩‍👩‍👧")
	inside.Bar(0, 2, 12, themes.Style(themes.Heat5), 0.4)
	inside.Countdown(14, 2, 12, themes.Style(themes.Backoff), 0.5)
	inside.Item(3, true).Text(0, 0, themes.Style(themes.Text), "selected")
	row := inside
	row.Rect = draw.Rect{X: 1, Y: 5, W: 20, H: 2}
	row.Chart(themes.Style(themes.Good), []float64{1, 2, 3, 4, 5}, 5)
	return c
}

// element is the part of an element that tests compare.
type element struct {
	name  string
	attrs map[string]string
	text  string
}

func elements(t testing.TB, svg string) (all []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("the picture is invalid XML: %v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += string(token)
			}
		}
	}
}

func TestSVG_HoldsEveryText(t *testing.T) {
	svg := fullCanvas().SVG(themes.Shipped()[0])
	var texts []string
	for _, e := range elements(t, svg) {
		if e.name != "text" {
			continue
		}
		text := strings.TrimRight(e.text, "\n")
		texts = append(texts, text)
		if length := e.attrs["textLength"]; length != "" && length != strconv.Itoa(9*draw.Width(text)) {
			t.Errorf("%q is %s wide, want %d", text, length, 9*draw.Width(text))
		}
		if x, err := strconv.Atoi(e.attrs["x"]); err != nil || x%9 != 0 {
			t.Errorf("%q is at %s, which is between columns", text, e.attrs["x"])
		}
	}
	for _, want := range []string{"Queue <&>", "3 waiting", "✗", "unschedulable", "default/web", "日", "ド", "e\u0301", "👩‍👩‍👧", "selected"} {
		if !contains(texts, want) {
			t.Errorf("%q is not among the texts: %q", want, texts)
		}
	}
}

func contains(all []string, text string) bool {
	for _, s := range all {
		if s == text {
			return true
		}
	}
	return false
}

func TestSVG_FrameAndColors(t *testing.T) {
	for _, theme := range themes.Shipped() {
		var b strings.Builder
		if err := fullCanvas().WriteSVG(&b, theme, draw.Picture{Title: `a "title" <&>`, Description: "what it is"}); err != nil {
			t.Fatal(err)
		}
		svg := b.String()
		all := elements(t, svg)
		root := all[0]
		if root.attrs["width"] != "388" || root.attrs["role"] != "img" || root.attrs["aria-label"] != "what it is" {
			t.Errorf("%s: the picture is %v", theme.Name, root.attrs)
		}
		if !strings.Contains(svg, ">a &#34;title&#34; &lt;&amp;&gt;</text>") {
			t.Errorf("%s: the title is missing", theme.Name)
		}
		selected := theme.Appearance(themes.Text.With(themes.Selected))
		background := strings.Index(svg, hexOf(selected.Background))
		if text := strings.Index(svg, ">selected<"); background < 0 || background > text || !selected.HasBackground {
			t.Errorf("%s: the selected row has no background", theme.Name)
		}
	}
}

func hexOf(c themes.RGB) string {
	const digits = "0123456789abcdef"
	b := []byte{'#'}
	for _, v := range []uint8{c.R, c.G, c.B} {
		b = append(b, digits[v>>4], digits[v&15])
	}
	return string(b)
}

var coordinates = regexp.MustCompile(`^([MmhvazA-Za-z]|-?(\d+(\.\d+)?|\.\d+)|[ ,])*$`)

func TestSVG_WellFormedAndDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw.New(rapid.IntRange(0, 30).Draw(t, "w"), rapid.IntRange(0, 6).Draw(t, "h"))
		for range rapid.IntRange(0, 8).Draw(t, "texts") {
			style := themes.Token(rapid.IntRange(0, int(themes.Heat7)).Draw(t, "token")).With(attrs[rapid.IntRange(0, len(attrs)-1).Draw(t, "attr")])
			text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[─│╭╮╰╯├┤┬┴┼━┄█▌▁░·⣿■⏸]{1,12}`)).Draw(t, "text")
			c.All(draw.Braille).Text(rapid.IntRange(0, 30).Draw(t, "x"), rapid.IntRange(0, 6).Draw(t, "y"), style, text)
		}
		svg := c.SVG(themes.Shipped()[0])
		if again := c.SVG(themes.Shipped()[0]); svg != again {
			t.Fatal("the same canvas gives two pictures")
		}
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("invalid XML: %v\n%s", err, svg)
			}
			start, ok := token.(xml.StartElement)
			if !ok || start.Name.Local != "path" {
				continue
			}
			for _, a := range start.Attr {
				if a.Name.Local == "d" && !coordinates.MatchString(a.Value) {
					t.Fatalf("a path is %q", a.Value)
				}
			}
		}
	})
}

var attrs = []themes.Attr{0, themes.Bold, themes.Italic | themes.Faint, themes.Selected, themes.Reverse | themes.Underline}

func TestSVG_LongLinesAreOnePath(t *testing.T) {
	c := draw.New(100, 30)
	c.All(draw.Braille).Box(draw.Frame{Border: themes.Border, Title: "nodes"})
	svg := c.SVG(themes.Shipped()[0])
	for _, e := range elements(t, svg) {
		if strokes := strings.Count(e.attrs["d"], "M"); e.name == "path" && strokes != 9 {
			t.Errorf("a frame is drawn in %d strokes, want four corners, and four lines of which the title parts one: %s", strokes, e.attrs["d"])
		}
	}
}
