package collect

import (
	"slices"
	"testing"
	"time"

	"orrery/core/scheduler/engine"
)

// The curves are the same at any time; a remainder of a negative second, before 1970, is negative.
func TestCurves_BeforeUnixEpoch(t *testing.T) {
	series := func(from time.Time) (rate, slow []float64, now float64) {
		var c curves
		for _, after := range []time.Duration{0, time.Second, time.Second, 4 * time.Minute, 5 * time.Minute} {
			c.add(&engine.Decision{At: from.Add(after), Duration: after / 1000})
		}
		end := from.Add(5*time.Minute + time.Second)
		rate, slow = c.series(end)
		return rate, append(slow, c.p99(end).Seconds()), c.rate(end)
	}
	wantRate, wantSlow, wantNow := series(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	for _, from := range []time.Time{time.Time{}.Add(time.Second), time.Unix(-1, 0), time.Date(1960, 2, 29, 0, 0, 0, 0, time.UTC)} {
		rate, slow, now := series(from)
		if !slices.Equal(rate, wantRate) || !slices.Equal(slow, wantSlow) || now != wantNow {
			t.Errorf("from %v on the curves are\n%v\n%v\n%v\nwant\n%v\n%v\n%v", from, rate, slow, now, wantRate, wantSlow, wantNow)
		}
	}
}

func TestCurves_TrimStart(t *testing.T) {
	curve := func(n, from int) []float64 {
		c := make([]float64, n)
		for i := from; i < n; i++ {
			c[i] = 1
		}
		return c
	}
	for _, tt := range []struct {
		name string
		a, b []float64
		want int
	}{
		{"a minute at least", curve(240, 235), curve(240, 240), 60},
		{"two minutes when one is full", curve(240, 170), curve(240, 240), 120},
		{"the longest curve decides", curve(240, 235), curve(240, 100), 240},
		{"four minutes at most", curve(240, 0), curve(240, 0), 240},
		{"a shorter curve is kept", curve(30, 0), curve(240, 235), 30},
		{"empty curves", nil, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := slices.Clone(tt.a)
			trimStart(&tt.a, &tt.b)
			if len(tt.a) != tt.want || !slices.Equal(tt.a, last[len(last)-tt.want:]) {
				t.Errorf("%d values are left, want the last %d", len(tt.a), tt.want)
			}
		})
	}
}
