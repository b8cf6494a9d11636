package replica

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
)

// Ask has the engine try these pods at once.
func (r *Replica) Ask(ctx context.Context, activate ...types.NamespacedName) error {
	return r.cluster.Ask(ctx, activate...)
}
