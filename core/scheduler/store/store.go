package store

import (
	"iter"
	"maps"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"

	"orrery/core/world"
)

// Delta is a change of the store. Old is nil for Added, New is nil for Deleted.
type Delta struct {
	Kind     world.Kind
	Op       world.Op
	Old, New world.Object
}

// Store holds the objects of a cluster. One goroutine at a time may use it; see ShareListers for listers.
type Store struct {
	byKind  map[world.Kind]*kindStore
	custom  bool     // custom kinds are kept too, from their first object on
	factory *factory // nil until Informers is first called
	deltas  [2]Delta // the last result of Apply
	guard   guard    // of what listers read
}

// New returns an empty store of the given kinds, or of every kind, custom ones included, if none is given. It drops objects
// of other kinds.
func New(kinds ...world.Kind) *Store {
	s := &Store{byKind: map[world.Kind]*kindStore{}, custom: len(kinds) == 0}
	if s.custom {
		kinds = world.Kinds()
	}
	for _, kind := range kinds {
		s.byKind[kind] = newKindStore(kind, &s.guard)
	}
	return s
}

// Fork returns an independent copy. It costs a copy of the store's directories, some microseconds per ten thousand objects;
// objects are shared, as they never change. Its informers are new, without handlers and custom indexes.
func (s *Store) Fork() *Store {
	fork := &Store{byKind: make(map[world.Kind]*kindStore, len(s.byKind)), custom: s.custom}
	for kind, sh := range s.byKind {
		fork.byKind[kind] = sh.fork(&fork.guard)
	}
	return fork
}

// Pod returns a pod by name, or nil. The store holds no terminal pods.
func (s *Store) Pod(namespace, name string) *v1.Pod {
	pod, _ := s.Object(world.Pod, namespace, name).(*v1.Pod)
	return pod
}

// Node returns a node by name, or nil.
func (s *Store) Node(name string) *v1.Node {
	node, _ := s.Object(world.Node, "", name).(*v1.Node)
	return node
}

// Object returns an object by kind and name, or nil. A kind without namespaces has the empty one.
func (s *Store) Object(kind world.Kind, namespace, name string) world.Object {
	if sh := s.byKind[kind]; sh != nil {
		return sh.objects.get(namespace, name)
	}
	return nil
}

// Objects iterates over the objects of a kind by namespace, then name. The store must not change meanwhile.
func (s *Store) Objects(kind world.Kind) iter.Seq[world.Object] {
	return func(yield func(world.Object) bool) {
		if sh := s.byKind[kind]; sh != nil {
			sh.objects.all(yield)
		}
	}
}

// ObjectsFrom is Objects without the first objects, at hardly any cost for those.
func (s *Store) ObjectsFrom(kind world.Kind, first int) iter.Seq[world.Object] {
	return func(yield func(world.Object) bool) {
		if sh := s.byKind[kind]; sh != nil {
			sh.objects.from(max(first, 0), yield)
		}
	}
}

// Len returns the number of objects of a kind.
func (s *Store) Len(kind world.Kind) int {
	if sh := s.byKind[kind]; sh != nil {
		return sh.objects.len()
	}
	return 0
}

// Kinds lists the kinds of the store, in the order of first lists; of custom kinds those that have had an object.
func (s *Store) Kinds() []world.Kind { return world.SortKinds(slices.Collect(maps.Keys(s.byKind))) }

// Informers returns client-go's informer factory, served from this store: the same one at every call. The package comment
// lists its differences.
func (s *Store) Informers() informers.SharedInformerFactory {
	if s.factory == nil {
		s.factory = &factory{store: s, informers: map[reflect.Type]*informer{}}
	}
	return s.factory
}

// kindStore returns the store of a kind; nil if the kind is unknown or not kept.
func (s *Store) kindStore(kind world.Kind) *kindStore {
	sh := s.byKind[kind]
	if sh == nil && s.custom && isCustom(kind) {
		sh = newKindStore(kind, &s.guard)
		s.byKind[kind] = sh
	}
	return sh
}
