package memory_test

import (
	"reflect"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Most of what an API server refuses is stored here. Whatever the fields of two objects are, controllers and kubelets cope with them,
// with a change of one, and with its end.
func TestCluster_CopesWithAnyObject(t *testing.T) {
	for _, kind := range memory.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			stored := 0
			rapid.Check(t, func(t *rapid.T) {
				c := memory.New(memory.Options{Seed: 1, Latency: memory.TypicalLatency()})
				for _, o := range []world.Object{
					mk.Node("n").CPU("4").Memory("8Gi").Pods("9").Obj(), mk.Pod("p").CPU("1").Node("n").Obj(), mk.Claim("main").Obj(), mk.ResourceClaim("main").Request("r", "a", 1).Obj(),
				} {
					_, _ = c.Create(o)
				}
				held, err := c.Create(anyObject(t, kind, "a"))
				if err != nil {
					return
				}
				stored++
				_, _ = c.Create(anyObject(t, kind, "b"))
				c.Advance(time.Minute)
				changed := anyObject(t, kind, "a")
				_, _ = c.Update(changed)
				_, _ = c.UpdateStatus(changed)
				c.Advance(10 * time.Minute)
				_ = c.Delete(kind, held.GetNamespace(), held.GetName(), metav1.DeleteOptions{})
				c.Advance(time.Minute)
			})
			if stored == 0 {
				t.Error("every object is refused")
			}
		})
	}
}

// anyObject draws an object of a kind, its metadata aside.
func anyObject(t *rapid.T, kind world.Kind, name string) world.Object {
	o, err := memory.NewObject(kind)
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i).Name; f != "TypeMeta" && f != "ObjectMeta" {
			drawField(t, v.Field(i), 0)
		}
	}
	if pod, is := o.(*v1.Pod); is {
		likely(t, &pod.Spec)
	}
	o.SetName(name)
	if memory.IsNamespaced(kind) {
		o.SetNamespace("default")
	}
	return o
}

// likely leaves most of what is refused of pods out of most of them.
func likely(t *rapid.T, s *v1.PodSpec) {
	if rapid.IntRange(0, 9).Draw(t, "refused") == 0 {
		return
	}
	s.Containers = append(s.Containers, v1.Container{Name: "main"})
	s.Priority, s.PreemptionPolicy, s.PriorityClassName, s.RuntimeClassName, s.Overhead = nil, nil, "", nil, nil
	if a := s.Affinity; a != nil {
		a.PodAffinity, a.PodAntiAffinity = nil, nil
		if a.NodeAffinity != nil {
			a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = nil
		}
	}
	for i := range s.TopologySpreadConstraints {
		s.TopologySpreadConstraints[i].MaxSkew, s.TopologySpreadConstraints[i].LabelSelector = 1, nil
	}
	for i := range s.Tolerations {
		s.Tolerations[i].Operator = "Like"
	}
	if s.NodeName != "" {
		s.SchedulingGates = nil
	}
}

var anyText = rapid.SampledFrom([]string{
	"", "a", "b", "n", "p", "default", "main", "x y", "/", "A", "-1", "50%", "1Gi", "cpu", "Gt", "In", "Exists", "Equal", "NoExecute", "NoSchedule", "Always", "Immediate",
	"DoNotSchedule", "ExactCount", "All", "true", "1 +", "kubernetes.io/hostname", "example.com/gpu", "ReadWriteOnce", "Pod", "Running", "Failed", "RollingUpdate", "Recreate",
})

// drawField draws a field, mostly of nothing: the parts of parts are many.
func drawField(t *rapid.T, v reflect.Value, depth int) {
	switch at := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*at = resource.MustParse(rapid.SampledFrom([]string{"-1", "0", "1", "500m", "1Gi", "-3Gi"}).Draw(t, "quantity"))
		return
	case *intstr.IntOrString:
		*at = intstr.Parse(rapid.SampledFrom([]string{"-1", "0", "2", "50%", "-7%", "half", ""}).Draw(t, "share"))
		return
	case *metav1.FieldsV1, *runtime.RawExtension: // which are valid once they are decoded
		return
	case *metav1.Time:
		*at = metav1.Unix(rapid.Int64Range(1_760_000_000, 1_770_000_000).Draw(t, "time"), 0)
		return
	}
	some := func() bool { return rapid.IntRange(0, 2+depth).Draw(t, "some") == 0 }
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && (depth == 0 || !some()) {
				drawField(t, v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if some() || depth < 3 {
			v.Set(reflect.New(v.Type().Elem()))
			drawField(t, v.Elem(), depth+1)
		}
	case reflect.Slice:
		n := rapid.IntRange(0, max(0, 3-depth/2)).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			drawField(t, v.Index(i), depth+1)
		}
	case reflect.Map:
		if key := anyText.Draw(t, "key"); some() && v.Type().Key().Kind() == reflect.String {
			element := reflect.New(v.Type().Elem()).Elem()
			drawField(t, element, depth+1)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), element)
		}
	case reflect.String:
		v.SetString(anyText.Draw(t, "text"))
	case reflect.Int32, reflect.Int64:
		v.SetInt(rapid.Int64Range(-2, 3).Draw(t, "number"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	}
}
