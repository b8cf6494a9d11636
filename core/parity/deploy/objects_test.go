package deploy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"orrery/cmd/app"
)

// objects are the objects in a text, by kind, namespace and name.
type objects map[string]map[string]any

func parse(t *testing.T, text string) objects {
	t.Helper()
	all := objects{}
	for _, document := range strings.Split("\n"+text, "\n---\n") {
		var o unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(document+"\n"), &o.Object); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if o.Object != nil {
			all[strings.Join([]string{o.GetKind(), o.GetNamespace(), o.GetName()}, " ")] = o.Object
		}
	}
	return all
}

// printed returns what "orrery manifests" prints, without the namespace, which neither Helm nor kustomize is to make.
func printed(t *testing.T, flags ...string) objects {
	t.Helper()
	text, err := app.Manifests(flags...)
	if err != nil {
		t.Fatal(err)
	}
	all := parse(t, text)
	maps.DeleteFunc(all, func(name string, _ map[string]any) bool { return strings.HasPrefix(name, "Namespace ") })
	if len(all) < 10 {
		t.Fatalf("only %d objects are printed", len(all))
	}
	return all
}

func (o objects) same(t *testing.T, as objects) {
	t.Helper()
	if got, want := slices.Sorted(maps.Keys(o)), slices.Sorted(maps.Keys(as)); !slices.Equal(got, want) {
		t.Fatalf("there are %q, want %q", got, want)
	}
	for name, want := range as {
		if diff := cmp.Diff(want, o[name]); diff != "" {
			t.Errorf("%s differs from what is printed (-printed +here):\n%s", name, diff)
		}
	}
}

// deployment returns the only Deployment.
func (o objects) deployment(t *testing.T) *appsv1.Deployment {
	t.Helper()
	for name, content := range o {
		if strings.HasPrefix(name, "Deployment ") {
			var d appsv1.Deployment
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, &d, true); err != nil {
				t.Fatal(err)
			}
			return &d
		}
	}
	t.Fatal("there is no Deployment")
	return nil
}
