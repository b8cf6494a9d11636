package queue

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A heap must hand out what a sorted list would, whatever is changed or taken out of its middle.
func TestPodHeap_PopsInOrder(t *testing.T) {
	numbers := rapid.SampledFrom([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
	rapid.Check(t, func(t *rapid.T) {
		h := podHeap{slot: slotQueue, less: func(a, b *Pod) bool {
			return a.priority < b.priority || (a.priority == b.priority && a.stamp < b.stamp)
		}}
		var list []*Pod
		for stamp := range uint64(60) {
			n := numbers.Draw(t, "number")
			switch i := int(n) * len(list) / 20; {
			case stamp < 20 || len(list) == 0 || n%4 == 0:
				p := &Pod{priority: n, stamp: stamp}
				list = append(list, p)
				h.push(p)
			case n%4 == 1:
				list[i].priority = numbers.Draw(t, "new number")
				h.fix(list[i])
			default:
				h.remove(list[i])
				list = slices.Delete(list, i, i+1)
			}
		}
		slices.SortFunc(list, func(a, b *Pod) int {
			return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.stamp, b.stamp))
		})
		for _, want := range list {
			if got := h.head(); got != want {
				t.Fatalf("the head is %d/%d, want %d/%d", got.priority, got.stamp, want.priority, want.stamp)
			}
			h.remove(want)
		}
		if h.len() != 0 || h.head() != nil {
			t.Fatalf("%d are left", h.len())
		}
	})
}
