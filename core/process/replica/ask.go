package replica

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
)

// Activate makes the engine try these pods at once.
func (r *Replica) Activate(ctx context.Context, activate ...types.NamespacedName) error {
	return r.cluster.Activate(ctx, activate...)
}
