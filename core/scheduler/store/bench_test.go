package store_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const manyPods = 100_000

func fullStore(b *testing.B) (*store.Store, []world.Object) {
	b.Helper()
	list := world.Listed{Kind: world.Pod}
	for i := range manyPods {
		p := mk.Pod(fmt.Sprintf("pod-%06d", i)).Namespace(fmt.Sprintf("ns-%02d", i%50)).CPU("100m").Memory("1Gi").Obj()
		p.ResourceVersion = strconv.Itoa(i + 1)
		list.Objects = append(list.Objects, p)
	}
	s := store.New()
	if _, errs := s.Replace(list); len(errs) > 0 {
		b.Fatal(errs[0])
	}
	return s, list.Objects
}

// BenchmarkStore_Fork has to stay below 10 ms for 100,000 pods.
func BenchmarkStore_Fork(b *testing.B) {
	s, _ := fullStore(b)
	b.ReportAllocs()
	for b.Loop() {
		s.Fork()
	}
}

func BenchmarkStore_ForkAndChangePod(b *testing.B) {
	s, objects := fullStore(b)
	p := objects[manyPods/2].(*v1.Pod).DeepCopy()
	p.ResourceVersion = strconv.Itoa(manyPods + 1)
	b.ReportAllocs()
	for b.Loop() {
		if deltas, _ := s.Fork().Apply(world.Changed{Op: world.Modified, Object: p}); len(deltas) != 1 {
			b.Fatal("not taken")
		}
	}
}

func BenchmarkStore_ApplyModified(b *testing.B) {
	s, objects := fullStore(b)
	changed := make([]world.Object, 1000)
	version := manyPods
	for i := range changed {
		changed[i] = objects[i*97].(*v1.Pod).DeepCopy()
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		// Two objects take turns under each name; the one that comes is not the one that is held.
		o := changed[i%len(changed)]
		if (i/len(changed))%2 == 1 {
			o = objects[(i%len(changed))*97]
		}
		version++
		o.SetResourceVersion(strconv.Itoa(version))
		if deltas, err := s.Apply(world.Changed{Op: world.Modified, Object: o}); err != nil || len(deltas) != 1 {
			b.Fatal(deltas, err)
		}
	}
}

func BenchmarkStore_Pod(b *testing.B) {
	s, objects := fullStore(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		o := objects[(i*7919)%manyPods]
		if s.Pod(o.GetNamespace(), o.GetName()) == nil {
			b.Fatal("not found")
		}
	}
}

func BenchmarkLister_ServicesOfNamespace(b *testing.B) {
	s := store.New()
	for i := range 1000 {
		if _, err := s.Apply(world.Changed{Object: service(fmt.Sprintf("ns-%02d", i%100), fmt.Sprintf("svc-%d", i))}); err != nil {
			b.Fatal(err)
		}
	}
	lister := s.Informers().Core().V1().Services().Lister()
	b.ReportAllocs()
	for b.Loop() {
		if got, err := lister.Services("ns-42").List(labels.Everything()); err != nil || len(got) != 10 {
			b.Fatal(len(got), err)
		}
	}
}

func BenchmarkStore_Fill(b *testing.B) {
	_, objects := fullStore(b)
	list := world.Listed{Kind: world.Pod, Objects: objects}
	var before, after runtime.MemStats
	var s *store.Store
	for b.Loop() {
		s = nil
		runtime.GC()
		runtime.ReadMemStats(&before)
		s = store.New()
		s.Replace(list)
		runtime.GC()
		runtime.ReadMemStats(&after)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(s.Len(world.Pod)), "heap-B/pod")
}
