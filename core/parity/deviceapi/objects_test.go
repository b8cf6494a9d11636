package deviceapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/difftest"
)

const uid = "0b5a2d1e-8f43-4c8e-9d56-1f2a3b4c5d6e"

var (
	texts = []string{
		"gpu", "a", "b", "example.com", "gpu/a", "example.com/model", "", "UPPER", "Gpu.example.com", "x y", "a/b/c", "/a", "a/", "-a", "node-1", "true",
		"pods", "1.2.3", "1.2", "1.2.3-rc.1+b", uid, strings.ToUpper(uid), "10.0.0.1/24", "10.0.0.1", strings.Repeat("a", 32), strings.Repeat("b", 33),
		strings.Repeat("c", 64), strings.Repeat("d", 254), strings.Repeat("e", 300), "requests.example.com/a", "kubernetes.io/a", "nvidia.com/gpu",
	}
	expressions = []string{
		"true", `device.driver == "gpu.example.com"`, "device.attributes['gpu.example.com'].model == 'a'", "1", "", "nope", "device.attributes[",
		"device.capacity['a'].memory.compareTo(quantity('1Gi')) > 0", "device.allowMultipleAllocations", strings.Repeat("true && ", 1300) + "true",
		"device.attributes['a'].x.lowerAscii().lowerAscii() == 'a' && [1,2,3].all(a, [1,2,3].all(b, [1,2,3].all(c, device.attributes['a'].x.contains(device.attributes['a'].y))))",
	}
	quantities = []string{"1", "0", "2", "4", "10", "1Gi", "3", "-1"}
	jsons      = []string{`{"a": 1}`, "", "null", "[]", "{", `{"a": "` + strings.Repeat("x", 11<<10) + `"}`}
	enums      = map[reflect.Type][]string{
		reflect.TypeFor[resourcev1.DeviceAllocationMode]():     {"ExactCount", "All", "", "Some"},
		reflect.TypeFor[resourcev1.DeviceTaintEffect]():        {"NoExecute", "NoSchedule", "None", "", "Other"},
		reflect.TypeFor[resourcev1alpha3.DeviceTaintEffect]():  {"NoExecute", "NoSchedule", "None", "", "Other"},
		reflect.TypeFor[resourcev1.DeviceTolerationOperator](): {"Exists", "Equal", "", "In"},
		reflect.TypeFor[resourcev1.AllocationConfigSource]():   {"FromClass", "FromClaim", "", "Other"},
		reflect.TypeFor[v1.NodeSelectorOperator]():             {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "", "Other"},
		reflect.TypeFor[metav1.ConditionStatus]():              {"True", "False", "", "Other"},
	}
)

// plausible are the texts of fields that are no names.
var plausible = map[string][]string{
	"Expression": expressions[:3], "VersionValue": {"1.2.3"}, "IPs": {"10.0.0.1/24"}, "ShareID": {uid}, "ExtendedResourceName": {"nvidia.com/gpu"},
	"MatchAttribute": {"example.com/model", "gpu/a"}, "DistinctAttribute": {"example.com/model"}, "Raw": jsons[:1],
}

// filler draws the fields of a value. Every so often, or never if edge is zero, one is at the edge of what is allowed.
type filler struct {
	*difftest.Source
	edge int
}

func newFiller(r *difftest.Source) filler { return filler{r, difftest.Pick(r, 0, 50, 10, 3)} }

// fillField fills a field of an object.
func (r filler) fillField(field any) { r.fill(reflect.ValueOf(field).Elem(), "") }

func (r filler) atEdge() bool { return r.edge > 0 && r.OneIn(r.edge) }

func (r filler) fill(v reflect.Value, name string) {
	if known, ok := enums[v.Type()]; ok {
		v.SetString(r.one(known, known[:1]))
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *metav1.Time:
		if !r.atEdge() {
			*at = metav1.Unix(1, 0)
		}
		return
	case *resource.Quantity:
		*at = resource.MustParse(r.one(quantities, quantities))
		return
	case *types.UID:
		*at = types.UID(r.one([]string{uid, strings.ToUpper(uid), "", "a"}, []string{uid}))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			r.fill(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Pointer:
		if r.isSet(v.Type()) {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), name)
		}
	case reflect.Slice:
		r.fillList(v, name)
	case reflect.Map:
		r.fillMap(v)
	case reflect.String:
		v.SetString(r.text(name))
	case reflect.Int64, reflect.Int32:
		v.SetInt(1)
		if r.atEdge() {
			v.SetInt(difftest.Pick(r.Source, int64(0), 2, -1, 40))
		}
	case reflect.Bool:
		v.SetBool(!r.atEdge())
	}
}

// one is one of all values at the edge, and else one of the good ones.
func (r filler) one(all, good []string) string {
	if r.atEdge() {
		return difftest.Pick(r.Source, all...)
	}
	return difftest.Pick(r.Source, good...)
}

func (r filler) text(name string) string {
	switch {
	case name == "Expression":
		return r.one(expressions, plausible[name])
	case plausible[name] != nil:
		return r.one(texts, plausible[name])
	}
	return r.one(texts, texts[:3])
}

// isSet draws whether a pointer is set; what an element is there for mostly is.
func (r filler) isSet(t reflect.Type) bool {
	switch t.Elem() {
	case reflect.TypeFor[resourcev1.OpaqueDeviceConfiguration](), reflect.TypeFor[resourcev1.CELDeviceSelector](), reflect.TypeFor[resourcev1.ExactDeviceRequest]():
		return !r.atEdge()
	}
	return r.OneIn(3)
}

func (r filler) fillList(v reflect.Value, name string) {
	if name == "Raw" {
		v.SetBytes([]byte(r.one(jsons, plausible[name])))
		return
	}
	n := difftest.Pick(r.Source, 0, 1, 1, 2)
	if r.atEdge() && r.OneIn(5) {
		n = difftest.Pick(r.Source, 3, 5, 9, 11, 17, 33, 65, 129, 257)
	}
	if n == 0 || name == "FirstAvailable" && !r.OneIn(3) {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		if i > 4 { // many are alike
			v.Index(i).Set(v.Index(i - 1))
		} else {
			r.fill(v.Index(i), name)
		}
	}
}

func (r filler) fillMap(v reflect.Value) {
	n := difftest.Pick(r.Source, 0, 1, 1, 2)
	if r.atEdge() && r.OneIn(5) {
		n = 33
	}
	v.Set(reflect.MakeMap(v.Type()))
	for i := range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.SetString(r.text(""))
		if i > 4 {
			key.SetString(fmt.Sprint("k", i))
		}
		r.fill(value, "")
		v.SetMapIndex(key, value)
	}
}

// meta is that of an object, which does not matter here.
func meta(namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: "o", UID: uid, ResourceVersion: "1"}
}

func asJSON(o any) string {
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
