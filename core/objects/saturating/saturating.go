// Package saturating calculates with amounts, durations and times that come from outside: a result that an int64 cannot
// hold is the nearest one that it can. A sum that wraps around would be negative, and what is negative fits everywhere.
package saturating

import (
	"math"
	"math/bits"
	"time"
)

// Add returns a+b.
func Add[N ~int64](a, b N) N {
	sum := a + b
	if (a^sum)&(b^sum) < 0 { // both have the sign that the sum has not
		return limit(a)
	}
	return sum
}

// Sub returns a-b.
func Sub[N ~int64](a, b N) N {
	difference := a - b
	if (a^b)&(a^difference) < 0 {
		return limit(a)
	}
	return difference
}

// Mul returns a*b.
func Mul[N ~int64](a, b N) N {
	if a == 0 || b == 0 {
		return 0
	}
	product := a * b
	if product/b != a || a == math.MinInt64 && b == -1 {
		return limit((a >> 63) ^ (b >> 63))
	}
	return product
}

// Seconds returns n seconds, at most 292 years.
func Seconds(n int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Second)
	if n > most || n < -most {
		return limit(time.Duration(n))
	}
	return time.Duration(n) * time.Second
}

// Truncate returns the whole number next to x towards zero, and 0 for what is no number.
func Truncate(x float64) int64 {
	switch {
	case math.IsNaN(x):
		return 0
	case x >= math.MaxInt64 || x <= math.MinInt64:
		return limit(int64(math.Copysign(1, x)))
	}
	return int64(x)
}

// limit returns the greatest or the smallest number, whichever has the sign of n.
func limit[N ~int64](n N) N {
	if n < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// NextTick returns the first of the times start, start+period, and so on, that is not before at. It returns at if that is
// before the start.
func NextTick(start time.Time, period time.Duration, at time.Time) time.Time {
	for stride := math.MaxInt64 / period * period; at.Sub(start) > stride; { // a Duration holds 292 years
		start = start.Add(stride)
	}
	if past := at.Sub(start) % period; past > 0 {
		at = at.Add(period - past)
	}
	return at
}

// Sum is an exact sum: whatever was added can be subtracted again, as from a saturated int64 it cannot. The zero value is
// zero.
type Sum struct {
	high int64
	low  uint64
}

// SumOf returns n as a Sum.
func SumOf(n int64) Sum { return Sum{n >> 63, uint64(n)} }

// Add returns s+o.
func (s Sum) Add(o Sum) Sum {
	low, carry := bits.Add64(s.low, o.low, 0)
	return Sum{s.high + o.high + int64(carry), low}
}

// Sub returns s-o.
func (s Sum) Sub(o Sum) Sum {
	low, borrow := bits.Sub64(s.low, o.low, 0)
	return Sum{s.high - o.high - int64(borrow), low}
}

// Int64 returns the int64 that is nearest to the sum.
func (s Sum) Int64() int64 {
	if n := int64(s.low); n>>63 == s.high {
		return n
	}
	return limit(s.high)
}
