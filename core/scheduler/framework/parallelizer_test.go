package framework_test

import (
	"context"
	"slices"
	"testing"

	"orrery/core/scheduler/framework"
)

func TestParallelizer_RunsPiecesInOrderUntilCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var done []int
	profile(t, framework.Options{}).Parallelizer().Until(ctx, 5, func(piece int) {
		done = append(done, piece)
		if piece == 2 {
			cancel()
		}
	}, "test")
	if !slices.Equal(done, []int{0, 1, 2}) {
		t.Errorf("did %v, want 0 1 2", done)
	}
}
