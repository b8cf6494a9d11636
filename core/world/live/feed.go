package live

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"orrery/core/store"
	"orrery/core/world"
)

// feed is where the reflector of one kind puts what it hears: it trims it and passes it on.
type feed struct {
	kind    world.Kind
	cluster *Cluster
	ctx     context.Context
}

var _ cache.TransformingStore = (*feed)(nil)

// startFeed lists and watches one kind until the context ends.
func (c *Cluster) startFeed(ctx context.Context, kind world.Kind, lw *cache.ListWatch) {
	start := lw.WatchFuncWithContext
	lw.WatchFuncWithContext = func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
		c.count.watches.Add(1)
		return start(ctx, o)
	}
	f := &feed{kind: kind, cluster: c, ctx: ctx}
	r := cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, c.options.Client), exampleOf(kind), f,
		cache.ReflectorOptions{Name: "orrery", TypeDescription: string(kind)})
	c.group.Go(func() { r.RunWithContext(ctx) })
}

func (f *feed) Add(o any) error    { return f.changed(world.Added, o) }
func (f *feed) Update(o any) error { return f.changed(world.Modified, o) }
func (f *feed) Delete(o any) error { return f.changed(world.Deleted, o) }

// Resync has nothing to repeat: nothing is kept here.
func (f *feed) Resync() error { return nil }

// Transformer trims objects of a list that is streamed, so that it is never in memory as a whole.
func (f *feed) Transformer() cache.TransformFunc {
	return func(o any) (any, error) { return f.trimmed(o) }
}

func (f *feed) trimmed(o any) (world.Object, error) {
	object, ok := typed(f.kind, o)
	if !ok {
		return nil, fmt.Errorf("watching objects of kind %s: the API server sent a %T", f.kind, o)
	}
	return store.TrimLive(object), nil
}

func (f *feed) changed(op world.Op, o any) error {
	object, err := f.trimmed(o)
	if err != nil {
		return err
	}
	select {
	case <-f.cluster.first.complete:
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
	return f.cluster.put(f.ctx, world.Changed{Op: op, Object: object})
}

// Replace takes a full list: the first one, or one after a watch that could not be gone on with.
func (f *feed) Replace(items []any, _ string) error {
	listed := world.Listed{Kind: f.kind, Objects: make([]world.Object, 0, len(items))}
	for _, item := range items {
		object, err := f.trimmed(item)
		if err != nil {
			return err
		}
		listed.Objects = append(listed.Objects, object)
	}
	c := f.cluster
	if all, first := c.first.take(listed); first {
		for _, l := range all {
			if err := c.put(f.ctx, l); err != nil {
				return err
			}
		}
		if all != nil {
			close(c.first.complete)
		}
		return nil
	}
	select { // listed twice before others were listed once: what counts is the order of the inbox
	case <-c.first.complete:
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
	c.count.relists.Add(1)
	return c.put(f.ctx, listed)
}

// firstLists holds the first list of every kind back until the last has arrived.
type firstLists struct {
	mu       sync.Mutex
	lists    map[world.Kind]world.Listed
	missing  int
	complete chan struct{} // closed when all are in the inbox
}

func newFirstLists(kinds []world.Kind) *firstLists {
	return &firstLists{lists: map[world.Kind]world.Listed{}, missing: len(kinds), complete: make(chan struct{})}
}

// take keeps a first list and says so; with the last one it gives all of them back, in the order in which they should
// be handed out.
func (f *firstLists) take(l world.Listed) (all []world.Listed, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.missing == 0 {
		return nil, false
	}
	if _, again := f.lists[l.Kind]; !again {
		f.missing--
	}
	f.lists[l.Kind] = l
	if f.missing > 0 {
		return nil, true
	}
	for _, kind := range world.InOrder(slices.Collect(maps.Keys(f.lists))) {
		all = append(all, f.lists[kind])
	}
	f.lists = nil
	return all, true
}

func (f *firstLists) awaited(kinds []world.Kind) []world.Kind {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.missing == 0 {
		return nil
	}
	var missing []world.Kind
	for _, kind := range kinds {
		if _, ok := f.lists[kind]; !ok {
			missing = append(missing, kind)
		}
	}
	return missing
}

// List reads all objects of one kind from the API server, now, as the inputs would have them.
func (c *Cluster) List(ctx context.Context, kind world.Kind) ([]world.Object, error) {
	return list(ctx, c.options.Client, kind, c.options.Within[kind])
}

func list(ctx context.Context, client kubernetes.Interface, kind world.Kind, in string) ([]world.Object, error) {
	lw, err := sourceOf(client, kind, in)
	if err != nil {
		return nil, err
	}
	var objects []world.Object
	f := feed{kind: kind}
	o := metav1.ListOptions{Limit: 500}
	for {
		page, err := lw.ListWithContext(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("listing objects of kind %s: %w", kind, err)
		}
		err = meta.EachListItemWithAlloc(page, func(item runtime.Object) error {
			object, err := f.trimmed(item)
			objects = append(objects, object)
			return err
		})
		if err != nil {
			return nil, err
		}
		about, err := meta.ListAccessor(page)
		if err != nil {
			return nil, fmt.Errorf("listing objects of kind %s: %w", kind, err)
		}
		if o.Continue = about.GetContinue(); o.Continue == "" {
			return objects, nil
		}
	}
}
