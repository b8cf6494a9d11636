package trace

import (
	"reflect"
	"strings"
	"unicode"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// hashRule is the treatment of a text.
type hashRule uint8

const (
	asName hashRule = iota
	asValue
	asImage
	asPath
	asReason // kept if it looks like an API reason, else hashed
	asPriorityClass
	asAddress
	keepText
	dropText
)

// fieldRules maps names of Go fields to the rule for their plain texts; fields that are not listed hold names. Texts of
// a named type are enumerations and kept, except UIDs. The rules ignore the enclosing type: a field that a later API
// adds is hashed, which may lose a decision and never reveals a name.
var fieldRules = map[string]hashRule{
	"APIVersion": keepText, "Kind": keepText, "ResourceVersion": keepText, "APIGroup": keepText, "FieldPath": keepText,
	"Key": keepText, "TopologyKey": keepText, "TopologyKeys": keepText, "MatchLabelKeys": keepText, "MismatchLabelKeys": keepText,
	"SchedulerName": keepText, "DeclaredFeatures": keepText, "ResourceName": keepText,
	"Driver": keepText, "Provisioner": keepText, "Attacher": keepText, "FSType": keepText,
	"Expression": keepText, "StringValue": keepText, "VersionValue": keepText,
	"Image": asImage, "Names": asImage,
	"Value": asValue, "Values": asValue,
	"Request": asPath, "Requests": asPath,
	"Reason":            asReason,
	"PriorityClassName": asPriorityClass,
	"HostIP":            asAddress,
	"Message":           dropText, "Description": dropText,
}

// annotationRules maps annotations to the rule for their values; values that are not listed are hashed like those of
// labels. A class or a node has the same hash in an annotation as in its own name.
var annotationRules = map[string]hashRule{
	storagevolume.AnnSelectedNode:           asName,
	v1.BetaStorageClassAnnotation:           asName,
	storagevolume.AnnStorageProvisioner:     keepText,
	storagevolume.AnnBetaStorageProvisioner: keepText,
	storagevolume.AnnDynamicallyProvisioned: keepText,
	storagevolume.AnnMigratedTo:             keepText,
	v1.MigratedPluginsAnnotationKey:         keepText,
}

// keptTypes are structures without names. The walk must not enter them, as some of their fields are unexported.
var keptTypes = map[reflect.Type]bool{
	reflect.TypeFor[resource.Quantity]():  true,
	reflect.TypeFor[metav1.Time]():        true,
	reflect.TypeFor[metav1.MicroTime]():   true,
	reflect.TypeFor[intstr.IntOrString](): true,
}

var uidType = reflect.TypeFor[types.UID]()

// Object returns a copy of an object with its names replaced.
func (h *NameHasher) Object(o world.Object) world.Object {
	c, ok := o.DeepCopyObject().(world.Object)
	if !ok {
		return o
	}
	class := c.GetName()
	h.hashFields(reflect.ValueOf(c).Elem(), asName)
	if world.KindOf(c) == world.PriorityClass {
		c.SetName(h.hashText(class, asPriorityClass))
	}
	return c
}

// hashFields replaces the texts below a settable value.
func (h *NameHasher) hashFields(v reflect.Value, by hashRule) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			h.hashFields(v.Elem(), by)
		}
	case reflect.Struct:
		if keptTypes[v.Type()] {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				h.hashFields(v.Field(i), fieldRules[f.Name])
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			h.hashFields(v.Index(i), by)
		}
	case reflect.Map:
		h.hashMapValues(v)
	case reflect.String:
		if v.Type() == uidType || v.Type().PkgPath() == "" {
			v.SetString(h.hashText(v.String(), by))
		}
	}
}

// hashMapValues keeps the keys. Maps hold labels, annotations and parameters.
func (h *NameHasher) hashMapValues(m reflect.Value) {
	for _, key := range m.MapKeys() {
		value := reflect.New(m.Type().Elem()).Elem()
		value.Set(m.MapIndex(key))
		by, listed := annotationRules[key.String()]
		if !listed {
			by = asValue
		}
		h.hashFields(value, by)
		m.SetMapIndex(key, value)
	}
}

func (h *NameHasher) hashText(s string, by hashRule) string {
	switch by {
	case keepText:
		return s
	case dropText:
		return ""
	case asValue:
		return h.labelValue(s)
	case asImage:
		return h.image(s)
	case asPath:
		return h.path(s)
	case asReason:
		if isReasonWord(s) {
			return s
		}
	case asPriorityClass:
		if strings.HasPrefix(s, "system-") {
			return s
		}
	case asAddress:
		if s == "0.0.0.0" || s == "::" || s == "127.0.0.1" {
			return s
		}
	}
	return h.Name(s)
}

// isReasonWord reports whether a text looks like an API reason: ASCII letters, the first a capital.
func isReasonWord(s string) bool {
	const longest = 40
	for i, r := range s {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) || (i == 0 && !unicode.IsUpper(r)) {
			return false
		}
	}
	return len(s) <= longest
}
