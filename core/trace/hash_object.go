package trace

import (
	"reflect"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/world"
)

// rule is what is done with a text.
type rule uint8

const (
	asName rule = iota
	asValue
	asImage
	asPath
	asWord // kept if it looks like a word of the API, else replaced
	asClass
	asAddress
	keep
	drop
)

// fieldRules says what is done with the plain texts in fields of a name; in any other they are names. What has a type
// of its own in the API is an enumeration and kept, except UIDs. The walk goes by names of Go fields, whatever the type
// they are in: a field that a later API adds is replaced, which can only lose a decision and never give a name away.
var fieldRules = map[string]rule{
	"APIVersion": keep, "Kind": keep, "ResourceVersion": keep, "APIGroup": keep, "FieldPath": keep,
	"Key": keep, "TopologyKey": keep, "TopologyKeys": keep, "MatchLabelKeys": keep, "MismatchLabelKeys": keep,
	"SchedulerName": keep, "DeclaredFeatures": keep, "ResourceName": keep,
	"Driver": keep, "Provisioner": keep, "Attacher": keep, "FSType": keep,
	"Expression": keep, "StringValue": keep, "VersionValue": keep,
	"Image": asImage, "Names": asImage,
	"Value": asValue, "Values": asValue,
	"Request": asPath, "Requests": asPath,
	"Reason":            asWord,
	"PriorityClassName": asClass,
	"HostIP":            asAddress,
	"Message":           drop, "Description": drop,
}

// keptTypes are structures without a name in them. The walk must not enter them, as their fields are not all exported.
var keptTypes = map[reflect.Type]bool{
	reflect.TypeFor[resource.Quantity]():  true,
	reflect.TypeFor[metav1.Time]():        true,
	reflect.TypeFor[metav1.MicroTime]():   true,
	reflect.TypeFor[intstr.IntOrString](): true,
}

var uidType = reflect.TypeFor[types.UID]()

// Object is a copy of an object with its names replaced.
func (h *Hash) Object(o world.Object) world.Object {
	c, ok := o.DeepCopyObject().(world.Object)
	if !ok {
		return o
	}
	class := c.GetName()
	h.walk(reflect.ValueOf(c).Elem(), asName)
	if world.KindOf(c) == world.PriorityClass {
		c.SetName(h.text(class, asClass))
	}
	return c
}

// walk replaces what there is below a value that it may change.
func (h *Hash) walk(v reflect.Value, by rule) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			h.walk(v.Elem(), by)
		}
	case reflect.Struct:
		if keptTypes[v.Type()] {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				h.walk(v.Field(i), fieldRules[f.Name])
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			h.walk(v.Index(i), by)
		}
	case reflect.Map:
		h.walkMap(v)
	case reflect.String:
		if v.Type() == uidType || v.Type().PkgPath() == "" {
			v.SetString(h.text(v.String(), by))
		}
	}
}

// walkMap keeps the keys. The texts in maps are values of labels and annotations, and parameters.
func (h *Hash) walkMap(m reflect.Value) {
	for _, key := range m.MapKeys() {
		value := reflect.New(m.Type().Elem()).Elem()
		value.Set(m.MapIndex(key))
		h.walk(value, asValue)
		m.SetMapIndex(key, value)
	}
}

func (h *Hash) text(s string, by rule) string {
	switch by {
	case keep:
		return s
	case drop:
		return ""
	case asValue:
		return h.value(s)
	case asImage:
		return h.image(s)
	case asPath:
		return h.path(s)
	case asWord:
		if isWord(s) {
			return s
		}
	case asClass:
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

// isWord tells whether a text is one that programs write as a reason: letters, beginning with a capital.
func isWord(s string) bool {
	const longest = 40
	for i, r := range s {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) || (i == 0 && !unicode.IsUpper(r)) {
			return false
		}
	}
	return len(s) <= longest
}
