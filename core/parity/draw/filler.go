package draw

import (
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/difftest"
)

var (
	texts = []string{
		"a", "b", "zone", "example.com/gpu", "", "UPPER", "x y", "a/b/c", "/a", "a/", "-a", "a.b", "1", "900", "-3", "+3", "007", "9223372036854775808",
		strings.Repeat("c", 64), strings.Repeat("d", 254), "kubernetes.io/hostname",
	}
	resourceNames = []v1.ResourceName{
		"cpu", "memory", "example.com/gpu", "ephemeral-storage", "hugepages-2Mi", "hugepages-0", "hugepages-x", "pods", "storage", "requests.cpu",
		"requests.example.com/a", "kubernetes.io/a", "odd", "", "a/b/c", v1.ResourceName("example.com/" + strings.Repeat("g", 63)),
		v1.ResourceName("requests.hugepages-2Mi"), "UPPER.com/x", "attachable-volumes-ebs",
	}
	quantities = []string{"1", "2", "0", "4", "100m", "1Gi", "2Mi", "3Mi", "-1", "4Mi", "1500m"}
	enums      = map[reflect.Type][]string{
		reflect.TypeFor[v1.NodeSelectorOperator]():             {"In", "Exists", "NotIn", "DoesNotExist", "Gt", "Lt", "", "Other"},
		reflect.TypeFor[metav1.LabelSelectorOperator]():        {"In", "Exists", "NotIn", "DoesNotExist", "", "Other"},
		reflect.TypeFor[v1.TolerationOperator]():               {"Exists", "Equal", "", "Gt", "Lt", "In"},
		reflect.TypeFor[v1.TaintEffect]():                      {"NoExecute", "NoSchedule", "PreferNoSchedule", "", "Other"},
		reflect.TypeFor[v1.UnsatisfiableConstraintAction]():    {"DoNotSchedule", "ScheduleAnyway", "", "Other"},
		reflect.TypeFor[v1.NodeInclusionPolicy]():              {"Honor", "Ignore", "", "Other"},
		reflect.TypeFor[v1.PreemptionPolicy]():                 {"PreemptLowerPriority", "Never", "", "Other"},
		reflect.TypeFor[v1.RestartPolicy]():                    {"Always", "", "Never", "OnFailure", "Other"},
		reflect.TypeFor[v1.ContainerRestartPolicy]():           {"Always", "Never", "OnFailure", "", "Other"},
		reflect.TypeFor[v1.Protocol]():                         {"TCP", "", "UDP", "SCTP", "Other"},
		reflect.TypeFor[v1.PersistentVolumeAccessMode]():       {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "", "Other"},
		reflect.TypeFor[v1.PersistentVolumeMode]():             {"Filesystem", "Block", "", "Other"},
		reflect.TypeFor[v1.PersistentVolumeReclaimPolicy]():    {"Delete", "Retain", "Recycle", "", "Other"},
		reflect.TypeFor[storagev1.VolumeBindingMode]():         {"Immediate", "WaitForFirstConsumer", "", "Other"},
		reflect.TypeFor[storagev1.FSGroupPolicy]():             {"File", "None", "ReadWriteOnceWithFSType", "", "Other"},
		reflect.TypeFor[resourcev1.DeviceAllocationMode]():     {"ExactCount", "", "All", "Some"},
		reflect.TypeFor[resourcev1.DeviceTaintEffect]():        {"NoExecute", "NoSchedule", "None", "", "Other"},
		reflect.TypeFor[resourcev1.DeviceTolerationOperator](): {"Exists", "Equal", "", "In"},
	}
	// plausible are the texts of fields in which the first ones are wrong or too few.
	plausible = map[string][]string{
		"Values": {"1", "a"}, "Value": {"", "900"}, "Key": {"a", "zone"}, "TopologyKey": {"zone", "a", "kubernetes.io/hostname"}, "PodGroupReplicaKey": {"", "a"}, "IP": {""},
		"Expression": {"true"}, "MatchAttribute": {"example.com/gpu"}, "DistinctAttribute": {"example.com/gpu"}, "VersionValue": {"1.2.3"},
	}
)

// Filler draws the fields of an object. Every so often, or never if edge is zero, one is at the edge of what is allowed.
type Filler struct {
	*difftest.Source
	edge int
}

// New returns a filler for an object, which may be good in all parts.
func New(r *difftest.Source) Filler { return Filler{r, difftest.Pick(r, 0, 20, 4)} }

func (r Filler) atEdge() bool { return r.edge > 0 && r.OneIn(r.edge) }

// Field fills a field of an object.
func (r Filler) Field(field any) { r.fill(reflect.ValueOf(field).Elem(), "") }

func (r Filler) fill(v reflect.Value, name string) {
	if known, ok := enums[v.Type()]; ok {
		good := known[:2]
		if r.atEdge() {
			good = known
		}
		v.SetString(difftest.Pick(r.Source, good...))
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*at = r.quantity()
		return
	case *v1.ResourceList:
		*at = r.resources()
		return
	case *metav1.Time:
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if r.wants(v.Type().Field(i).Name) {
				r.fill(v.Field(i), v.Type().Field(i).Name)
			}
		}
	case reflect.Pointer:
		if r.Bool() {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), name)
		}
	case reflect.Slice:
		n := difftest.Pick(r.Source, 0, 1, 1, 2)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			r.fill(v.Index(i), name)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range difftest.Pick(r.Source, 0, 1, 1, 2) {
			value := reflect.New(v.Type().Elem()).Elem()
			r.fill(value, "")
			v.SetMapIndex(reflect.ValueOf(r.text("Key")).Convert(v.Type().Key()), value)
		}
	case reflect.String:
		v.SetString(r.text(name))
	case reflect.Int64, reflect.Int32:
		v.SetInt(difftest.Pick(r.Source, int64(1), 2, 100))
		if r.atEdge() {
			v.SetInt(difftest.Pick(r.Source, int64(0), -1, 101, 70000, 1<<31-1))
		}
	case reflect.Bool:
		v.SetBool(r.Bool())
	}
}

// wants reports whether a field of a part is drawn: some parts have fields that nothing reads.
func (r Filler) wants(field string) bool { return field != "Claims" || r.atEdge() }

func (r Filler) quantity() resource.Quantity {
	if r.atEdge() {
		return resource.MustParse(difftest.Pick(r.Source, quantities...))
	}
	return resource.MustParse(difftest.Pick(r.Source, quantities[:2]...))
}

func (r Filler) resources() v1.ResourceList {
	names := resourceNames[:2]
	if r.atEdge() {
		names = resourceNames
	}
	list := v1.ResourceList{}
	for range difftest.Pick(r.Source, 0, 1, 2) {
		list[difftest.Pick(r.Source, names...)] = r.quantity()
	}
	return list
}

func (r Filler) text(name string) string {
	good := plausible[name]
	if good == nil {
		good = texts[:2]
	}
	if r.atEdge() {
		good = texts
	}
	return difftest.Pick(r.Source, good...)
}
