package store

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/world"
)

// ResourceOf is what the API calls the objects of a kind, in paths and in RBAC rules; empty for a kind that is not known.
func ResourceOf(kind world.Kind) schema.GroupVersionResource {
	if number, known := numberByKind[kind]; known {
		return kindTable[number].resource
	}
	resource, _ := kind.Custom()
	return resource
}
