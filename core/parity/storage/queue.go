package storage

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// workers is how many names of a queue are handled at a time.
const workers = 8

// retries repeats a failed name after these times.
const (
	firstRetry = 20 * time.Millisecond
	lastRetry  = time.Second
)

// names is a queue of the names of objects, each of which is handled by one goroutine at a time, and again if that failed.
type names struct {
	workqueue.TypedRateLimitingInterface[string]
}

func newNames() names {
	limit := workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, lastRetry)
	return names{workqueue.NewTypedRateLimitingQueue[string](limit)}
}

// fill adds each object of an informer to the queue whenever it changes, with a delay.
func (q names) fill(from cache.SharedIndexInformer, delay time.Duration) error {
	add := func(o any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(o); err == nil {
			q.AddAfter(key, delay)
		}
	}
	_, err := from.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, o any) { add(o) }, DeleteFunc: add})
	return err
}

// run handles the queue's names until the context ends.
func (q names) run(ctx context.Context, handle func(ctx context.Context, key string) error) {
	defer context.AfterFunc(ctx, q.ShutDown)()
	var several sync.WaitGroup
	for range workers {
		several.Go(func() {
			for q.next(ctx, handle) {
			}
		})
	}
	several.Wait()
}

func (q names) next(ctx context.Context, handle func(ctx context.Context, key string) error) bool {
	key, over := q.Get()
	if over {
		return false
	}
	defer q.Done(key)
	if err := handle(ctx, key); err != nil {
		q.AddRateLimited(key)
	} else {
		q.Forget(key)
	}
	return true
}
