//go:build !race

package engine_test

import (
	"runtime"
	"testing"
)

// What a placed pod of a known template may allocate between its arrival and its bind effect.
const (
	leanAllocations = 6
	leanBytes       = 2048
)

// The race detector allocates, too, so that this test runs without it.
func TestLeanPath_Allocations(t *testing.T) {
	const measured = 2000
	l := newLeanPath(t, 100)
	for l.made < historyPods {
		for len(l.pods) > 0 {
			l.pod(t)
		}
		l.refill()
	}
	var allocations, bytes uint64
	for range measured {
		pod, bound := l.pods[0], l.bound[0]
		l.pods, l.bound = l.pods[1:], l.bound[1:]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		bind := l.arrive(t, pod)
		runtime.ReadMemStats(&after)
		allocations += after.Mallocs - before.Mallocs
		bytes += after.TotalAlloc - before.TotalAlloc
		l.leave(t, bind, bound)
	}
	t.Logf("%.2f allocations, %.0f bytes", float64(allocations)/measured, float64(bytes)/measured)
	if allocations > leanAllocations*measured || bytes > leanBytes*measured {
		t.Errorf("a pod costs %.2f allocations and %.0f bytes, and may cost %d and %d",
			float64(allocations)/measured, float64(bytes)/measured, leanAllocations, leanBytes)
	}
}
