package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// changes is one call of ObjectChanges, as text, and its mark.
func changes(s *store.Store, kind world.Kind, since uint64) (string, uint64) {
	names, now, known := s.ObjectChanges(kind, since)
	if !known {
		return "unknown", now
	}
	return fmt.Sprint(names), now
}

func TestObjectChanges_NamesWhatChanged(t *testing.T) {
	s := filled(t, mk.Claim("before").Obj())
	got := map[string]string{}
	text, mark := changes(s, world.PersistentVolumeClaim, 0)
	got["first"] = text
	text, mark = changes(s, world.PersistentVolumeClaim, mark)
	got["nothing"] = text
	apply(t, s, world.Added, mk.Claim("added").Namespace("shop").Obj())
	apply(t, s, world.Modified, mk.Claim("before").Bound("pv").Obj())
	apply(t, s, world.Deleted, mk.Claim("before").Bound("pv").Obj())
	apply(t, s, world.Deleted, mk.Claim("unheard-of").Obj())
	apply(t, s, world.Added, mk.Volume("of-another-kind").Obj())
	got["three"], _ = changes(s, world.PersistentVolumeClaim, mark)
	got["three again"], mark = changes(s, world.PersistentVolumeClaim, mark)
	apply(t, s, world.Added, mk.Claim("last").Obj())
	got["one"], mark = changes(s, world.PersistentVolumeClaim, mark)
	got["the future"], _ = changes(s, world.PersistentVolumeClaim, mark+1)
	got["another kind's first"], _ = changes(s, world.PersistentVolume, 0)
	got["a fork's first"], _ = changes(s.Fork(), world.PersistentVolumeClaim, mark)
	got["a kind that is not kept"], _ = changes(store.New(world.Pod), world.Node, 0)
	want := map[string]string{
		"first": "unknown", "nothing": "[]", "three": "[shop/added default/before default/before]",
		"three again": "[shop/added default/before default/before]", "one": "[default/last]", "the future": "unknown",
		"another kind's first": "unknown", "a fork's first": "unknown", "a kind that is not kept": "unknown",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A reader that lags too far behind is told so; the others miss nothing.
func TestObjectChanges_Bounded(t *testing.T) {
	s := store.New()
	_, slow := changes(s, world.PersistentVolume, 0)
	quick := slow
	for i := range 10_000 {
		name := fmt.Sprint("pv-", i)
		apply(t, s, world.Added, mk.Volume(name).Obj())
		var text string
		if text, quick = changes(s, world.PersistentVolume, quick); text != "["+"/"+name+"]" {
			t.Fatalf("change %d: got %s", i, text)
		}
	}
	if text, now := changes(s, world.PersistentVolume, slow); text != "unknown" || now != quick {
		t.Errorf("the slow reader got %s and mark %d, want unknown and %d", text, now, quick)
	}
}
