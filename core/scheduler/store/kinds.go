package store

import (
	"reflect"

	"orrery/core/world"
)

// requiresUID reports whether objects of a kind are tracked by UID, so that one without could be mistaken for another.
func requiresUID(kind world.Kind) bool { return kind == world.Pod || kind == world.ResourceClaim }

// hasNamespace reports whether an object needs a namespace. For a custom kind that is not known: its object decides.
func hasNamespace(kind world.Kind, o world.Object) bool {
	return kind.Namespaced() || (isCustom(kind) && o.GetNamespace() != "")
}

func isCustom(kind world.Kind) bool {
	_, custom := kind.Custom()
	return custom
}

// isNil reports whether there is no object: nil, or a nil pointer, which a broken list may hold.
func isNil(o world.Object) bool {
	if o == nil {
		return true
	}
	v := reflect.ValueOf(o)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
