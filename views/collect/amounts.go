package collect

import (
	"strconv"

	"orrery/views"
)

// cpuText is an exact amount of cpu, since a rounded one would contradict a comparison: 250m, 3.95, 16.
func cpuText(milli int64) string {
	if milli < 1000 && milli != 0 {
		return strconv.FormatInt(milli, 10) + "m"
	}
	return strconv.FormatFloat(float64(milli)/1000, 'f', -1, 64)
}

// bytesText is an amount of memory: 512Mi, 3.8Gi, 64Gi.
func bytesText(bytes int64) string {
	units := [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi"}
	v, unit := float64(bytes), 0
	for v >= 1024 && unit < len(units)-1 {
		v /= 1024
		unit++
	}
	digits := 1
	if v >= 100 || v == float64(int64(v)) {
		digits = 0
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + units[unit]
}

// countAmount is an amount without a unit.
func countAmount(used, most int64) views.Amount {
	return views.Amount{Fraction: fraction(used, most), Used: strconv.FormatInt(used, 10), Most: strconv.FormatInt(most, 10)}
}
