package store_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

func TestAPointerToNothingIsRefused(t *testing.T) {
	for _, row := range []struct {
		name   string
		object world.Object
		kind   world.Kind
	}{
		{"nothing", nil, world.Pod},
		{"no pod", (*v1.Pod)(nil), world.Pod},
		{"no node", (*v1.Node)(nil), world.Node},
		{"no custom resource", (*world.Custom)(nil), "foos.v1.example.com"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := store.New()
			if _, err := s.Apply(world.Changed{Object: row.object}); err == nil || !strings.Contains(err.Error(), "without an object") {
				t.Errorf("as an event: %v", err)
			}
			good := state("web/1@5")
			deltas, errs := s.Replace(world.Listed{Kind: row.kind, Objects: []world.Object{row.object}})
			if len(deltas) != 0 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "object missing") {
				t.Errorf("in a list: %v, %v", deltas, errs)
			}
			deltas, errs = s.Replace(world.Listed{Kind: world.Pod, Objects: []world.Object{row.object, good}})
			if len(deltas) != 1 || len(errs) != 1 {
				t.Errorf("beside a good one: %v, %v", showDeltas(deltas), errs)
			}
			if err := store.Validate(row.object); err == nil {
				t.Error("it passes the check")
			}
		})
	}
}
