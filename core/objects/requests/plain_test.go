package requests_test

import (
	"maps"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	componentresource "k8s.io/component-helpers/resource"
	"pgregory.net/rapid"

	"orrery/core/objects/requests"
	"orrery/core/testing/mk"
)

func drawList(t *rapid.T, name string, resources ...v1.ResourceName) v1.ResourceList {
	list := v1.ResourceList{}
	for _, r := range resources {
		if rapid.Bool().Draw(t, name+" has "+string(r)) {
			list[r] = resource.MustParse(rapid.SampledFrom([]string{"0", "1", "100m", "1500u", "3Gi", "1e30", "8Ei"}).Draw(t, name))
		}
	}
	return list
}

// A plain pod's sums are those of the lists, without and with the defaults for containers without requests.
func TestPlain_IsTheSumOfTheLists(t *testing.T) {
	const milliCPU, bytes = 100, 200 << 20
	defaults := v1.ResourceList{
		v1.ResourceCPU: *resource.NewMilliQuantity(milliCPU, resource.DecimalSI), v1.ResourceMemory: *resource.NewQuantity(bytes, resource.DecimalSI),
	}
	known := []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage}
	further := []v1.ResourceName{"example.com/gpu", "hugepages-2Mi", "pods"}
	rapid.Check(t, func(t *rapid.T) {
		pod := mk.Pod("p").Obj()
		pod.Spec.Containers = make([]v1.Container, rapid.IntRange(1, 3).Draw(t, "containers"))
		for i := range pod.Spec.Containers {
			pod.Spec.Containers[i].Resources.Requests = drawList(t, "container", known...)
		}
		pod.Spec.Overhead = drawList(t, "overhead", known...)
		lists := []*v1.ResourceList{&pod.Spec.Overhead}
		for i := range pod.Spec.Containers {
			lists = append(lists, &pod.Spec.Containers[i].Resources.Requests)
		}
		maps.Copy(*rapid.SampledFrom(lists).Draw(t, "further in"), drawList(t, "further", further...))
		sum, plain := requests.Plain(pod)
		if !plain {
			t.Fatal("one list at most has further resources, and the pod is not plain")
		}
		check := func(sum requests.PlainSum, of v1.ResourceList) {
			for name, got := range map[v1.ResourceName]resource.Quantity{
				v1.ResourceCPU: sum.CPU, v1.ResourceMemory: sum.Memory, v1.ResourceEphemeralStorage: sum.EphemeralStorage,
			} {
				if got, want := requests.Amount(name, got), requests.Amount(name, of[name]); got != want {
					t.Errorf("%s is %d, want %d", name, got, want)
				}
			}
		}
		all := requests.Of(pod, componentresource.PodResourcesOptions{})
		scalars := map[v1.ResourceName]int64{}
		for name, quantity := range all {
			if requests.IsScalar(name) {
				scalars[name] = requests.Amount(name, quantity)
			}
		}
		if got := maps.Collect(sum.Scalars()); !maps.Equal(got, scalars) {
			t.Errorf("further resources are %v, want %v", got, scalars)
		}
		check(sum, all)
		sum.Defaults(milliCPU, bytes)
		check(sum, requests.Of(pod, componentresource.PodResourcesOptions{NonMissingContainerRequests: defaults}))
	})
}

func TestPlain_RefusesPodsWithMore(t *testing.T) {
	level := mk.Pod("p").CPU("1").Obj()
	level.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "2")}
	overhead := mk.Pod("p").CPU("1").Request("example.com/gpu", "1").Obj()
	overhead.Spec.Overhead = mk.Resources("example.com/gpu", "1")
	for name, pod := range map[string]*v1.Pod{
		"further resources in two lists": overhead,
		"an init container":              mk.Pod("p").Sidecar("s", nil).Obj(),
		"requests of the whole pod":      level,
	} {
		if _, plain := requests.Plain(pod); plain {
			t.Errorf("a pod with %s is plain", name)
		}
	}
}
