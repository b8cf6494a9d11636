package draw_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/views/draw"
)

func TestRect_CutsTile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := draw.Rect{X: rapid.IntRange(0, 9).Draw(t, "x"), Y: rapid.IntRange(0, 9).Draw(t, "y"), W: rapid.IntRange(0, 300).Draw(t, "w"), H: rapid.IntRange(0, 120).Draw(t, "h")}
		n := rapid.IntRange(-5, 400).Draw(t, "n")
		for name, cut := range map[string]func(int) (draw.Rect, draw.Rect){"left": r.Left, "right": r.Right, "top": r.Top, "bottom": r.Bottom} {
			a, b := cut(n)
			if a.W < 0 || a.H < 0 || b.W < 0 || b.H < 0 || a.W*a.H+b.W*b.H != r.W*r.H {
				t.Fatalf("%s %d of %v is %v and %v", name, n, r, a, b)
			}
		}
	})
}

func TestArrange_FitsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var columns []draw.Column
		for i := range rapid.IntRange(1, 10).Draw(t, "columns") {
			columns = append(columns, draw.Column{Min: rapid.IntRange(1, 20).Draw(t, "min"), Grow: rapid.IntRange(0, 4).Draw(t, "grow"), Max: 30, Rank: i})
		}
		width := rapid.IntRange(0, 200).Draw(t, "width")
		end := -1
		for i, p := range draw.Arrange(columns, width) {
			if p.W == 0 {
				continue
			}
			if p.X <= end && end >= 0 || p.X+p.W > width || p.W < columns[i].Min {
				t.Fatalf("column %d of %v is at %v in %d columns, after %d", i, columns, p, width, end)
			}
			end = p.X + p.W
		}
	})
}

func TestVisible_ShowsSelectedRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, height := rapid.IntRange(0, 1000).Draw(t, "total"), rapid.IntRange(0, 60).Draw(t, "height")
		first, selected := rapid.IntRange(-5, 1200).Draw(t, "first"), rapid.IntRange(0, max(total-1, 0)).Draw(t, "selected")
		w := draw.Visible(total, height, first, selected)
		if w.Count != min(total, height) || w.First < 0 || w.First+w.Count > total {
			t.Fatalf("the window is %v", w)
		}
		if w.Count > 0 && (selected < w.First || selected >= w.First+w.Count) {
			t.Fatalf("row %d is outside of %v", selected, w)
		}
	})
}

func TestNumber_Extremes(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for want, got := range map[string][]byte{
		"9,223,372,036,854,775,807": draw.AppendCount(nil, most), "-9,223,372,036,854,775,808": draw.AppendCount(nil, least),
		"106751d": draw.AppendSpan(nil, most), "-106751d": draw.AppendSpan(nil, least),
	} {
		if string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	drawn := func(of func(draw.Area)) string {
		c := draw.New(30, 1)
		of(c.All(draw.Braille))
		return strings.TrimSpace(c.Plain())
	}
	whole := strings.Repeat("━", 30)
	for name, tt := range map[string]struct{ want, got string }{
		"a full bar":       {whole, drawn(func(a draw.Area) { a.Bar(0, 0, 30, 0, 9e18) })},
		"an empty bar":     {strings.Repeat("·", 30), drawn(func(a draw.Area) { a.Bar(0, 0, 30, 0, -9e18) })},
		"a long countdown": {whole, drawn(func(a draw.Area) { a.Countdown(0, 0, 30, 0, 9e18) })},
		"one that is over": {strings.Repeat("┄", 30), drawn(func(a draw.Area) { a.Countdown(0, 0, 30, 0, -9e18) })},
		"a percentage":     {"9223372036854775807%", drawn(func(a draw.Area) { a.PercentRight(0, 0, 30, 0, 9e18) })},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %s, want %s", name, tt.got, tt.want)
		}
	}
}

func TestNumber_Formats(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 7: "7ns", 84 * time.Microsecond: "84µs", 2300 * time.Microsecond: "2.3ms", 310 * time.Millisecond: "310ms",
		4240 * time.Millisecond: "4.2s", 9960 * time.Millisecond: "9s", 41 * time.Second: "41s", 190 * time.Second: "3m10s",
		40 * time.Minute: "40m", 3 * time.Hour: "3h", 72 * time.Hour: "3d", -time.Minute: "-1m00s",
	} {
		if got := string(draw.AppendSpan(nil, d)); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 48213: "48,213", -1234567: "-1,234,567"} {
		if got := string(draw.AppendCount(nil, n)); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestHints_Shrink(t *testing.T) {
	hints := []draw.Hint{{Key: "/", Action: "filter"}, {Key: "enter", Action: "open"}, {Key: "?", Action: "help"}}
	for _, tt := range []struct {
		w    int
		want string
	}{
		{40, " / filter   enter open   ? help         "},
		{29, " / enter ? help              "},
		{12, " ? help     "},
		{5, "     "},
	} {
		c := draw.New(tt.w, 1)
		c.All(draw.Braille).Hints(hints)
		if c.Plain() != tt.want {
			t.Errorf("in %d columns the hints are %q, want %q", tt.w, c.Plain(), tt.want)
		}
	}
}
