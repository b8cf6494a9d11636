package store

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// maxChanges is how many changes of a kind are remembered, at 32 bytes each. Readers come back once per scheduling cycle, and
// one that is further behind reads all objects anew, which then costs little more.
const maxChanges = 4096

// changeLog has the names of the objects of a kind that changed, oldest first.
type changeLog struct {
	names []types.NamespacedName
	start uint64 // the number of the first name; numbers begin at 1
}

func (l *changeLog) add(object world.Object) {
	if len(l.names) == maxChanges {
		l.names = slices.Delete(l.names, 0, maxChanges/2)
		l.start += maxChanges / 2
	}
	l.names = append(l.names, types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()})
}

func (l *changeLog) end() uint64 { return l.start + uint64(len(l.names)) }

// ObjectChanges returns the names of the objects of a kind that were added, changed or deleted since an earlier call returned
// since, oldest first and valid until the next change; and what to pass to the next call. If known is false, any object may
// have changed: at the first call for a kind, with 0, and after more changes than are remembered.
func (s *Store) ObjectChanges(kind world.Kind, since uint64) (names []types.NamespacedName, now uint64, known bool) {
	sh := s.byKind[kind]
	if sh == nil {
		return nil, 0, false
	}
	if sh.changes == nil {
		sh.changes = &changeLog{start: 1}
	}
	log := sh.changes
	if since < log.start || since > log.end() {
		return nil, log.end(), false
	}
	return log.names[since-log.start:], log.end(), true
}
