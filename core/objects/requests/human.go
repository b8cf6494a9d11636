package requests

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
)

// binaryUnits are the units of bytes, the greatest first.
var binaryUnits = []struct {
	bytes int64
	name  string
}{{1 << 50, "Pi"}, {1 << 40, "Ti"}, {1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}}

// Human writes an amount, in the units of [Amount], for people: cpu in cores, and bytes to a tenth of their greatest unit. It is not exact; see
// [Format].
func Human(name v1.ResourceName, n int64) string {
	if name == v1.ResourceCPU {
		return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64)
	}
	if !IsBytes(name) {
		return strconv.FormatInt(n, 10)
	}
	for _, unit := range binaryUnits {
		if n >= unit.bytes || n <= -unit.bytes {
			tenths := (float64(n)/float64(unit.bytes))*10 + 0.5
			if n < 0 {
				tenths--
			}
			return strconv.FormatFloat(float64(int64(tenths))/10, 'f', -1, 64) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}
