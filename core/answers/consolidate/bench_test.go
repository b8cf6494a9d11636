package consolidate_test

import (
	"testing"
	"time"

	"orrery/core/answers/consolidate"
	"orrery/core/testing/drawn"
)

// BenchmarkLargeFind looks for a first wave of eight nodes in a cluster of 5,000 nodes and 100,000 pods.
func BenchmarkLargeFind(b *testing.B) {
	e := drawn.Large(b, time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC))
	b.ReportAllocs()
	for b.Loop() {
		plan, err := consolidate.Find(e, consolidate.Options{Free: 8})
		if err != nil || len(plan.Freed()) < 8 {
			b.Fatal(plan, err)
		}
	}
}
