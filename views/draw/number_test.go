package draw_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// shownIn returns what a row of w columns shows.
func shownIn(w int, number func(a draw.Area)) string {
	c := draw.New(w, 1)
	number(c.All(draw.Braille))
	return strings.TrimSpace(c.Plain())
}

func TestCountRight_Abbreviates(t *testing.T) {
	for _, c := range []struct {
		n    int64
		w    int
		want string
	}{
		{2_000_001_000, 13, "2,000,001,000"},
		{2_000_001_000, 10, "2000001000"},
		{2_000_001_000, 8, "2.0G"},
		{2_000_001_000, 3, "2G"},
		{2_000_001_000, 1, "…"},
		{-2_000_001_000, 6, "-2.0G"},
		{48_213, 5, "48213"},
		{48_213, 4, "48k"},
		{999_999, 5, "999k"},
		{math.MinInt64, 6, "-9.2E"},
		{100, 2, "…"},
	} {
		if got := shownIn(c.w, func(a draw.Area) { a.CountRight(0, 0, c.w, 0, c.n) }); got != c.want {
			t.Errorf("%d in %d columns: %q, want %q", c.n, c.w, got, c.want)
		}
	}
}

func TestSpanRight_TakesLargerUnit(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		w    int
		want string
	}{
		{-72 * time.Second, 6, "-1m12s"},
		{-72 * time.Second, 5, "-1m"},
		{-323 * time.Millisecond, 6, "-323ms"},
		{-323 * time.Millisecond, 5, "-0.3s"},
		{-323 * time.Millisecond, 4, "0s"},
		{10 * time.Minute, 5, "10m"},
		{9*time.Minute + 59*time.Second, 4, "9m"},
		{-3 * time.Hour, 3, "-3h"},
		{20_000 * 24 * time.Hour, 5, "54y"},
		{84 * time.Microsecond, 3, "0s"},
	} {
		if got := shownIn(c.w, func(a draw.Area) { a.SpanRight(0, 0, c.w, 0, c.d) }); got != c.want {
			t.Errorf("%v in %d columns: %q, want %q", c.d, c.w, got, c.want)
		}
	}
}

func TestNumbersRight_AreNeverBlank(t *testing.T) {
	const style = themes.Style(themes.Text)
	for w := 1; w <= 20; w++ {
		for n := int64(1); n > 0 && n < math.MaxInt64/7; n *= 7 {
			for _, n := range []int64{n, -n} {
				for name, number := range map[string]func(draw.Area){
					"count":   func(a draw.Area) { a.CountRight(0, 0, w, style, n) },
					"span":    func(a draw.Area) { a.SpanRight(0, 0, w, style, time.Duration(n)) },
					"age":     func(a draw.Area) { a.AgeRight(0, 0, w, style, time.Duration(n)) },
					"percent": func(a draw.Area) { a.PercentRight(0, 0, w, style, float64(n)) },
				} {
					if shownIn(w, number) == "" {
						t.Errorf("the %s of %d is blank in %d columns", name, n, w)
					}
				}
			}
		}
	}
}
