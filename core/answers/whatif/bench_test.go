package whatif_test

import (
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/drawn"
)

// An evaluation for the screen should take less than 200 ms on a cluster of the demo.
func BenchmarkDemoDrain(b *testing.B) { benchAsk(b, engineAt(b, "node-drain", 6), "drain new-a-1") }

func BenchmarkDemoScale(b *testing.B) {
	benchAsk(b, engineAt(b, "node-drain", 6), "add 2 nodes like new-a-1")
}

// BenchmarkLargeDrain has 5,000 nodes and 100,000 pods.
func BenchmarkLargeDrain(b *testing.B) { benchAsk(b, drawn.Large(b, start), "drain node-17") }

func benchAsk(b *testing.B, e *engine.Engine, question string) {
	b.ReportAllocs()
	for b.Loop() {
		evaluate(b, e, question)
	}
}
