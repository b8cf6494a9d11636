// Package canaries makes objects that are filled by reflection, so that a field of a later Kubernetes is tried too.
//
// Most are of canaries: every text is the path of its own field, in brackets, so that whatever is printed, logged or recorded of an object
// says by itself which fields it reveals. [Values] fill objects with other texts, times and numbers.
package canaries

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/world"
)

// Values are what fields are filled with.
type Values struct {
	// Text returns a text for the field of a path.
	Text func(path string) string
	// Int and Quantity are every number, as far as it fits.
	Int      int64
	Quantity resource.Quantity
	Time     time.Time
	Duration time.Duration
	// Plausible says that enumerations are filled with what is one of them.
	Plausible bool
}

// Canaries are the values of canaries.
func Canaries() Values {
	return Values{
		Text: func(path string) string { return "⟦" + path + "⟧" }, Int: 1, Quantity: resource.MustParse("1"),
		Time: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Duration: time.Second,
	}
}

// Object returns an object of a kind, with a canary in every text.
func Object(kind world.Kind) (world.Object, error) { return Canaries().Object(kind) }

// Object returns an object of a kind.
func (v Values) Object(kind world.Kind) (world.Object, error) {
	object, err := world.New(kind)
	if err == nil {
		v.Fill(object, string(kind))
	}
	return object, err
}

// Fill fills what a pointer leads to.
func (v Values) Fill(to any, path string) { v.fill(reflect.ValueOf(to).Elem(), path) }

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

// Secret returns the part of a path that is not for others; empty without one.
func Secret(path string) string {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]{}", r) }) {
		if slices.Contains(secrets, part) {
			return part
		}
	}
	return ""
}

// plausible has a value of each enumeration without which an object is refused.
var plausible = map[reflect.Type]string{
	reflect.TypeFor[v1.PodPhase]():                         string(v1.PodPending),
	reflect.TypeFor[v1.TaintEffect]():                      string(v1.TaintEffectNoSchedule),
	reflect.TypeFor[v1.TolerationOperator]():               string(v1.TolerationOpEqual),
	reflect.TypeFor[v1.NodeSelectorOperator]():             string(v1.NodeSelectorOpIn),
	reflect.TypeFor[metav1.LabelSelectorOperator]():        string(metav1.LabelSelectorOpIn),
	reflect.TypeFor[v1.UnsatisfiableConstraintAction]():    string(v1.DoNotSchedule),
	reflect.TypeFor[storagev1.VolumeBindingMode]():         string(storagev1.VolumeBindingWaitForFirstConsumer),
	reflect.TypeFor[v1.PersistentVolumeMode]():             string(v1.PersistentVolumeFilesystem),
	reflect.TypeFor[resourcev1.DeviceAllocationMode]():     string(resourcev1.DeviceAllocationModeExactCount),
	reflect.TypeFor[resourcev1.DeviceTaintEffect]():        string(resourcev1.DeviceTaintEffectNoSchedule),
	reflect.TypeFor[resourcev1.DeviceTolerationOperator](): string(resourcev1.DeviceTolerationOpEqual),
}

// namedTexts are types of texts that are no enumerations.
var namedTexts = []reflect.Type{
	reflect.TypeFor[types.UID](), reflect.TypeFor[v1.ResourceName](), reflect.TypeFor[v1.UniqueVolumeName](), reflect.TypeFor[resourcev1.QualifiedName](),
}

func (v Values) text(of reflect.Type, path string) string {
	if v.Plausible && of != reflect.TypeFor[string]() && !slices.Contains(namedTexts, of) {
		return plausible[of]
	}
	return v.Text(path)
}

// fill fills a value. A list has one element, and so has a map.
func (v Values) fill(to reflect.Value, path string) {
	switch x := to.Addr().Interface().(type) {
	case *metav1.Time:
		*x = metav1.NewTime(v.Time)
		return
	case *metav1.MicroTime:
		*x = metav1.NewMicroTime(v.Time)
		return
	case *metav1.Duration:
		x.Duration = v.Duration
		return
	case *resource.Quantity:
		*x = v.Quantity.DeepCopy()
		return
	case *intstr.IntOrString:
		*x = intstr.FromString(v.Text(path))
		return
	case *runtime.RawExtension:
		x.Raw, _ = json.Marshal(map[string]string{"k": v.Text(path)})
		return
	case *metav1.FieldsV1:
		text, _ := json.Marshal(map[string]struct{}{v.Text(path): {}})
		x.SetRawBytes(text)
		return
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(v.text(to.Type(), path))
	case reflect.Bool:
		to.SetBool(true)
	case reflect.Int, reflect.Int64:
		to.SetInt(v.Int)
	case reflect.Int32:
		to.SetInt(min(max(v.Int, math.MinInt32), math.MaxInt32))
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		v.fill(to.Elem(), path)
	case reflect.Slice:
		if to.Type().Elem().Kind() == reflect.Uint8 {
			to.SetBytes([]byte(v.Text(path)))
			return
		}
		to.Set(reflect.MakeSlice(to.Type(), 1, 1))
		v.fill(to.Index(0), path+"[]")
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		key, value := reflect.New(to.Type().Key()).Elem(), reflect.New(to.Type().Elem()).Elem()
		v.fill(key, path+"{key}")
		v.fill(value, path+"{}")
		to.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range to.NumField() {
			field := to.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous && name == "" {
				name = strings.ToLower(field.Name[:1]) + field.Name[1:]
			}
			if field.IsExported() && field.Name != "TypeMeta" {
				v.fill(to.Field(i), path+"."+name)
			}
		}
	}
}
