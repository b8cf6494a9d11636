package live

import (
	"context"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"orrery/core/world"
)

// Unread is a kind that cannot be read: there is no right to, or the API server does not serve it.
type Unread struct {
	Kind      world.Kind
	Forbidden bool
	Err       error
}

// ReadOnce reads all objects of each kind, all kinds at once, in the order in which they should be handed to an engine. Kinds
// that cannot be read are left out and named.
func ReadOnce(ctx context.Context, client kubernetes.Interface, kinds []world.Kind) ([]world.Listed, []Unread, error) {
	objects := make([][]world.Object, len(kinds))
	readable, unread, err := each(kinds, func(i int) (err error) {
		objects[i], err = list(ctx, client, kinds[i])
		return err
	})
	var lists []world.Listed
	for _, kind := range readable {
		lists = append(lists, world.Listed{Kind: kind, Objects: objects[slices.Index(kinds, kind)]})
	}
	return lists, unread, err
}

// Reachable tries which of several kinds can be read.
func Reachable(ctx context.Context, client kubernetes.Interface, kinds []world.Kind) ([]world.Kind, []Unread, error) {
	return each(kinds, func(i int) error { return Reach(ctx, client, kinds[i]) })
}

// each tries all kinds at once. What is neither done nor impossible is an error.
func each(kinds []world.Kind, try func(i int) error) (done []world.Kind, unread []Unread, err error) {
	errs := make([]error, len(kinds))
	var group sync.WaitGroup
	for i := range kinds {
		group.Go(func() { errs[i] = try(i) })
	}
	group.Wait()
	for _, kind := range world.Kinds() {
		i := slices.Index(kinds, kind)
		if i < 0 {
			continue
		}
		switch err := errs[i]; {
		case err == nil:
			done = append(done, kind)
		case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
			unread = append(unread, Unread{kind, apierrors.IsForbidden(err), err})
		default:
			return nil, nil, err
		}
	}
	return done, unread, nil
}
