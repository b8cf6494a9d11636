package trace

import (
	"reflect"
	"strings"
	"unicode"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/objects/workloads"
	"orrery/core/world"
)

// hashRule is the treatment of a text.
type hashRule uint8

const (
	asName hashRule = iota
	asValue
	asPlaces
	asImage
	asPath
	asReason // kept if it looks like an API reason, else hashed
	asPriorityClass
	asAddress
	asDisk
	asResource
	asFields   // values of which are names, as the fields of objects are
	asPodNames // of which the keys are names
	keepText
	dropText
)

// fieldRules maps names of Go fields to the rule for their plain texts; fields that are not listed hold names. Texts of
// a named type are enumerations and kept, except UIDs and names of resources. The rules ignore the enclosing type: a field that a later API
// adds is hashed, which may lose a decision and never reveals a name.
var fieldRules = map[string]hashRule{
	"APIVersion": keepText, "Kind": keepText, "ResourceVersion": keepText, "APIGroup": keepText, "FieldPath": keepText,
	"Key": keepText, "TopologyKey": keepText, "TopologyKeys": keepText, "MatchLabelKeys": keepText, "MismatchLabelKeys": keepText,
	"SchedulerName": keepText, "DeclaredFeatures": keepText, "ResourceName": asResource, "ExtendedResourceName": asResource,
	"Driver": keepText, "Provisioner": keepText, "Attacher": keepText, "FSType": keepText,
	"Expression": keepText, "StringValue": keepText, "VersionValue": keepText, "StringValues": keepText, "VersionValues": keepText,
	"Image": asImage, "Names": asImage,
	"Value": asValue, "Values": asValue,
	"MatchFields": asFields, "DisruptedPods": asPodNames, "VolumeID": asDisk,
	"Request": asPath, "Requests": asPath,
	"Reason":            asReason,
	"PriorityClassName": asPriorityClass,
	"HostIP":            asAddress,
	"Message":           dropText, "Description": dropText,
}

// mapRules maps labels and annotations to the rule for their values; values that are not listed are hashed as those of
// labels. A class or a node has the same hash in an annotation as in its own name.
var mapRules = map[string]hashRule{
	v1.LabelTopologyZone:                    asPlaces,
	v1.LabelTopologyRegion:                  asPlaces,
	v1.LabelFailureDomainBetaZone:           asPlaces,
	v1.LabelFailureDomainBetaRegion:         asPlaces,
	storagevolume.AnnSelectedNode:           asName,
	v1.BetaStorageClassAnnotation:           asName,
	storagevolume.AnnStorageProvisioner:     keepText,
	storagevolume.AnnBetaStorageProvisioner: keepText,
	storagevolume.AnnDynamicallyProvisioned: keepText,
	storagevolume.AnnMigratedTo:             keepText,
	v1.MigratedPluginsAnnotationKey:         keepText,
	workloads.Annotation:                    asPath,
}

// keptTypes are structures without names. The walk must not enter them, as some of their fields are unexported.
var keptTypes = map[reflect.Type]bool{
	reflect.TypeFor[resource.Quantity]():  true,
	reflect.TypeFor[metav1.Time]():        true,
	reflect.TypeFor[metav1.MicroTime]():   true,
	reflect.TypeFor[intstr.IntOrString](): true,
}

var (
	uidType, resourceNameType = reflect.TypeFor[types.UID](), reflect.TypeFor[v1.ResourceName]()
	driverOnNodeType          = reflect.TypeFor[storagev1.CSINodeDriver]()
	conditionType             = reflect.TypeFor[metav1.Condition]()
)

// Object returns a copy of an object with its names replaced.
func (h *NameHasher) Object(o world.Object) world.Object {
	c, ok := o.DeepCopyObject().(world.Object)
	if !ok {
		return o
	}
	h.learn(c)
	name := c.GetName()
	h.hashFields(reflect.ValueOf(c).Elem(), asName)
	switch c := c.(type) {
	case *schedulingv1.PriorityClass:
		c.Name = h.hashText(name, asPriorityClass)
	case *storagev1.CSIDriver:
		c.Name = name
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
		if c, ok := v.Addr().Interface().(*v1.PodCondition); ok && isPreemption(c) {
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			rule := fieldRules[f.Name]
			switch {
			case by == asFields && rule == asValue:
				rule = asName
			case v.Type() == driverOnNodeType && f.Name == "Name":
				rule = keepText
			case v.Type() == conditionType && f.Name == "Type" && world.IsGroupCondition(v.Field(i).String()):
				rule = keepText
			}
			h.hashFields(v.Field(i), rule)
		}
	case reflect.Slice:
		for i := range v.Len() {
			h.hashFields(v.Index(i), by)
		}
	case reflect.Map:
		h.hashMap(v, by)
	case reflect.String:
		if v.Type() == uidType || v.Type() == resourceNameType || v.Type().PkgPath() == "" {
			v.SetString(h.hashText(v.String(), by))
		}
	}
}

// isPreemption reports whether a condition is one that a scheduler wrote of its victim: there is no name in it, and it is
// compared before it is written again.
func isPreemption(c *v1.PodCondition) bool {
	return c.Type == v1.DisruptionTarget && c.Reason == v1.PodReasonPreemptionByScheduler && world.IsPreemptionMessage(c.Message)
}

// hashMap keeps keys but for those that have names in them. Maps hold labels, annotations, parameters and quantities of resources.
func (h *NameHasher) hashMap(m reflect.Value, by hashRule) {
	hashKey := h.resource
	if by == asPodNames {
		hashKey = h.Name
	}
	for _, key := range m.MapKeys() {
		value := reflect.New(m.Type().Elem()).Elem()
		value.Set(m.MapIndex(key))
		by, listed := mapRules[key.String()]
		if !listed {
			by = asValue
		}
		h.hashFields(value, by)
		hashed := reflect.New(m.Type().Key()).Elem()
		hashed.SetString(hashKey(key.String()))
		m.SetMapIndex(key, reflect.Value{})
		m.SetMapIndex(hashed, value)
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
	case asPlaces:
		return h.places(s)
	case asPath:
		return h.path(s)
	case asDisk:
		return h.disk(s)
	case asResource:
		return h.resource(s)
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
