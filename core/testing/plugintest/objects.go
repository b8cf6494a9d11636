package plugintest

import (
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Store returns a store of these objects, for plugins that read more than nodes and pods.
func Store(t TB, objects ...world.Object) *store.Store {
	t.Helper()
	s := store.New()
	for _, object := range objects {
		Apply(t, s, world.Added, object)
	}
	return s
}

// Apply changes an object of a store.
func Apply(t TB, s *store.Store, op world.Op, object world.Object) {
	t.Helper()
	if _, err := s.Apply(world.Changed{Op: op, Object: object}); err != nil {
		t.Fatalf("applying %s %s: %v", op, object.GetName(), err)
	}
}
