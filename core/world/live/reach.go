package live

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"orrery/core/world"
)

// UnreachableError is why a kind cannot be listed or watched: the verb that failed, and what the API server said.
type UnreachableError struct {
	Kind world.Kind
	Verb string
	Err  error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("trying to %s objects of kind %s: %v", e.Verb, e.Kind, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// Unread is a kind that cannot be read: there is no right to, or the API server does not serve it.
type Unread struct {
	Kind      world.Kind
	Forbidden bool
	// But is the one namespace in which it can be read; empty for none.
	But string
	Err error
}

// Sight is what can be read of several kinds.
type Sight struct {
	// Kinds can be read; those that Within has, in that namespace only. Both are for [Options].
	Kinds  []world.Kind
	Within map[world.Kind]string
	// Unread are the others, and those in Within.
	Unread []Unread
}

// Reachable tries which of several kinds can be listed and watched. Whoever asks for a kind that cannot waits for its first
// list for ever, and with it for all others; so a program that may be permitted less than it would like tries first. What is
// forbidden everywhere is tried again in the namespace, if one is named. What is neither possible nor impossible is an error.
func Reachable(ctx context.Context, client kubernetes.Interface, kinds []world.Kind, namespace string) (Sight, error) {
	where := make([]string, len(kinds))
	all, err := each(kinds, func(i int) error {
		err := reach(ctx, client, kinds[i], everywhere)
		if !apierrors.IsForbidden(err) || namespace == everywhere || slices.Contains(withoutNamespace, kinds[i]) {
			return err
		}
		if reach(ctx, client, kinds[i], namespace) == nil {
			where[i] = namespace
		}
		return err
	})
	sight := Sight{Kinds: all.done, Within: map[world.Kind]string{}, Unread: all.unread}
	for i, u := range sight.Unread {
		if in := where[slices.Index(kinds, u.Kind)]; in != everywhere {
			sight.Unread[i].But, sight.Within[u.Kind] = in, in
			sight.Kinds = append(sight.Kinds, u.Kind)
		}
	}
	return sight, err
}

// reach tries to list one object of a kind and to begin a watch.
func reach(ctx context.Context, client kubernetes.Interface, kind world.Kind, in string) error {
	lw, err := sourceOf(client, kind, in)
	if err != nil {
		return err
	}
	list, err := lw.ListWithContext(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return &UnreachableError{kind, "list", err}
	}
	about, err := meta.ListAccessor(list)
	if err != nil {
		return &UnreachableError{kind, "list", err}
	}
	second := int64(1)
	watch, err := lw.WatchWithContext(ctx, metav1.ListOptions{ResourceVersion: about.GetResourceVersion(), TimeoutSeconds: &second})
	if err != nil {
		return &UnreachableError{kind, "watch", err}
	}
	watch.Stop()
	return nil
}

// tried are kinds that something was done with, and those where it could not be, both in the order in which an engine should
// hear of them.
type tried struct {
	done   []world.Kind
	unread []Unread
}

// each does something with all kinds at once. What is neither done nor impossible is an error.
func each(kinds []world.Kind, try func(i int) error) (all tried, err error) {
	errs := make([]error, len(kinds))
	var group sync.WaitGroup
	for i := range kinds {
		group.Go(func() { errs[i] = try(i) })
	}
	group.Wait()
	for _, kind := range world.InOrder(kinds) {
		switch err := errs[slices.Index(kinds, kind)]; {
		case err == nil:
			all.done = append(all.done, kind)
		case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
			all.unread = append(all.unread, Unread{Kind: kind, Forbidden: apierrors.IsForbidden(err), Err: err})
		default:
			return tried{}, err
		}
	}
	return all, nil
}
