package draw

import (
	"strconv"
	"time"

	"orrery/core/objects/saturating"
	"orrery/themes"
)

// AppendCount appends a whole number with thousands separators: 48,213.
func AppendCount(b []byte, n int64) []byte {
	size := uint64(n)
	if n < 0 {
		b = append(b, '-')
		size = -size
	}
	var digits [20]byte
	d := strconv.AppendUint(digits[:0], size, 10)
	for i, c := range d {
		if i > 0 && (len(d)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, c)
	}
	return b
}

// AppendSpan appends a duration in at most five columns, in the largest sufficient unit: 84µs, 4.2s, 41s, 3m10s, 2h,
// 9d.
func AppendSpan(b []byte, d time.Duration) []byte {
	if d < 0 {
		b = append(b, '-')
		d = d.Abs()
	}
	whole := func(unit time.Duration, name string) []byte {
		return append(strconv.AppendInt(b, int64(d/unit), 10), name...)
	}
	tenths := func(unit time.Duration, name string) []byte {
		t := int64((d + unit/20) / (unit / 10))
		b = strconv.AppendInt(b, t/10, 10)
		b = append(b, '.', byte('0'+t%10))
		return append(b, name...)
	}
	switch {
	case d == 0:
		return append(b, "0s"...)
	case d < time.Microsecond:
		return whole(time.Nanosecond, "ns")
	case d < time.Millisecond:
		return whole(time.Microsecond, "µs")
	case d < 10*time.Millisecond:
		return tenths(time.Millisecond, "ms")
	case d < time.Second:
		return whole(time.Millisecond, "ms")
	case d < 9950*time.Millisecond:
		return tenths(time.Second, "s")
	case d < time.Minute:
		return whole(time.Second, "s")
	case d < 10*time.Minute:
		minutes := d / time.Minute
		b = append(strconv.AppendInt(b, int64(minutes), 10), 'm')
		seconds := int64(d % time.Minute / time.Second)
		return append(b, byte('0'+seconds/10), byte('0'+seconds%10), 's')
	case d < time.Hour:
		return whole(time.Minute, "m")
	case d < 48*time.Hour:
		return whole(time.Hour, "h")
	}
	return whole(24*time.Hour, "d")
}

// AppendAge appends an age in whole seconds, minutes, hours or days, so that it changes no more often than it matters.
func AppendAge(b []byte, d time.Duration) []byte {
	unit, name := 24*time.Hour, byte('d')
	switch size := d.Abs(); {
	case size < time.Minute:
		unit, name = time.Second, 's'
	case size < time.Hour:
		unit, name = time.Minute, 'm'
	case size < 48*time.Hour:
		unit, name = time.Hour, 'h'
	}
	return append(strconv.AppendInt(b, int64(d/unit), 10), name)
}

// Count draws a whole number and returns the column after it.
func (a Area) Count(x, y int, s themes.Style, n int64) int {
	var scratch [32]byte
	return a.bytes(x, y, s, AppendCount(scratch[:0], n))
}

// CountRight draws a whole number that ends in column x+w, abbreviated if it is longer.
func (a Area) CountRight(x, y, w int, s themes.Style, n int64) {
	var scratch [32]byte
	a.bytesRight(x, y, w, s, appendCountWithin(scratch[:0], n, w))
}

// Span draws a duration and returns the column after it.
func (a Area) Span(x, y int, s themes.Style, d time.Duration) int {
	var scratch [32]byte
	return a.bytes(x, y, s, AppendSpan(scratch[:0], d))
}

// SpanRight draws a duration that ends in column x+w, in a larger unit if it is longer.
func (a Area) SpanRight(x, y, w int, s themes.Style, d time.Duration) {
	var scratch [32]byte
	a.bytesRight(x, y, w, s, appendSpanWithin(scratch[:0], d, w))
}

// AgeRight draws an age that ends in column x+w, in a larger unit if it is longer.
func (a Area) AgeRight(x, y, w int, s themes.Style, d time.Duration) {
	var scratch [32]byte
	a.bytesRight(x, y, w, s, appendAgeWithin(scratch[:0], d, w))
}

// ClockRight draws a time of day to the tenth of a second.
func (a Area) ClockRight(x, y, w int, s themes.Style, t time.Time) {
	var scratch [32]byte
	a.bytesRight(x, y, w, s, t.AppendFormat(scratch[:0], "15:04:05.0"))
}

// OffsetRight draws a time from the start of a recording to the tenth of a second, from an hour on with the hours.
func (a Area) OffsetRight(x, y, w int, s themes.Style, d time.Duration) {
	var scratch [32]byte
	a.bytesRight(x, y, w, s, AppendOffset(scratch[:0], d, 1))
}

// AppendOffset appends a time from the start of a recording, with some digits after the seconds: 00:41.230, and from an hour on 1:00:41.230.
func AppendOffset(b []byte, d time.Duration, digits int) []byte {
	d = max(d, 0)
	two := func(n int64) { b = append(b, byte('0'+n/10%10), byte('0'+n%10)) }
	if h := int64(d / time.Hour); h > 0 {
		b = append(strconv.AppendInt(b, h, 10), ':')
	}
	two(int64(d % time.Hour / time.Minute))
	b = append(b, ':')
	two(int64(d % time.Minute / time.Second))
	for i, unit := 0, time.Second/10; i < digits; i, unit = i+1, unit/10 {
		if i == 0 {
			b = append(b, '.')
		}
		b = append(b, byte('0'+d/unit%10))
	}
	return b
}

// PercentRight draws a fraction as a whole percentage, abbreviated if it is longer.
func (a Area) PercentRight(x, y, w int, s themes.Style, fraction float64) {
	var scratch [32]byte
	percent := saturating.Truncate(fraction*100 + 0.5)
	b := strconv.AppendInt(scratch[:0], percent, 10)
	if len(b) >= w {
		b = appendScaled(scratch[:0], percent, w-1)
	}
	a.bytesRight(x, y, w, s, append(b, '%'))
}

// bytes draws digits and units; the micro sign is the only character beyond ASCII.
func (a Area) bytes(x, y int, s themes.Style, b []byte) int {
	for _, c := range b {
		switch {
		case c == 0xc2: // the sign's first half
		case c == 0xb5:
			a.Set(x, y, s, 'µ')
			x++
		default:
			a.Set(x, y, s, rune(c))
			x++
		}
	}
	return x
}

// bytesRight draws digits and units that end in column x+w. An ellipsis says that a number exists for which there is no room.
func (a Area) bytesRight(x, y, w int, s themes.Style, b []byte) {
	switch width := columnsOf(b); {
	case width <= w:
		a.bytes(x+w-width, y, s, b)
	case w > 0:
		a.Set(x+w-1, y, s, ellipsis)
	}
}

// columnsOf returns how many columns bytes draws.
func columnsOf(b []byte) int {
	width := 0
	for _, c := range b {
		if c != 0xc2 {
			width++
		}
	}
	return width
}
