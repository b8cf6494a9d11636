// Package canaries makes objects in which every text is a canary: the path of its own field, in brackets. Whatever is printed, logged or
// recorded of such an object says by itself which fields it reveals. Objects are filled by reflection, so that a field of a later Kubernetes
// is tried too.
package canaries

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/world"
)

// Time is every time in an object.
var Time = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Object returns an object of a kind, with a canary in every text.
func Object(kind world.Kind) (world.Object, error) {
	object, err := world.New(kind)
	if err == nil {
		fill(reflect.ValueOf(object).Elem(), string(kind))
	}
	return object, err
}

var song = regexp.MustCompile(`⟦([^⟧]*)⟧`)

// Paths returns the paths of the fields that a text reveals.
func Paths(text string) (paths []string) {
	for _, found := range song.FindAllStringSubmatch(text, -1) {
		paths = append(paths, found[1])
	}
	slices.Sort(paths)
	return slices.Compact(paths)
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

// Secret returns the part of a path that is not for others; empty if there is none.
func Secret(path string) string {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]{}", r) }) {
		if slices.Contains(secrets, part) {
			return part
		}
	}
	return ""
}

// fill sets every text in a value to its path.
func fill(v reflect.Value, path string) {
	text := "⟦" + path + "⟧"
	switch x := v.Addr().Interface().(type) {
	case *metav1.Time:
		*x = metav1.NewTime(Time)
		return
	case *metav1.MicroTime:
		*x = metav1.NewMicroTime(Time)
		return
	case *metav1.Duration:
		x.Duration = time.Second
		return
	case *resource.Quantity:
		*x = resource.MustParse("1")
		return
	case *intstr.IntOrString:
		*x = intstr.FromString(text)
		return
	case *runtime.RawExtension:
		x.Raw = []byte(fmt.Sprintf(`{"k":%q}`, text))
		return
	case *metav1.FieldsV1:
		x.Raw = []byte(fmt.Sprintf(`{%q:{}}`, text))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(text))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path+"[]")
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, path+"{key}")
		fill(value, path+"{}")
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous && name == "" {
				name = strings.ToLower(field.Name[:1]) + field.Name[1:]
			}
			if field.IsExported() && field.Name != "TypeMeta" {
				fill(v.Field(i), path+"."+name)
			}
		}
	}
}
