package collect

import (
	"slices"
	"testing"
)

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
		{"two when one is full", curve(240, 170), curve(240, 240), 120},
		{"the curve that began first counts", curve(240, 235), curve(240, 100), 240},
		{"all of it at most", curve(240, 0), curve(240, 0), 240},
		{"one that is shorter is left as it is", curve(30, 0), curve(240, 235), 30},
		{"none at all", nil, nil, 0},
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
