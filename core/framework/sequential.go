package framework

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
)

// sequential does the pieces of work that upstream does side by side one after the other, in order: two runs on the
// same input must not differ by who came first.
type sequential struct{}

var _ fwk.Parallelizer = sequential{}

// Until does the pieces in order and stops before the next one when the context is cancelled.
func (sequential) Until(ctx context.Context, pieces int, doWorkPiece workqueue.DoWorkPieceFunc, _ string) {
	for i := range pieces {
		if ctx.Err() != nil {
			return
		}
		doWorkPiece(i)
	}
}
