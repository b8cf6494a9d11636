package race

import (
	"hash/fnv"
	"testing"
)

// Few returns how many cases a test takes: all, or a few under the race detector.
func Few(all, few int) int {
	if Enabled {
		return min(all, few)
	}
	return all
}

const oneIn = 8

// Alone skips a test with one goroutine under the race detector, but for one test in eight, by name.
func Alone(t testing.TB) {
	t.Helper()
	if Enabled && !runs(t.Name()) {
		t.Skip("one goroutine races with none: the run without the race detector has this test")
	}
}

func runs(name string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	return h.Sum32()%oneIn == 0
}
