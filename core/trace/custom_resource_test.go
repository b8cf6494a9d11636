package trace_test

import (
	"bytes"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"orrery/core/trace"
	"orrery/core/world"
)

const foos world.Kind = "foos.v1.example.com"

// foo returns a custom resource with a canary in every free text.
func foo(name string) *world.Custom {
	return world.CustomOf(foos, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Foo", "spec": map[string]any{"password": canary},
		"metadata": map[string]any{
			"name": name, "namespace": "default", "uid": "uid-" + name, "resourceVersion": "7", "annotations": map[string]any{"note": canary},
		},
	}})
}

func TestWriter_KeepsOnlyMetadataOfCustomResources(t *testing.T) {
	file := written(t, trace.Header{Start: start},
		trace.Record{At: start, Body: inputBody(world.Listed{Kind: foos, Objects: []world.Object{foo("a"), foo("b")}})},
		trace.Record{At: start, Body: inputBody(world.Changed{Op: world.Deleted, Object: foo("b")})})
	if text := unpacked(t, file); strings.Contains(text, canary) {
		t.Errorf("the canary sings: %s", text)
	}
	records, _ := read(t, file)
	list := records[0].Body.(trace.Input).Event.(world.Listed)
	if list.Kind != foos || len(list.Objects) != 2 {
		t.Fatalf("the list came back as %v", list)
	}
	gone := records[1].Body.(trace.Input).Event.(world.Changed).Object
	if gone.GetName() != "b" || gone.GetUID() != "uid-b" || gone.GetResourceVersion() != "7" || world.KindOf(gone) != foos {
		t.Errorf("a custom resource came back as %+v", gone)
	}
	if shown := gone.(*world.Custom).Unstructured(); shown.GetName() != "b" || shown.Object["spec"] != nil {
		t.Errorf("to plugins it is %v", shown)
	}
}

func TestNameHasher_HashesCustomResources(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewHashedWriter(&file, trace.Header{Start: start}, newHash(t, "some salt"))
	if err != nil {
		t.Fatal(err)
	}
	named := foo(canary)
	named.Labels = map[string]string{"app": canary}
	named.OwnerReferences = []metav1.OwnerReference{{Kind: "Foo", Name: canary, UID: canary}}
	if err := w.Write(trace.Record{At: start, Body: inputBody(world.Changed{Object: named})}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text := unpacked(t, file.Bytes()); strings.Contains(text, canary) || !strings.Contains(text, string(foos)) {
		t.Errorf("the canary sings, or the kind is gone: %s", text)
	}
}
