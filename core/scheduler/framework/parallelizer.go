package framework

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
)

// sequential runs the pieces of work one after the other, in order, where upstream runs them in parallel: two runs on the
// same input must not differ.
type sequential struct{}

var _ fwk.Parallelizer = sequential{}

// Until runs the pieces in order until the context is cancelled.
func (sequential) Until(ctx context.Context, pieces int, doWorkPiece workqueue.DoWorkPieceFunc, _ string) {
	for i := range pieces {
		if ctx.Err() != nil {
			return
		}
		doWorkPiece(i)
	}
}
