package trim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"orrery/core/testing/mk/canaries"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// Of every kind, the texts that reveal what a workload does or knows are dropped, by themselves or in what they are a part of. The original
// stays, and trimming once more changes nothing.
func TestObject_DropsSecrets(t *testing.T) {
	for _, kind := range world.Kinds() {
		o, err := canaries.Object(kind)
		if err != nil {
			t.Fatal(err)
		}
		before := o.DeepCopyObject()
		trimmed := trim.Object(o)
		if live := trim.LiveObject(o); isStorage(o) && !cmp.Equal(trimmed, live) {
			t.Errorf("%s: in memory it differs from a recording:\n%s", kind, cmp.Diff(trimmed, live))
		}
		text, err := yaml.Marshal(trimmed)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range canaries.Paths(string(text)) {
			if secret := canaries.Secret(path); secret != "" {
				t.Errorf("%s is kept, and %s is not for others", path, secret)
			}
		}
		if diff := cmp.Diff(before, o); diff != "" {
			t.Errorf("%s: the original was changed:\n%s", kind, diff)
		}
		if diff := cmp.Diff(trimmed, trim.Object(trimmed)); diff != "" {
			t.Errorf("%s: trimming once more changes it:\n%s", kind, diff)
		}
		if trimmed.GetName() != o.GetName() {
			t.Errorf("%s: the name is gone", kind)
		}
	}
}

// isStorage reports whether an object is written by patches only, if at all.
func isStorage(o world.Object) bool {
	kind := world.KindOf(o)
	return kind.Resource().Group == "storage.k8s.io" || kind == world.PersistentVolume || kind == world.PersistentVolumeClaim
}
