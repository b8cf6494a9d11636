package store

import (
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/changelog"
	"orrery/core/world"
)

// maxChanges is how many changes of a kind are remembered, at 32 bytes each. Readers come back once per scheduling cycle, and
// one that is further behind reads all objects anew, which then costs little more.
//
//orrery:limit API server; changes of a kind that are remembered for readers; a reader that is further behind reads all objects
const maxChanges = 4096

// ObjectChanges returns the names of the objects of a kind that were added, changed or deleted since an earlier call returned
// since, oldest first and valid until the next change; and what to pass to the next call. If known is false, any object may
// have changed: at the first call for a kind, with 0, and after more changes than are remembered.
func (s *Store) ObjectChanges(kind world.Kind, since uint64) (names []types.NamespacedName, now uint64, known bool) {
	sh := s.byKind[kind]
	if sh == nil {
		return nil, 0, false
	}
	if sh.changes == nil {
		sh.changes = &changelog.Log[types.NamespacedName]{}
	}
	return sh.changes.Since(since)
}

func (sh *kindStore) logChange(object world.Object) {
	if sh.changes != nil {
		sh.changes.Add(types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}, maxChanges)
	}
}
