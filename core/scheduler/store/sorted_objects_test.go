package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"orrery/core/world"
)

// verify checks what every operation relies on: full order, no empty and no overfull chunk, a right count.
func (o *sortedObjects) verify(t *rapid.T) {
	count := 0
	var last *item
	for i, c := range o.directory {
		if len(c.items) == 0 || len(c.items) > chunkSize {
			t.Fatalf("chunk %d of %d holds %d objects", i, len(o.directory), len(c.items))
		}
		for j := range c.items {
			if last != nil && last.compare(c.items[j].namespace, c.items[j].name) >= 0 {
				t.Fatalf("%s/%s stands before %s/%s", last.namespace, last.name, c.items[j].namespace, c.items[j].name)
			}
			last = &c.items[j]
			count++
		}
	}
	if count != o.count {
		t.Fatalf("%d objects, but the count is %d", count, o.count)
	}
}

func TestSortedObjects_MatchesMap(t *testing.T) {
	type snapshot struct {
		fork  sortedObjects
		model map[string]world.Object
	}
	rapid.Check(t, func(t *rapid.T) {
		o, model := newSortedObjects(), map[string]world.Object{}
		var snapshots []snapshot
		put := func(namespace, name string) {
			object := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
			o.put(namespace, name, object)
			model[namespace+"/"+name] = object
		}
		for range rapid.IntRange(0, 8).Draw(t, "rounds") {
			namespace := rapid.SampledFrom([]string{"", "a", "ab", "b"}).Draw(t, "namespace")
			first, step := rapid.IntRange(0, 300).Draw(t, "first"), rapid.SampledFrom([]int{1, 2, 3, -1}).Draw(t, "step")
			adding := rapid.IntRange(0, 3).Draw(t, "kind") > 0
			for i := range rapid.IntRange(0, 300).Draw(t, "count") {
				name := fmt.Sprintf("%04d", first+300+i*step)
				if adding {
					put(namespace, name)
				} else {
					o.remove(namespace, name)
					delete(model, namespace+"/"+name)
				}
			}
			o.verify(t)
			snapshots = append(snapshots, snapshot{o.fork(), maps.Clone(model)})
		}
		for i := range snapshots {
			snapshots[i].fork.verify(t)
			if got, want := keysOf(&snapshots[i].fork), slices.Sorted(maps.Keys(snapshots[i].model)); !slices.Equal(got, want) {
				t.Fatalf("the fork of round %d has %d objects after the original went on, want %d", i, len(got), len(want))
			}
		}
		all := keysOf(&o)
		if want := slices.Sorted(maps.Keys(model)); !slices.Equal(all, want) {
			t.Fatalf("all hands out %d objects, want %d in order", len(all), len(want))
		}
		for range 4 {
			first, i := rapid.IntRange(0, len(all)+1).Draw(t, "from"), 0
			o.from(first, func(object world.Object) bool {
				if key := object.GetNamespace() + "/" + object.GetName(); key != all[first+i] {
					t.Fatalf("object %d from index %d is %s, want %s", i, first, key, all[first+i])
				}
				i++
				return true
			})
			if i != max(len(all)-first, 0) {
				t.Fatalf("from index %d there are %d objects of %d", first, i, len(all))
			}
		}
		for key, want := range model {
			namespace, name, _ := strings.Cut(key, "/")
			if o.get(namespace, name) != want || o.get(namespace, name+"x") != nil {
				t.Fatalf("%s is not found, or found twice", key)
			}
		}
		for _, namespace := range []string{"", "a", "aa", "ab", "b", "c"} {
			count := 0
			o.in(namespace, func(object world.Object) bool {
				count++
				return object.GetNamespace() == namespace
			})
			want := 0
			for key := range model {
				if strings.HasPrefix(key, namespace+"/") {
					want++
				}
			}
			if count != want {
				t.Fatalf("namespace %q hands out %d objects, want %d", namespace, count, want)
			}
		}
	})
}

func keysOf(o *sortedObjects) []string {
	var keys []string
	o.all(func(object world.Object) bool {
		keys = append(keys, object.GetNamespace()+"/"+object.GetName())
		return true
	})
	return keys
}

func TestSortedObjects_AppendsFillChunks(t *testing.T) {
	o := newSortedObjects()
	const count = 10 * chunkSize
	for i := range count {
		name := fmt.Sprintf("%06d", i)
		o.put("", name, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	if got := len(o.directory); got != count/chunkSize {
		t.Errorf("%d objects take %d chunks, want %d", count, got, count/chunkSize)
	}
}

func TestSortedObjects_MergesSmallChunks(t *testing.T) {
	o := newSortedObjects()
	const count = 100 * chunkSize
	for i := range count {
		name := fmt.Sprintf("%06d", i)
		o.put("", name, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for i := range count {
		if i%chunkSize != 0 {
			o.remove("", fmt.Sprintf("%06d", i))
		}
	}
	if got := len(o.directory); got > 10 {
		t.Errorf("100 objects that are left take %d chunks", got)
	}
}

func TestSortedObjects_MergeLeavesFork(t *testing.T) {
	o := newSortedObjects()
	name := func(i int) string { return fmt.Sprintf("%06d", i) }
	for i := range 2 * chunkSize {
		o.put("", name(i), &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name(i)}})
	}
	remove := func(from, to int) {
		for i := from; i < to; i++ {
			o.remove("", name(i))
		}
	}
	remove(10, chunkSize)
	remove(chunkSize, chunkSize+70)
	fork := o.fork()
	want := keysOf(&fork)
	remove(chunkSize+70, chunkSize+80)
	if len(o.directory) != 1 {
		t.Fatalf("%d objects in %d chunks were not merged", o.len(), len(o.directory))
	}
	if got := keysOf(&fork); !slices.Equal(got, want) {
		t.Errorf("the fork has %d objects, want %d", len(got), len(want))
	}
}
