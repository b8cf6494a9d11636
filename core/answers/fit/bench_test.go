package fit_test

import (
	"testing"
	"time"

	"orrery/core/answers/fit"
	"orrery/core/testing/drawn"
)

var start = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

// BenchmarkLargeAsk asks whether a job of 100 pods fits in a cluster of 5,000 nodes and 100,000 pods.
func BenchmarkLargeAsk(b *testing.B) {
	e := drawn.Large(b, start)
	set := drawn.Set(b, drawn.Written("Job", "train", "app: train", 100, "2"))
	b.ReportAllocs()
	for b.Loop() {
		a, err := fit.Ask(e, set, fit.Options{})
		if err != nil || !a.Fits {
			b.Fatal(a.Verdict(), err)
		}
	}
}
