package live

import (
	"context"
	"slices"

	"k8s.io/client-go/kubernetes"

	"orrery/core/world"
)

// ReadOnce lists all kinds concurrently, and returns them in the order of an engine's initial lists. Kinds that cannot be
// read are left out and returned separately.
func ReadOnce(ctx context.Context, client kubernetes.Interface, kinds []world.Kind) ([]world.Listed, []Unreadable, error) {
	objects := make([][]world.Object, len(kinds))
	ctx, client = withAnswerTotal(ctx), readingMembers(client, withServedWorkloads(ctx, client, kinds))
	all, err := forEachKind(kinds, func(i int) (err error) {
		objects[i], err = list(ctx, client, reflectorStore{kind: kinds[i]}, allNamespaces)
		return err
	})
	var lists []world.Listed
	for _, kind := range all.ok {
		lists = append(lists, world.Listed{Kind: kind, Objects: objects[slices.Index(kinds, kind)]})
	}
	return lists, all.unreadable, err
}
