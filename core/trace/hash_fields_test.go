package trace_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/trace"
	"orrery/core/world"
)

var update = flag.Bool("update", false, "write what recordings keep of objects into testdata")

// TestNameHasher_KeepsOnlyListedFields records an object of every kind in which every text is its own path. The paths
// in the file are exactly those in testdata/kept.txt: a field that a later Kubernetes adds, or that a new rule keeps,
// has to be listed there first.
func TestNameHasher_KeepsOnlyListedFields(t *testing.T) {
	var kept []string
	for _, kind := range world.Kinds() {
		object, err := world.New(kind)
		if err != nil {
			t.Fatal(err)
		}
		fillStrings(reflect.ValueOf(object).Elem(), string(kind))
		file := written(t, trace.Header{Start: start},
			trace.Record{At: start, Body: inputBody(world.Listed{Kind: kind, Objects: []world.Object{object}})},
			trace.Record{At: start, Body: inputBody(world.Changed{Op: world.Deleted, Object: object})})
		for _, place := range song.FindAllString(unpacked(t, file), -1) {
			kept = append(kept, strings.Trim(place, "⟦⟧"))
		}
	}
	slices.Sort(kept)
	kept = slices.Compact(kept)
	for _, place := range kept {
		if secret := secretIn(place); secret != "" {
			t.Errorf("%s is recorded, and %s is not for others", place, secret)
		}
	}
	kept = slices.DeleteFunc(kept, func(place string) bool { // what holds for pods holds for their templates
		_, inTemplate, found := strings.Cut(place, ".spec.template.")
		return found && slices.Contains(kept, "Pod."+inTemplate)
	})
	golden := "testdata/kept.txt"
	got := strings.Join(kept, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("other texts are recorded than before; if they are no secrets, run go test ./core/trace -run KeepsOnlyListedFields -update (-want +got):\n%s", diff)
	}
}

// secrets are the parts of objects that reveal what a workload does or knows, and texts that people and programs write
// freely.
var secrets = []string{
	"env", "envFrom", "command", "args", "workingDir", "annotations", "managedFields", "secret", "secretName", "secretRef", "secretNamespace",
	"nodePublishSecretRef", "nodeStageSecretRef", "controllerPublishSecretRef", "controllerExpandSecretRef", "nodeExpandSecretRef", "imagePullSecrets",
	"configMap", "projected", "downwardAPI", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "volumeMounts", "volumeAttributes",
	"serviceAccountName", "hostAliases", "dnsConfig", "securityContext", "message", "description", "parameters", "opaqueParameters", "data",
	"addresses", "podIP", "podIPs", "terminationMessagePath", "state", "lastState", "ephemeralContainers", "mountOptions",
}

func secretIn(place string) string {
	for _, part := range strings.FieldsFunc(place, func(r rune) bool { return strings.ContainsRune(".[]{}", r) }) {
		if slices.Contains(secrets, part) {
			return part
		}
	}
	return ""
}

var song = regexp.MustCompile(`⟦[^⟧]*⟧`)

// fillStrings sets every text in a value to its path.
func fillStrings(v reflect.Value, place string) {
	switch x := v.Addr().Interface().(type) {
	case *metav1.Time:
		*x = metav1.NewTime(start)
		return
	case *metav1.MicroTime:
		*x = metav1.NewMicroTime(start)
		return
	case *metav1.Duration:
		x.Duration = time.Second
		return
	case *resource.Quantity:
		*x = resource.MustParse("1")
		return
	case *intstr.IntOrString:
		*x = intstr.FromString("⟦" + place + "⟧")
		return
	case *runtime.RawExtension:
		x.Raw = []byte(fmt.Sprintf(`{"k":"⟦%s⟧"}`, place))
		return
	case *metav1.FieldsV1:
		x.Raw = []byte(fmt.Sprintf(`{"⟦%s⟧":{}}`, place))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("⟦" + place + "⟧")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillStrings(v.Elem(), place)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("⟦" + place + "⟧"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillStrings(v.Index(0), place+"[]")
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillStrings(key, place+"{key}")
		fillStrings(value, place+"{}")
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous && name == "" {
				name = strings.ToLower(field.Name[:1]) + field.Name[1:]
			}
			if field.IsExported() && field.Name != "TypeMeta" {
				fillStrings(v.Field(i), place+"."+name)
			}
		}
	}
}
