package live

import (
	"context"
	"slices"

	"k8s.io/client-go/kubernetes"

	"orrery/core/world"
)

// ReadOnce reads all objects of each kind, all kinds at once, in the order in which they should be handed to an engine. Kinds
// that cannot be read are left out and named.
func ReadOnce(ctx context.Context, client kubernetes.Interface, kinds []world.Kind) ([]world.Listed, []Unread, error) {
	objects := make([][]world.Object, len(kinds))
	all, err := each(kinds, func(i int) (err error) {
		objects[i], err = list(ctx, client, kinds[i], everywhere)
		return err
	})
	var lists []world.Listed
	for _, kind := range all.done {
		lists = append(lists, world.Listed{Kind: kind, Objects: objects[slices.Index(kinds, kind)]})
	}
	return lists, all.unread, err
}
