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

	"orrery/core/safe/panics"
	"orrery/core/world"
)

// AccessError reports why a kind cannot be listed or watched.
type AccessError struct {
	Kind world.Kind
	Verb string
	Err  error
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("trying to %s objects of kind %s: %v", e.Verb, e.Kind, e.Err)
}

func (e *AccessError) Unwrap() error { return e.Err }

// Unreadable is a kind that cannot be read: access is forbidden, or the API server does not serve it.
type Unreadable struct {
	Kind      world.Kind
	Forbidden bool
	// OnlyIn is the only namespace in which it can be read; empty for none.
	OnlyIn string
	Err    error
}

// Access lists the kinds that can and cannot be read.
type Access struct {
	// Kinds can be read; those in Namespaces only in that namespace. Both are for [Options].
	Kinds      []world.Kind
	Namespaces map[world.Kind]string
	// Unreadable are the others, and those in Namespaces.
	Unreadable []Unreadable
}

// CheckAccess tests which kinds can be listed and watched. An unreadable kind would delay the initial lists of all
// others forever, so a program that may lack access checks first. A kind that is forbidden in all namespaces is tested
// in the given one, if any. Other failures are errors.
func CheckAccess(ctx context.Context, client kubernetes.Interface, kinds []world.Kind, namespace string) (Access, error) {
	onlyIn := make([]string, len(kinds))
	ctx = withAnswerTotal(ctx)
	all, err := forEachKind(kinds, func(i int) error {
		err := probe(ctx, client, kinds[i], allNamespaces)
		if !apierrors.IsForbidden(err) || namespace == allNamespaces || !kinds[i].Namespaced() {
			return err
		}
		if probe(ctx, client, kinds[i], namespace) == nil {
			onlyIn[i] = namespace
		}
		return err
	})
	access := Access{Kinds: all.ok, Namespaces: map[world.Kind]string{}, Unreadable: all.unreadable}
	for i, u := range access.Unreadable {
		if in := onlyIn[slices.Index(kinds, u.Kind)]; in != allNamespaces {
			access.Unreadable[i].OnlyIn, access.Namespaces[u.Kind] = in, in
			access.Kinds = append(access.Kinds, u.Kind)
		}
	}
	return access, err
}

// probe lists one object of a kind and starts a watch.
func probe(ctx context.Context, client kubernetes.Interface, kind world.Kind, in string) error {
	lw, err := listWatchOf(client, kind, in)
	if err != nil {
		return err
	}
	list, err := lw.ListWithContext(page{kind: kind, packed: true}.context(ctx), metav1.ListOptions{Limit: 1})
	if err != nil {
		return &AccessError{kind, "list", err}
	}
	about, err := meta.ListAccessor(list)
	if err != nil {
		return &AccessError{kind, "list", err}
	}
	second := int64(1)
	watch, err := lw.WatchWithContext(ctx, metav1.ListOptions{ResourceVersion: about.GetResourceVersion(), TimeoutSeconds: &second})
	if err != nil {
		return &AccessError{kind, "watch", err}
	}
	watch.Stop()
	return nil
}

// kindResults are the kinds for which a function succeeded, and those it could not read, both in the order of initial
// lists.
type kindResults struct {
	ok         []world.Kind
	unreadable []Unreadable
}

// forEachKind runs a function for all kinds concurrently. Errors other than forbidden and not found end it.
func forEachKind(kinds []world.Kind, try func(i int) error) (all kindResults, err error) {
	errs := make([]error, len(kinds))
	var group sync.WaitGroup
	for i := range kinds {
		group.Go(func() {
			defer panics.Recover("reading objects of kind "+string(kinds[i]), &errs[i])
			errs[i] = try(i)
		})
	}
	group.Wait()
	for _, kind := range world.SortKinds(kinds) {
		switch err := errs[slices.Index(kinds, kind)]; {
		case err == nil:
			all.ok = append(all.ok, kind)
		case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
			all.unreadable = append(all.unreadable, Unreadable{Kind: kind, Forbidden: apierrors.IsForbidden(err), Err: err})
		default:
			return kindResults{}, err
		}
	}
	return all, nil
}
