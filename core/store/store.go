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

// Delta is a change of what the store holds. Old is what was held before: nil for Added. New is what is held now: nil
// for Deleted.
type Delta struct {
	Kind     world.Kind
	Op       world.Op
	Old, New world.Object
}

// Store holds the objects of a cluster. One goroutine at a time may use it.
type Store struct {
	shelves []*shelf              // by number of the kind in kindTable; nil for a kind that is not kept
	custom  map[world.Kind]*shelf // made when first told of, in a store of every kind; nil in others
	factory *factory              // nil until Informers is first called
	applied [2]Delta              // what Apply returned last
}

// New is an empty store of the given kinds, or of every kind when none is given. What it is told of other kinds it
// forgets at once. Every kind includes custom ones.
func New(kinds ...world.Kind) *Store {
	s := &Store{shelves: make([]*shelf, len(kindTable))}
	if len(kinds) == 0 {
		s.custom = map[world.Kind]*shelf{}
	}
	for number := range kindTable {
		if len(kinds) == 0 {
			s.shelves[number] = newShelf(&kindTable[number])
		}
	}
	for _, kind := range kinds {
		if number, known := numberByKind[kind]; known {
			s.shelves[number] = newShelf(&kindTable[number])
		}
	}
	return s
}

// Fork is an independent copy: what either is told from now on, the other never hears of. It costs what the store's
// directories take, some microseconds per ten thousand objects; objects are shared, as nobody changes them. Its
// informers are new ones, without the handlers and indexes of the old.
func (s *Store) Fork() *Store {
	fork := &Store{shelves: make([]*shelf, len(s.shelves))}
	for number, sh := range s.shelves {
		if sh != nil {
			fork.shelves[number] = sh.fork()
		}
	}
	if s.custom != nil {
		fork.custom = make(map[world.Kind]*shelf, len(s.custom))
	}
	for kind, sh := range s.custom {
		fork.custom[kind] = sh.fork()
	}
	return fork
}

// Pod is a pod by name, or nil. A pod that has run to its end is not held.
func (s *Store) Pod(namespace, name string) *v1.Pod {
	pod, _ := s.Object(world.Pod, namespace, name).(*v1.Pod)
	return pod
}

// Node is a node by name, or nil.
func (s *Store) Node(name string) *v1.Node {
	node, _ := s.Object(world.Node, "", name).(*v1.Node)
	return node
}

// Object is an object by kind and name, or nil. A kind without namespaces has the empty one.
func (s *Store) Object(kind world.Kind, namespace, name string) world.Object {
	if sh := s.shelf(kind); sh != nil {
		return sh.objects.get(namespace, name)
	}
	return nil
}

// Objects goes through the objects of a kind in the order of their namespaces, then names. The store must not be told
// anything meanwhile.
func (s *Store) Objects(kind world.Kind) iter.Seq[world.Object] {
	return func(yield func(world.Object) bool) {
		if sh := s.shelf(kind); sh != nil {
			sh.objects.all(yield)
		}
	}
}

// Len is how many objects of a kind there are.
func (s *Store) Len(kind world.Kind) int {
	if sh := s.shelf(kind); sh != nil {
		return sh.objects.len()
	}
	return 0
}

// Kinds lists the kinds that are kept, in the order in which first lists should be given; of custom ones those that it has
// been told of.
func (s *Store) Kinds() []world.Kind {
	kinds := slices.Collect(maps.Keys(s.custom))
	for number, sh := range s.shelves {
		if sh != nil {
			kinds = append(kinds, kindTable[number].kind)
		}
	}
	return world.InOrder(kinds)
}

// Informers is client-go's informer factory, served from this store: the same one at every call. See the package
// comment for what it does differently.
func (s *Store) Informers() informers.SharedInformerFactory {
	if s.factory == nil {
		s.factory = &factory{store: s, informers: map[reflect.Type]*informer{}}
	}
	return s.factory
}

func (s *Store) shelf(kind world.Kind) *shelf {
	if number, known := numberByKind[kind]; known {
		return s.shelves[number]
	}
	return s.custom[kind]
}

// shelfToFill is where objects of a kind belong; nil when it is unknown or not kept.
func (s *Store) shelfToFill(kind world.Kind) *shelf {
	sh := s.shelf(kind)
	if _, custom := kind.Custom(); sh == nil && custom && s.custom != nil {
		sh = newShelf(&kindEntry{kind: kind, custom: true})
		s.custom[kind] = sh
	}
	return sh
}

// shelfFor is where an object belongs; nil when its kind is unknown or not kept.
func (s *Store) shelfFor(o world.Object) *shelf {
	if c, ok := o.(*world.Custom); ok {
		return s.shelfToFill(c.Resource)
	}
	if number, known := numberByType[reflect.TypeOf(o)]; known {
		return s.shelves[number]
	}
	return nil
}
