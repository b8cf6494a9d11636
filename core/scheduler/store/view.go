package store

import (
	"iter"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// View is the read-only part of a Store.
type View interface {
	Pod(namespace, name string) *v1.Pod
	Node(name string) *v1.Node
	Object(kind world.Kind, namespace, name string) world.Object
	Objects(kind world.Kind) iter.Seq[world.Object]
	ObjectsFrom(kind world.Kind, first int) iter.Seq[world.Object]
	Len(kind world.Kind) int
	Kinds() []world.Kind
	// RequestedKinds and UnservedTypes describe the informers that plugins have requested.
	RequestedKinds() []world.Kind
	UnservedTypes() []string
}

var _ View = (*Store)(nil)
