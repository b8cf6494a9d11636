package world_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/world"
)

func TestKind_CustomNamesResourceVersionAndGroup(t *testing.T) {
	for _, row := range []struct {
		kind world.Kind
		want schema.GroupVersionResource
		ok   bool
	}{
		{"foos.v1.example.com", schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"}, true},
		{"configmaps.v1.", schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, true},
		{"foos.v1", schema.GroupVersionResource{}, false},
		{world.Pod, schema.GroupVersionResource{}, false},
		{"", schema.GroupVersionResource{}, false},
		{"..", schema.GroupVersionResource{}, false},
		{"foos.v1.example.com/../secrets", schema.GroupVersionResource{}, false},
		{"foos.v1.\x1b[31m", schema.GroupVersionResource{}, false},
		{world.Kind("foos.v1." + strings.Repeat("a.", 200) + "com"), schema.GroupVersionResource{}, false},
	} {
		got, ok := row.kind.Custom()
		if got != row.want || ok != row.ok {
			t.Errorf("%q: %v, %v, want %v, %v", row.kind, got, ok, row.want, row.ok)
		}
	}
}

func TestSortKinds_OrderOfFirstLists(t *testing.T) {
	got := world.SortKinds([]world.Kind{world.Pod, "foos.v1.example.com", world.Node, "bars.v1.example.com", world.Namespace, world.Pod, "nothing"})
	want := []world.Kind{"bars.v1.example.com", "foos.v1.example.com", world.Namespace, world.Node, world.Pod}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestCustom_DeepCopySharesNothing(t *testing.T) {
	c := world.CustomOf("foos.v1.example.com", &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "a", "labels": map[string]any{"k": "v"}}, "spec": map[string]any{"size": "1"},
	}})
	twin := c.DeepCopyObject().(*world.Custom)
	twin.Labels["k"] = "other"
	if err := unstructured.SetNestedField(twin.Whole.Object, "2", "spec", "size"); err != nil {
		t.Fatal(err)
	}
	size, _, _ := unstructured.NestedString(c.Whole.Object, "spec", "size")
	if c.Labels["k"] != "v" || size != "1" || world.KindOf(twin) != "foos.v1.example.com" {
		t.Errorf("the original became %v, %v", c.Labels, c.Whole)
	}
	if kind := world.KindOf((*world.Custom)(nil)); kind != "" {
		t.Errorf("nothing has the kind %q", kind)
	}
}
