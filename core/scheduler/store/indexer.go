package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// ErrReadOnly is returned to a plugin that tries to write to an informer's store.
var ErrReadOnly = errors.New("an informer's store is written by the engine only")

// indexer serves client-go's listers: the objects of one kind, by key, by namespace and by the indexes of plugins, in the
// order of (namespace, name).
type indexer struct{ informer *informer }

var _ cache.Indexer = indexer{}

func (x indexer) objects() *sortedObjects { return &x.informer.kindStore.objects }

// reading begins a read, which the returned function ends.
func (x indexer) reading() (end func()) { return x.informer.kindStore.guard.read() }

// List returns every object, in a new slice.
func (x indexer) List() []any {
	defer x.reading()()
	list := make([]any, 0, x.objects().len())
	x.objects().all(func(o world.Object) bool {
		list = append(list, o)
		return true
	})
	return list
}

func (x indexer) ListKeys() []string {
	defer x.reading()()
	keys := make([]string, 0, x.objects().len())
	x.objects().all(func(o world.Object) bool {
		keys = append(keys, keyOf(o))
		return true
	})
	return keys
}

// LastStoreSyncResourceVersion is empty: objects come from the engine's inputs.
func (x indexer) LastStoreSyncResourceVersion() string { return "" }

// Bookmark does nothing.
func (x indexer) Bookmark(string) {}

// Get returns the object with the name of another one.
func (x indexer) Get(object any) (item any, exists bool, err error) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
	if err != nil {
		return nil, false, err
	}
	return x.GetByKey(key)
}

// GetByKey returns the object at "namespace/name", or "name" for kinds without namespaces.
func (x indexer) GetByKey(key string) (item any, exists bool, err error) {
	namespace, name, namespaced := strings.Cut(key, "/")
	if !namespaced {
		namespace, name = "", key
	}
	end := x.reading()
	o := x.objects().get(namespace, name)
	end()
	if o == nil {
		return nil, false, nil
	}
	return o, true, nil
}

// Index returns the objects that share a value of the index with the given one.
func (x indexer) Index(indexName string, object any) ([]any, error) {
	defer x.reading()()
	custom := x.informer.index(indexName)
	if custom == nil && indexName == cache.NamespaceIndex {
		o, ok := object.(metav1.Object)
		if !ok {
			return nil, fmt.Errorf("looking up the namespace of a %T: it has no metadata", object)
		}
		return x.inNamespace(o.GetNamespace()), nil
	}
	if custom == nil {
		return nil, noIndex(indexName)
	}
	values, err := custom.of(object)
	if err != nil {
		return nil, fmt.Errorf("computing index %s: %w", indexName, err)
	}
	if len(values) == 1 {
		return custom.list(values[0]), nil
	}
	several := newSortedObjects()
	for _, value := range values {
		several.merge(custom.byValue[value])
	}
	return listOf(&several), nil
}

// ByIndex returns the objects that have a value in an index.
func (x indexer) ByIndex(indexName, value string) ([]any, error) {
	defer x.reading()()
	if custom := x.informer.index(indexName); custom != nil {
		return custom.list(value), nil
	}
	if indexName == cache.NamespaceIndex {
		return x.inNamespace(value), nil
	}
	return nil, noIndex(indexName)
}

// IndexKeys is ByIndex with the keys of the objects.
func (x indexer) IndexKeys(indexName, value string) ([]string, error) {
	list, err := x.ByIndex(indexName, value)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(list))
	for _, o := range list {
		keys = append(keys, keyOf(o.(world.Object)))
	}
	return keys, nil
}

// ListIndexFuncValues lists the values of an index, sorted.
func (x indexer) ListIndexFuncValues(indexName string) []string {
	defer x.reading()()
	if custom := x.informer.index(indexName); custom != nil {
		return slices.Sorted(maps.Keys(custom.byValue))
	}
	var namespaces []string
	if indexName == cache.NamespaceIndex {
		x.objects().all(func(o world.Object) bool {
			if n := len(namespaces); n == 0 || namespaces[n-1] != o.GetNamespace() {
				namespaces = append(namespaces, o.GetNamespace())
			}
			return true
		})
	}
	return namespaces
}

func (x indexer) GetIndexers() cache.Indexers {
	defer x.reading()()
	all := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	for _, custom := range x.informer.indexes {
		all[custom.name] = custom.of
	}
	return all
}

// AddIndexers adds indexes over present and future objects. The namespace index always exists.
func (x indexer) AddIndexers(indexers cache.Indexers) error {
	var taken error
	x.informer.kindStore.guard.change(func() { taken = x.addIndexers(indexers) })
	return taken
}

func (x indexer) addIndexers(indexers cache.Indexers) error {
	for _, name := range slices.Sorted(maps.Keys(indexers)) {
		if x.informer.index(name) != nil {
			return fmt.Errorf("adding index %q: there is one of this name already", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(indexers)) {
		custom := &customIndex{name: name, of: indexers[name], byValue: map[string]*sortedObjects{}}
		x.objects().all(func(o world.Object) bool {
			custom.update(nil, o)
			return true
		})
		x.informer.indexes = append(x.informer.indexes, custom)
	}
	return nil
}

func (indexer) Add(any) error               { return ErrReadOnly }
func (indexer) Update(any) error            { return ErrReadOnly }
func (indexer) Delete(any) error            { return ErrReadOnly }
func (indexer) Replace([]any, string) error { return ErrReadOnly }
func (indexer) Resync() error               { return nil }

func (x indexer) inNamespace(namespace string) []any {
	var list []any
	x.objects().in(namespace, func(o world.Object) bool {
		list = append(list, o)
		return true
	})
	return list
}

// customIndex is an index that a plugin has added. An object for which its function fails is in none of its values.
type customIndex struct {
	name    string
	of      cache.IndexFunc
	byValue map[string]*sortedObjects
}

func (in *informer) index(name string) *customIndex {
	for _, custom := range in.indexes {
		if custom.name == name {
			return custom
		}
	}
	return nil
}

// update moves an object from the values it had to those it has. Either may be nil.
func (c *customIndex) update(held, object world.Object) {
	if held != nil {
		values, _ := c.of(held)
		for _, value := range values {
			if objects := c.byValue[value]; objects != nil {
				objects.remove(held.GetNamespace(), held.GetName())
				if objects.len() == 0 {
					delete(c.byValue, value)
				}
			}
		}
	}
	if object == nil {
		return
	}
	values, err := c.of(object)
	if err != nil {
		return
	}
	for _, value := range values {
		objects := c.byValue[value]
		if objects == nil {
			fresh := newSortedObjects()
			objects = &fresh
			c.byValue[value] = objects
		}
		objects.put(object.GetNamespace(), object.GetName(), object)
	}
}

func (c *customIndex) list(value string) []any {
	if objects := c.byValue[value]; objects != nil {
		return listOf(objects)
	}
	return nil
}

// merge adds the objects of another one, which may be nil.
func (o *sortedObjects) merge(other *sortedObjects) {
	if other == nil {
		return
	}
	other.all(func(object world.Object) bool {
		o.put(object.GetNamespace(), object.GetName(), object)
		return true
	})
}

func listOf(objects *sortedObjects) []any {
	list := make([]any, 0, objects.len())
	objects.all(func(o world.Object) bool {
		list = append(list, o)
		return true
	})
	return list
}

func keyOf(o world.Object) string {
	if namespace := o.GetNamespace(); namespace != "" {
		return namespace + "/" + o.GetName()
	}
	return o.GetName()
}

func noIndex(name string) error { return fmt.Errorf("there is no index %q", name) }
