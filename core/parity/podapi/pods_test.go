package podapi

import (
	"fmt"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
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
		reflect.TypeFor[v1.NodeSelectorOperator]():          {"In", "Exists", "NotIn", "DoesNotExist", "Gt", "Lt", "", "Other"},
		reflect.TypeFor[metav1.LabelSelectorOperator]():     {"In", "Exists", "NotIn", "DoesNotExist", "", "Other"},
		reflect.TypeFor[v1.TolerationOperator]():            {"Exists", "Equal", "", "Gt", "Lt", "In"},
		reflect.TypeFor[v1.TaintEffect]():                   {"NoExecute", "NoSchedule", "PreferNoSchedule", "", "Other"},
		reflect.TypeFor[v1.UnsatisfiableConstraintAction](): {"DoNotSchedule", "ScheduleAnyway", "", "Other"},
		reflect.TypeFor[v1.NodeInclusionPolicy]():           {"Honor", "Ignore", "", "Other"},
		reflect.TypeFor[v1.PreemptionPolicy]():              {"PreemptLowerPriority", "Never", "", "Other"},
		reflect.TypeFor[v1.RestartPolicy]():                 {"Always", "", "Never", "OnFailure", "Other"},
		reflect.TypeFor[v1.ContainerRestartPolicy]():        {"Always", "Never", "OnFailure", "", "Other"},
		reflect.TypeFor[v1.Protocol]():                      {"TCP", "", "UDP", "SCTP", "Other"},
	}
	// plausible are the texts of fields in which the first ones are wrong or too few.
	plausible = map[string][]string{"Values": {"1", "a"}, "Value": {"", "900"}, "Key": {"a", "zone"}, "TopologyKey": {"zone", "a", "kubernetes.io/hostname"}, "PodGroupReplicaKey": {"", "a"}, "IP": {""}}
)

// filler draws the fields of a pod. Every so often, or never if edge is zero, one is at the edge of what is allowed.
type filler struct {
	*difftest.Source
	edge int
}

func (r filler) atEdge() bool { return r.edge > 0 && r.OneIn(r.edge) }

// fillField fills a field of a pod.
func (r filler) fillField(field any) { r.fill(reflect.ValueOf(field).Elem(), "") }

func (r filler) fill(v reflect.Value, name string) {
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
			v.SetMapIndex(reflect.ValueOf(r.text("Key")).Convert(v.Type().Key()), reflect.ValueOf(r.text("")))
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
func (r filler) wants(field string) bool { return field != "Claims" || r.atEdge() }

func (r filler) quantity() resource.Quantity {
	if r.atEdge() {
		return resource.MustParse(difftest.Pick(r.Source, quantities...))
	}
	return resource.MustParse(difftest.Pick(r.Source, quantities[:2]...))
}

func (r filler) resources() v1.ResourceList {
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

func (r filler) text(name string) string {
	good := plausible[name]
	if good == nil {
		good = texts[:2]
	}
	if r.atEdge() {
		good = texts
	}
	return difftest.Pick(r.Source, good...)
}

// newPod draws a pod, good or bad.
func newPod(r *difftest.Source) *v1.Pod { return drawPod(filler{r, difftest.Pick(r, 0, 60, 20, 5)}) }

// plausiblePod draws a pod that mostly is good.
func plausiblePod(r *difftest.Source) *v1.Pod {
	pod := drawPod(filler{r, difftest.Pick(r, 0, 0, 100)})
	if r.Bool() {
		pod.Spec.NodeName = ""
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "a"}, {Name: "b"}}
	}
	return pod
}

func drawPod(r filler) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "o", UID: "u", ResourceVersion: "1"}}
	if r.atEdge() {
		pod.Name = r.text("")
	}
	r.fillField(&pod.Labels)
	if r.atEdge() {
		r.fillField(&pod.Finalizers)
	}
	s := &pod.Spec
	for i := range difftest.Pick(r.Source, 1, 2, 3) {
		s.Containers = append(s.Containers, r.container(fmt.Sprint("c", i)))
	}
	for i := range difftest.Pick(r.Source, 0, 0, 1, 2) {
		s.InitContainers = append(s.InitContainers, r.container(fmt.Sprint("i", i)))
	}
	if r.atEdge() {
		s.Containers = nil
	}
	r.fillSome(
		&s.NodeSelector, &s.Affinity, &s.Affinity, &s.Tolerations, &s.Tolerations, &s.TopologySpreadConstraints, &s.TopologySpreadConstraints,
		&s.SchedulingGates, &s.Overhead, &s.PriorityClassName, &s.RuntimeClassName, &s.PreemptionPolicy, &s.NodeName, &s.ActiveDeadlineSeconds,
		&s.WorkloadRef, &s.HostNetwork, &s.RestartPolicy, &s.Resources, &s.TerminationGracePeriodSeconds, &s.SchedulerName,
	)
	return pod
}

// fillSome fills some of the fields: more than a few at a time are hardly ever all good.
func (r filler) fillSome(fields ...any) {
	for range r.Range(1, 5) {
		r.fillField(difftest.Pick(r.Source, fields...))
	}
}

func (r filler) container(name string) v1.Container {
	c := v1.Container{Name: name, Image: "app", ImagePullPolicy: v1.PullIfNotPresent} // the default depends on the image
	if r.atEdge() {
		c.Name = r.text("")
	}
	if r.atEdge() {
		c.Image = " app"
	}
	if r.OneIn(3) {
		r.fillField(&c.Resources)
	}
	if r.OneIn(6) {
		r.fillField(&c.Ports)
	}
	if r.OneIn(6) {
		r.fillField(&c.RestartPolicy)
	}
	return c
}
