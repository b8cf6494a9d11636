package store_test

import (
	"slices"
	"strconv"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// A plugin on a goroutine of its own reads listers and indexes while objects change. Handlers read them as well.
func TestShareListers_ReadsWhileObjectsChange(t *testing.T) {
	s := store.New()
	s.ShareListers(func(do func()) { do() })
	pvs := s.Informers().Core().V1().PersistentVolumes()
	byClass := cache.Indexers{"class": func(o any) ([]string, error) { return []string{o.(*v1.PersistentVolume).Spec.StorageClassName}, nil }}
	if err := pvs.Informer().AddIndexers(byClass); err != nil {
		t.Fatal(err)
	}
	_, err := pvs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, is any) {
		if pv, err := pvs.Lister().Get(is.(*v1.PersistentVolume).Name); err != nil || pv != is {
			t.Errorf("a handler reads %v, %v, want what it is called with", pv, err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	changed, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		for {
			list, err := pvs.Lister().List(labels.Everything())
			if got := names(list); err != nil || !slices.IsSorted(got) {
				t.Errorf("listed %q, %v, want them in order", got, err)
				return
			}
			of, err := pvs.Informer().GetIndexer().ByIndex("class", "c")
			if err != nil || len(of) > 50 {
				t.Errorf("the class has %d volumes, %v, want at most 50", len(of), err)
				return
			}
			select {
			case <-changed:
				return
			default:
			}
		}
	}()
	for i := range 2000 {
		pv := mk.Volume("pv" + strconv.Itoa(i%50)).Class([]string{"c", "d"}[i/50%2]).Obj()
		pv.ResourceVersion = strconv.Itoa(i + 1)
		op := world.Modified
		if i%7 == 6 {
			op = world.Deleted
		}
		apply(t, s, op, pv)
	}
	close(changed)
	<-read
}
