package reuse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLRU_EvictsLeastRecentlyUsed(t *testing.T) {
	var dropped []string
	l := NewLRU(2, 0, func(v string) { dropped = append(dropped, v) })
	keep := func(s string) { l.Add(Signature(s), s) }
	keep("a")
	keep("b")
	l.Get(Signature("a"))
	keep("c")
	keep("d")
	if diff := cmp.Diff([]string{"b", "a"}, dropped); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	if l.Get(Signature("c")) == nil {
		t.Error("c was evicted")
	}
}

func TestLRU_EntryInUseMayTakeMore(t *testing.T) {
	l := NewLRU[string](10, 5, nil)
	a, b := l.Add(Signature("a"), "a"), l.Add(Signature("b"), "b")
	l.Resize(a, 3)
	l.Resize(b, 7)
	if l.Has(a) || !l.Has(b) || l.taken != 7 {
		t.Errorf("a is there: %v, b is there: %v, they take %d; want b alone with 7", l.Has(a), l.Has(b), l.taken)
	}
}
