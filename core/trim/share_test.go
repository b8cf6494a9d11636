package trim_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/trim"
	"orrery/core/world"
)

// decoded returns the claim and the volume of an API server's answer.
func decoded(t *testing.T, i int) (*v1.PersistentVolumeClaim, *v1.PersistentVolume) {
	t.Helper()
	claim, volume := boundVolume(t, i, 1)
	c, pv := &v1.PersistentVolumeClaim{}, &v1.PersistentVolume{}
	if err := c.Unmarshal(claim); err != nil {
		t.Fatal(err)
	}
	if err := pv.Unmarshal(volume); err != nil {
		t.Fatal(err)
	}
	return c, pv
}

func TestPool_LeavesObjectsEqual(t *testing.T) {
	pool := &trim.Pool{}
	for i := range 300 {
		claim, volume := decoded(t, i)
		for _, whole := range []world.Object{claim, volume} {
			want, got := trim.LiveObject(whole), trim.LiveObject(whole)
			before := whole.DeepCopyObject()
			pool.Share(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("sharing changes the object (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(before, whole); diff != "" {
				t.Fatalf("sharing changes the parts (-before +after):\n%s", diff)
			}
		}
	}
}

func TestPool_SharesEqualPartsOnly(t *testing.T) {
	pool := &trim.Pool{}
	shared := func(i int, change func(*v1.PersistentVolumeClaim)) *v1.PersistentVolumeClaim {
		claim, _ := decoded(t, i)
		change(claim)
		kept := trim.LiveObject(claim)
		pool.Share(kept)
		return kept.(*v1.PersistentVolumeClaim)
	}
	same := func(a, b map[string]string) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }
	first, second := shared(0, func(*v1.PersistentVolumeClaim) {}), shared(200, func(*v1.PersistentVolumeClaim) {})
	if !same(first.Labels, second.Labels) || !same(first.Annotations, second.Annotations) || first.Spec.StorageClassName != second.Spec.StorageClassName {
		t.Error("two claims of one application share no part")
	}
	other := shared(200, func(c *v1.PersistentVolumeClaim) {
		c.Annotations["volume.kubernetes.io/selected-node"] = "elsewhere"
		c.Spec.Resources.Requests[v1.ResourceStorage] = resource.MustParse("11Gi")
		c.Finalizers = []string{"kubernetes.io/pvc-protection", "1:a"}
	})
	if got := other.Annotations["volume.kubernetes.io/selected-node"]; got != "elsewhere" || same(other.Annotations, first.Annotations) {
		t.Errorf("the selected node is %q", got)
	}
	if size := other.Spec.Resources.Requests.Storage(); size.String() != "11Gi" || first.Spec.Resources.Requests.Storage().String() != "10Gi" {
		t.Errorf("the size is %s", size)
	}
	if list := shared(200, func(c *v1.PersistentVolumeClaim) { c.Finalizers = []string{"kubernetes.io/pvc-protection1:a"} }).Finalizers; len(list) != 1 {
		t.Errorf("the finalizers are %q", list)
	}
}
