package live

import (
	"context"
	"fmt"

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

// Reach tries to list one object of a kind and to begin a watch. Whoever asks for a kind that cannot be reached waits for its
// first list for ever, and with it for all others; so a program that may be permitted less than it would like tries first.
func Reach(ctx context.Context, client kubernetes.Interface, kind world.Kind) error {
	lw, err := sourceOf(client, kind)
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
