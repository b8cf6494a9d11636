package saturating_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/core/objects/saturating"
)

// amounts draws numbers of which many lie where sums overflow.
func amounts() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{
		0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1, 1 << 62, -1 << 62, 1 << 53,
	}))
}

// nearest returns the int64 that is next to a number.
func nearest(n *big.Int) int64 {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func TestAddSubMul_NearestToExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := amounts().Draw(t, "a"), amounts().Draw(t, "b")
		x, y := big.NewInt(a), big.NewInt(b)
		if got, want := saturating.Add(a, b), nearest(new(big.Int).Add(x, y)); got != want {
			t.Errorf("%d + %d is %d, want %d", a, b, got, want)
		}
		if got, want := saturating.Sub(a, b), nearest(new(big.Int).Sub(x, y)); got != want {
			t.Errorf("%d - %d is %d, want %d", a, b, got, want)
		}
		if got, want := saturating.Mul(a, b), nearest(new(big.Int).Mul(x, y)); got != want {
			t.Errorf("%d * %d is %d, want %d", a, b, got, want)
		}
		if got, want := saturating.Seconds(a), nearest(new(big.Int).Mul(x, big.NewInt(int64(time.Second)))); int64(got) != want {
			t.Errorf("%d seconds are %d ns, want %d", a, got, want)
		}
	})
}

func TestTruncate(t *testing.T) {
	for x, want := range map[float64]int64{
		0: 0, 1.9: 1, -1.9: -1, 1 << 62: 1 << 62, 1e300: math.MaxInt64, -1e300: math.MinInt64,
		math.MaxInt64: math.MaxInt64, math.MinInt64: math.MinInt64, math.Inf(1): math.MaxInt64, math.Inf(-1): math.MinInt64,
	} {
		if got := saturating.Truncate(x); got != want {
			t.Errorf("Truncate(%g) is %d, want %d", x, got, want)
		}
	}
	if got := saturating.Truncate(math.NaN()); got != 0 {
		t.Errorf("what is no number is %d, want 0", got)
	}
}

func TestSum_IsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum saturating.Sum
		exact := new(big.Int)
		for _, n := range rapid.SliceOf(amounts()).Draw(t, "numbers") {
			if rapid.Bool().Draw(t, "subtracted") {
				sum, exact = sum.Sub(saturating.SumOf(n)), exact.Sub(exact, big.NewInt(n))
			} else {
				sum, exact = sum.Add(saturating.SumOf(n)), exact.Add(exact, big.NewInt(n))
			}
			if got, want := sum.Int64(), nearest(exact); got != want {
				t.Fatalf("the sum is %d, want %d, which is next to %s", got, want, exact)
			}
		}
	})
}

func TestNextTick_FirstNotBefore(t *testing.T) {
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, start, at, want string }{
		{"at the start", "2026-03-02T09:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T09:00:00Z"},
		{"just after it", "2026-03-02T09:00:00Z", "2026-03-02T09:00:00.000000001Z", "2026-03-02T09:00:07Z"},
		{"at a tick", "2026-03-02T09:00:00Z", "2026-03-02T09:00:14Z", "2026-03-02T09:00:14Z"},
		{"before the start", "2026-03-02T09:00:00Z", "2025-03-02T09:00:00.5Z", "2025-03-02T09:00:00.5Z"},
		{"after more than a Duration holds", "0001-01-01T00:00:01Z", "2026-03-02T09:00:00Z", "2026-03-02T09:00:04Z"},
		{"over all years", "0001-01-01T00:00:00Z", "9999-12-31T23:59:52Z", "9999-12-31T23:59:58Z"},
	} {
		parse := func(text string) time.Time {
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		begin, at, want := parse(c.start), parse(c.at), parse(c.want)
		got := saturating.NextTick(begin, 7*time.Second, at)
		if seconds := got.Unix() - begin.Unix(); got.Before(at) || got.Sub(at) >= 7*time.Second || !at.Before(begin) && seconds%7 != 0 || !got.Equal(want) {
			t.Errorf("%s: %v, want %v; %d s after the start", c.name, got, want, seconds)
		}
	}
	if got := saturating.NextTick(start, math.MaxInt64, start.Add(1)); !got.Equal(start.Add(math.MaxInt64)) {
		t.Errorf("the longest period ends at %v", got)
	}
}
