package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
	"orrery/core/world/trim"
)

// reflectorStore is the store of one kind's reflector: it trims objects and passes them to the inbox.
type reflectorStore struct {
	kind    world.Kind
	cluster *Cluster
	ctx     context.Context
	whole   bool // extenders get pods and nodes as they are
	pool    trim.Pool
}

var (
	_ cache.TransformingStore      = (*reflectorStore)(nil)
	_ cache.ResourceVersionUpdater = (*reflectorStore)(nil)
)

// startReflector lists and watches one kind until the context ends.
func (c *Cluster) startReflector(ctx context.Context, kind world.Kind, lw *cache.ListWatch) {
	start := lw.WatchFuncWithContext
	lw.WatchFuncWithContext = func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
		c.count.watches.Add(1)
		return start(watchContext(ctx, kind), o)
	}
	f := &reflectorStore{kind: kind, cluster: c, ctx: ctx, whole: len(c.options.Extenders) > 0}
	r := cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, c.options.Client), expectedType(kind), f,
		cache.ReflectorOptions{Name: "orrery", TypeDescription: string(kind), Backoff: watchBackoff()})
	c.spawn(&c.group, "reading objects of kind "+string(kind), func() { r.RunWithContext(ctx) })
}

// watchPause is how long a reflector waits at most, but for half of it more at random, before it lists or watches again.
const watchPause = 4 * time.Second

// watchBackoff returns a reflector's pauses. client-go's grow to a minute while an API server is away, or breaks connections again and again;
// a scheduler would miss so much of what comes after it is back.
func watchBackoff() *wait.Backoff {
	return &wait.Backoff{Duration: watchPause / 5, Factor: 2, Cap: watchPause, Jitter: 0.5, Steps: 8}
}

func (f *reflectorStore) Add(o any) error    { return f.enqueue(world.Added, o) }
func (f *reflectorStore) Update(o any) error { return f.enqueue(world.Modified, o) }
func (f *reflectorStore) Delete(o any) error { return f.enqueue(world.Deleted, o) }

// UpdateResourceVersion is called after each event, also one that says only how far the watch has come.
func (f *reflectorStore) UpdateResourceVersion(version string) {
	f.cluster.progress.report(f.kind, version)
}

// Resync does nothing: no object is kept here.
func (f *reflectorStore) Resync() error { return nil }

// Transformer trims the objects of a streamed list, so that it is never in memory as a whole.
func (f *reflectorStore) Transformer() cache.TransformFunc {
	return func(o any) (any, error) {
		object, err := f.trim(o)
		return trimmed{object}, err
	}
}

// trimmed is an object of a streamed list, which is not trimmed again when the list is whole.
type trimmed struct{ world.Object }

func (f *reflectorStore) trim(o any) (world.Object, error) {
	if done, ok := o.(trimmed); ok {
		return done.Object, nil
	}
	object, ok := asObject(f.kind, o)
	if !ok {
		return nil, fmt.Errorf("watching objects of kind %s: the API server sent a %T", f.kind, o)
	}
	if f.whole && (f.kind == world.Pod || f.kind == world.Node) {
		object = trim.WholeObject(object)
	} else {
		object = trim.LiveObject(object)
	}
	f.pool.Share(object)
	return object, nil
}

func (f *reflectorStore) enqueue(op world.Op, o any) error {
	object, err := f.trim(o)
	if err != nil {
		return err
	}
	select {
	case <-f.cluster.initialLists.handedOut:
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
	return f.cluster.enqueue(f.ctx, world.Changed{Op: op, Object: object})
}

// Replace passes a full list on: the initial one, or a relist.
func (f *reflectorStore) Replace(items []any, version string) error {
	if err := f.replace(items); err != nil {
		return err
	}
	f.cluster.progress.report(f.kind, version)
	return nil
}

func (f *reflectorStore) replace(items []any) error {
	listed := world.Listed{Kind: f.kind, Objects: make([]world.Object, 0, len(items))}
	for _, item := range items {
		object, err := f.trim(item)
		if err != nil {
			return err
		}
		listed.Objects = append(listed.Objects, object)
	}
	c := f.cluster
	if all, first := c.initialLists.add(listed); first {
		for _, l := range all {
			if err := c.enqueue(f.ctx, l); err != nil {
				return err
			}
		}
		if all != nil {
			close(c.initialLists.handedOut)
		}
		return nil
	}
	select { // a relist before the others' initial lists: the inbox keeps the order
	case <-c.initialLists.handedOut:
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
	c.count.relists.Add(1)
	return c.enqueue(f.ctx, listed)
}

// initialLists holds back the first list of every kind until the last one has arrived.
type initialLists struct {
	mu        sync.Mutex
	lists     map[world.Kind]world.Listed
	missing   int
	handedOut chan struct{} // closed when all are in the inbox
}

func newInitialLists(kinds []world.Kind) *initialLists {
	return &initialLists{lists: map[world.Kind]world.Listed{}, missing: len(kinds), handedOut: make(chan struct{})}
}

// add keeps a first list and reports that it is one; with the last one it returns all, in the order of the inbox.
func (f *initialLists) add(l world.Listed) (all []world.Listed, first bool) {
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
	for _, kind := range world.SortKinds(slices.Collect(maps.Keys(f.lists))) {
		all = append(all, f.lists[kind])
	}
	f.lists = nil
	return all, true
}

func (f *initialLists) unsynced(kinds []world.Kind) []world.Kind {
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

// List reads all objects of one kind from the API server, trimmed like inputs.
func (c *Cluster) List(ctx context.Context, kind world.Kind) ([]world.Object, error) {
	return list(ctx, c.options.Client, reflectorStore{kind: kind, whole: len(c.options.Extenders) > 0}, c.options.Namespaces[kind])
}

func list(ctx context.Context, client kubernetes.Interface, f reflectorStore, in string) ([]world.Object, error) {
	kind := f.kind
	lw, err := listWatchOf(client, kind, in)
	if err != nil {
		return nil, err
	}
	var objects []world.Object
	o := metav1.ListOptions{Limit: pageObjects}
	p := page{kind: kind, packed: true}
	ctx = withAnswerTotal(ctx)
	for {
		answer, err := lw.ListWithContext(p.context(ctx), o)
		if errors.Is(err, errAnswerTooLarge) && (p.packed || o.Limit > 1) {
			// Fewer objects may do, and what is sent unpacked may take more memory.
			p.packed, o.Limit = false, max(1, o.Limit/fewerPerAttempt)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing objects of kind %s: %w", kind, err)
		}
		err = meta.EachListItemWithAlloc(answer, func(item runtime.Object) error {
			object, err := f.trim(item)
			objects = append(objects, object)
			return err
		})
		if err != nil {
			return nil, err
		}
		about, err := meta.ListAccessor(answer)
		if err != nil {
			return nil, fmt.Errorf("listing objects of kind %s: %w", kind, err)
		}
		next := about.GetContinue()
		if next == "" {
			return objects, nil
		}
		if next == o.Continue {
			return nil, fmt.Errorf("listing objects of kind %s: the API server sends the same part of the list again and again", kind)
		}
		o.Continue = next
		if len(objects) > maxListObjects {
			return nil, fmt.Errorf("listing objects of kind %s: there are more than %d", kind, maxListObjects)
		}
	}
}
