package memory_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/footprint"
	"orrery/core/testing/fuzz"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/admission"
	"orrery/core/world/memory"
)

// FuzzCreate reads objects that are created in a simulated cluster, changed and deleted, and lets its controllers and kubelets work for a
// while.
//
//orrery:reads core/world/memory core/world/admission core/objects/csimigration
func FuzzCreate(f *testing.F) {
	kinds := world.Kinds()
	for i, kind := range kinds {
		o, err := world.New(kind)
		if err != nil {
			f.Fatal(err)
		}
		o.SetName("it")
		o.SetNamespace("default")
		text, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), text, text)
	}
	for i, o := range map[world.Kind]world.Object{
		world.Pod: mk.Pod("p").CPU("1").Node("n").Obj(), world.Node: mk.Node("n").CPU("4").Taint("a", "b", "NoExecute").Obj(),
		world.PersistentVolumeClaim: mk.Claim("c").Class("k").Obj(), world.ResourceSlice: mk.ResourceSlice("s", "d", "a").Node("n").Obj(),
	} {
		text, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(slices.Index(kinds, i)), text, text[:len(text)-1])
	}
	f.Fuzz(func(t *testing.T, kind byte, first, second []byte) {
		k := kinds[int(kind)%len(kinds)]
		created, changed := decoded(t, k, first), decoded(t, k, second)
		if created == nil {
			return
		}
		fuzz.Cost(t, len(first)+len(second), func() {
			c := memory.New(memory.Options{Seed: 1, Admission: admission.Options{Enable: []string{"ExtendedResourceToleration", "ResourceQuota"}}})
			for _, o := range []world.Object{mk.Node("n").CPU("4").Memory("8Gi").Pods("9").Obj(), mk.Node("other").CPU("4").Obj()} {
				_, _ = c.Create(o)
			}
			held, err := c.Create(created)
			if err != nil {
				if err.Error() == "" {
					t.Error("it is refused and does not say why")
				}
				return
			}
			c.Advance(time.Minute)
			if changed != nil {
				changed.SetName(held.GetName())
				changed.SetNamespace(held.GetNamespace())
				changed.SetResourceVersion("")
				_, _ = c.Update(changed)
				_, _ = c.UpdateStatus(changed)
			}
			c.Advance(time.Hour)
			_ = c.Delete(k, held.GetNamespace(), held.GetName(), metav1.DeleteOptions{})
			c.Advance(time.Minute)
		})
	})
}

// decoded returns an object of a kind, nil if the text is none.
func decoded(t *testing.T, kind world.Kind, text []byte) world.Object {
	o, err := world.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	if footprint.Of(o).JSON(text) >= footprint.HugeQuantity || json.Unmarshal(text, o) != nil { // which no way in lets through
		return nil
	}
	return o
}
