package heap_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"orrery/core/safe/heap"
)

type numbered struct{ number, stamp, at int }

// A heap must hand out what a sorted list would, whatever is changed or taken out of its middle.
func TestHeap_PopsInOrder(t *testing.T) {
	numbers := rapid.IntRange(0, 19)
	rapid.Check(t, func(t *rapid.T) {
		h := heap.Heap[*numbered]{
			Less: func(a, b *numbered) bool {
				return a.number < b.number || (a.number == b.number && a.stamp < b.stamp)
			},
			Moved: func(item *numbered, index int) { item.at = index },
		}
		var list []*numbered
		for stamp := range 60 {
			n := numbers.Draw(t, "number")
			switch i := n * len(list) / 20; {
			case stamp < 20 || len(list) == 0 || n%4 == 0:
				item := &numbered{number: n, stamp: stamp}
				list = append(list, item)
				h.Push(item)
			case n%4 == 1:
				list[i].number = numbers.Draw(t, "new number")
				h.Fix(list[i].at)
			default:
				h.Remove(list[i].at)
				list = slices.Delete(list, i, i+1)
			}
			for i, item := range h.Items {
				if item.at != i {
					t.Fatalf("item %d/%d is at %d, but was moved to %d last", item.number, item.stamp, i, item.at)
				}
			}
		}
		slices.SortFunc(list, func(a, b *numbered) int {
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.stamp, b.stamp))
		})
		for _, want := range list {
			if got := h.Pop(); got != want {
				t.Fatalf("popped %d/%d, want %d/%d", got.number, got.stamp, want.number, want.stamp)
			}
		}
		if len(h.Items) != 0 {
			t.Fatalf("%d are left", len(h.Items))
		}
	})
}
