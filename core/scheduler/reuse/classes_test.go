package reuse

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is put where, a class has the positions with its key and no others, whether they are a list or a bitmap, and keeps its
// number while it has some.
func TestClasses_HavePositionsOfKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Classes
		size := rapid.IntRange(0, 300).Draw(t, "nodes")
		c.Reset(size)
		keys, numbers := map[int]string{}, map[string]int32{} // by position, and by key
		for range rapid.IntRange(0, 300).Draw(t, "changes") {
			switch position := rapid.IntRange(0, max(0, size-1)).Draw(t, "position"); rapid.IntRange(0, 9).Draw(t, "change") {
			case 0:
				size = rapid.IntRange(0, 300).Draw(t, "nodes now")
				c.Resize(size)
				maps.DeleteFunc(keys, func(position int, _ string) bool { return position >= size })
			case 1:
				if size > 0 {
					c.Drop(int32(position))
					delete(keys, position)
				}
			default:
				key := rapid.SampledFrom([]string{"a", "a", "a", "b", "b", "c", "d"}).Draw(t, "key")
				for ; position < size && rapid.IntRange(0, 5).Draw(t, "go on") > 0; position++ {
					c.Put(int32(position), []byte(key))
					keys[position] = key
				}
			}
			compareKeys(t, &c, size, keys, numbers)
		}
	})
}

func compareKeys(t *rapid.T, c *Classes, size int, keys map[int]string, numbers map[string]int32) {
	members, bitmaps := map[string][]int32{}, 0
	for position := range size {
		key, has := keys[position]
		if c.none.Has(position) == has {
			t.Fatalf("position %d has a class: %v, and counts as one without: %v", position, has, has)
		}
		if has {
			members[key] = append(members[key], int32(position))
		}
	}
	maps.DeleteFunc(numbers, func(key string, _ int32) bool { return members[key] == nil })
	everywhere, all := Bitmap(nil).Zeroed(size), []span{{0, wordsFor(size)}}
	for position := range size {
		everywhere.Set(int32(position))
	}
	for key, positions := range members {
		class := c.Of(int(positions[0]))
		if before, known := numbers[key]; known && before != class {
			t.Fatalf("class %q was %d and is %d", key, before, class)
		}
		numbers[key] = class
		set := c.Nodes(class)
		if got := slices.Sorted(slices.Values(set.in(everywhere, all))); !slices.Equal(got, positions) || set.Len() != len(positions) {
			t.Fatalf("class %q has %v, want %v", key, got, positions)
		}
	}
	for i := range c.sets {
		bitmaps += c.sets[i].bitmaps()
	}
	if bitmaps != c.bitmaps {
		t.Fatalf("there are %d bitmaps, counted as %d", bitmaps, c.bitmaps)
	}
}
