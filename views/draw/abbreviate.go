package draw

import (
	"strconv"
	"time"
)

// scales are the units of abbreviated numbers, a thousand times the one before.
const scales = "kMGTPE"

// appendCountWithin appends a whole number to an empty buffer in w columns: with separators, without them, or else in
// thousands, millions and so on.
func appendCountWithin(b []byte, n int64, w int) []byte {
	if full := AppendCount(b, n); len(full) <= w {
		return full
	}
	if digits := strconv.AppendInt(b, n, 10); len(digits) <= w {
		return digits
	}
	return appendScaled(b, n, w)
}

// appendScaled appends a number in its largest unit, with a tenth if there is room: 2.0G, 48k. It rounds toward zero.
func appendScaled(b []byte, n int64, w int) []byte {
	unit, scale := int64(1000), 0
	for whole := n / unit; whole >= 1000 || whole <= -1000; whole = n / unit {
		unit *= 1000
		scale++
	}
	if n/unit == 0 {
		return strconv.AppendInt(b, n, 10)
	}
	whole := strconv.AppendInt(b, n/unit, 10)
	if len(whole)+3 > w {
		return append(whole, scales[scale])
	}
	tenth := n % unit / (unit / 10)
	return append(whole, '.', byte('0'+max(tenth, -tenth)), scales[scale])
}

// appendSpanWithin appends a duration to an empty buffer in w columns: in full, or else in tenths of seconds or a larger unit.
func appendSpanWithin(b []byte, d time.Duration, w int) []byte {
	if full := AppendSpan(b, d); columnsOf(full) <= w {
		return full
	}
	const tenth = time.Second / 10
	if size := d.Abs(); size >= tenth && size < time.Second {
		rounded := b
		if d < 0 {
			rounded = append(rounded, '-')
		}
		if rounded = append(rounded, '0', '.', byte('0'+size/tenth), 's'); len(rounded) <= w {
			return rounded
		}
	}
	return appendAgeWithin(b, d, w)
}

// appendAgeWithin appends an age to an empty buffer, in years if w columns are too few for the days.
func appendAgeWithin(b []byte, d time.Duration, w int) []byte {
	age := AppendAge(b, d)
	const year = 365 * 24 * time.Hour
	if len(age) <= w || d.Abs() < year {
		return age
	}
	return append(strconv.AppendInt(b, int64(d/year), 10), 'y')
}
