package framework_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestCSINodes(t *testing.T) {
	s := store.New()
	csi := framework.CSINodes(s.Informers())
	if kinds := s.RequestedKinds(); len(kinds) != 0 {
		t.Errorf("before a plugin asks, %v are requested", kinds)
	}
	nodes := csi.CSINodes()
	if kinds := s.RequestedKinds(); len(kinds) != 1 || kinds[0] != world.CSINode {
		t.Errorf("%v are requested, want CSINodes", kinds)
	}
	for _, name := range []string{"n2", "n1"} {
		if _, err := s.Apply(world.Changed{Op: world.Added, Object: mk.CSINode(name).Obj()}); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := nodes.List(); err != nil || len(list) != 2 || list[0].Name != "n1" {
		t.Errorf("listed %v, %v, want n1 and n2", list, err)
	}
	if node, err := nodes.Get("n2"); err != nil || node.Name != "n2" {
		t.Errorf("got %v, %v, want n2", node, err)
	}
	if _, err := nodes.Get("n3"); !errors.IsNotFound(err) {
		t.Errorf("a node without a CSINode: got error %v, want not found", err)
	}
}
