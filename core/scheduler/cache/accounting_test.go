package cache

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
)

const mib = 1 << 20

// Shows CACHE-10.
func TestAccounting_PodRequests(t *testing.T) {
	resized := func(p *mk.PodBuilder, conditions ...v1.PodCondition) *v1.Pod {
		pod := p.Obj()
		pod.Status.Conditions = conditions
		pod.Status.ContainerStatuses = []v1.ContainerStatus{{
			Name: "main", AllocatedResources: mk.Resources("cpu", "300m"),
			Resources: &v1.ResourceRequirements{Requests: mk.Resources("cpu", "200m")},
		}}
		return pod
	}
	podLevel := func(p *mk.PodBuilder, requests ...string) *v1.Pod {
		pod := p.Obj()
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources(requests...)}
		return pod
	}
	type sum struct {
		CPU, Memory, NonZeroCPU, NonZeroMemory int64
		Scalars                                map[v1.ResourceName]int64
	}
	tests := []struct {
		name string
		pod  *v1.Pod
		with Accounting
		want sum
	}{
		{
			"containers add up", mk.Pod("p").CPU("100m").Memory("10Mi").Container("b", "i", mk.Resources("cpu", "1", "memory", "5Mi")).Obj(),
			Accounting{},
			sum{1100, 15 * mib, 1100, 15 * mib, nil},
		},
		{
			"what a container does not name counts a minimum in scoring only", mk.Pod("p").Obj(),
			Accounting{},
			sum{0, 0, 100, 200 * mib, nil},
		},
		{
			"an explicit zero is a request and gets no minimum", mk.Pod("p").CPU("0").Memory("0").Obj(),
			Accounting{},
			sum{0, 0, 0, 0, nil},
		},
		{
			"fractions add up before they are rounded up", mk.Pod("p").CPU("400u").Memory("1").Container("b", "i", mk.Resources("cpu", "400u", "memory", "0")).Obj(),
			Accounting{},
			sum{1, 1, 1, 1, nil},
		},
		{
			"an init container counts if it needs more than all containers", mk.Pod("p").CPU("1").Memory("1Mi").Init("i", mk.Resources("cpu", "3", "memory", "0")).Obj(),
			Accounting{},
			sum{3000, mib, 3000, mib, nil},
		},
		{
			"an init container without requests counts the minimum in scoring", mk.Pod("p").CPU("50m").Memory("1Mi").Init("i", nil).Obj(),
			Accounting{},
			sum{50, mib, 100, 200 * mib, nil},
		},
		{
			"a sidecar adds to the containers, and to the init containers after it", mk.Pod("p").CPU("1").Memory("1Mi").
				Sidecar("s", mk.Resources("cpu", "500m", "memory", "1Mi")).Init("i", mk.Resources("cpu", "2", "memory", "0")).Obj(),
			Accounting{},
			sum{2500, 2 * mib, 2500, 2 * mib, nil},
		},
		{
			"overhead comes on top", mk.Pod("p").CPU("1").Memory("1Mi").Overhead("cpu", "250m").Obj(),
			Accounting{},
			sum{1250, mib, 1250, mib, nil},
		},
		{
			"scalars are counted by name, unknown plain names are not", mk.Pod("p").CPU("1").Memory("1Mi").Request("example.com/gpu", "2").Request("bananas", "3").Obj(),
			Accounting{},
			sum{1000, mib, 1000, mib, map[v1.ResourceName]int64{"example.com/gpu": 2}},
		},
		{
			"while a resize is under way the largest of asked, granted and actual counts", resized(mk.Pod("p").CPU("100m").Memory("1Mi")),
			Accounting{},
			sum{300, mib, 300, mib, nil},
		},
		{
			"a resize that cannot be does not count what was asked", resized(mk.Pod("p").CPU("5").Memory("1Mi"), v1.PodCondition{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}),
			Accounting{},
			sum{300, 0, 300, 200 * mib, nil},
		},
		{
			"requests of the whole pod replace those of its containers", podLevel(mk.Pod("p").CPU("1").Memory("1Mi"), "cpu", "2"),
			Accounting{},
			sum{2000, mib, 2000, mib, nil},
		},
		{
			"with requests of the whole pod a minimum counts only for resources that no container names", podLevel(mk.Pod("p"), "cpu", "2"),
			Accounting{},
			sum{2000, 0, 2000, 200 * mib, nil},
		},
		{
			"the feature off, requests of the whole pod are ignored", podLevel(mk.Pod("p").CPU("1").Memory("1Mi"), "cpu", "2"),
			Accounting{IgnorePodLevel: true},
			sum{1000, mib, 1000, mib, nil},
		},
		{
			"the feature off, requests of the whole pod do not replace the minimums", podLevel(mk.Pod("p"), "cpu", "2"),
			Accounting{IgnorePodLevel: true},
			sum{0, 0, 100, 200 * mib, nil},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			info, err := tt.with.NewPodInfo(tt.pod)
			if err != nil {
				t.Fatal(err)
			}
			got := info.CalculateResource()
			same(t, "sum", tt.want, sum{got.Resource.GetMilliCPU(), got.Resource.GetMemory(), got.Non0CPU, got.Non0Mem, got.Resource.GetScalarResources()})
		})
	}
}

func TestAccounting_SumPlainEqualsSum(t *testing.T) {
	quantities := rapid.SampledFrom([]string{"", "0", "1", "1u", "999u", "100m", "1.5Gi", "9E", "1e30", "1n"})
	rapid.Check(t, func(t *rapid.T) {
		list := func(label string) v1.ResourceList {
			requests := v1.ResourceList{}
			for _, name := range []string{"cpu", "memory", "ephemeral-storage"} {
				if q := quantities.Draw(t, label+" "+name); q != "" {
					requests[v1.ResourceName(name)] = mk.Resources(name, q)[v1.ResourceName(name)]
				}
			}
			return requests
		}
		b := mk.Pod("p")
		for range rapid.IntRange(0, 3).Draw(t, "containers") {
			b.Container("c", "i", list("container"))
		}
		pod := b.Obj()
		pod.Spec.Overhead = list("overhead")
		requests, nonZero := Accounting{}.requestLists(pod)
		want := *NewResource(requests)
		got, cpu, memory, ok := Accounting{}.sumPlain(pod)
		if !ok {
			t.Fatal("gave up on a plain pod")
		}
		same(t, "requests", amountsOf(&want), amountsOf(&got))
		same(t, "non-zero cpu", cpuOf(*nonZero.Cpu()), cpu)
		same(t, "non-zero memory", bytesOf(*nonZero.Memory()), memory)
	})
}
